"""Every exercise does what its author says: each program gets the verdict that is expected."""

from pathlib import Path

import pytest

from grader.calibrating import calibrate
from grader.exercises import exercise_slugs, read_exercise

CONTENT = Path("content")


@pytest.mark.sandbox
@pytest.mark.compiler
@pytest.mark.slow
@pytest.mark.parametrize("slug", exercise_slugs(CONTENT))
def test_each_program_gets_the_verdict_its_author_expects(slug: str) -> None:
    exercise, errors = read_exercise(CONTENT, slug)
    assert exercise is not None, errors
    assert [str(error) for error in calibrate(exercise)] == []
