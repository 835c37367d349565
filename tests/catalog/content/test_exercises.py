"""The text of an exercise: its sections in order, three hints, and every mistake with its line."""

import pytest

from questionbank.catalog.content.exercises import STATEMENT, parse_exercise
from tests.catalog.content.texts import examples, line_of

PATH = "exercises/keep-the-sum/exercise.md"


def text() -> str:
    return examples()["exercise"]


def test_the_example_in_the_format_document_is_read_whole() -> None:
    exercise, errors = parse_exercise(text(), PATH, slug="keep-the-sum")
    assert errors == []
    assert exercise is not None
    assert tuple(exercise.statement) == STATEMENT
    assert all(exercise.statement.values())
    assert len(exercise.hints) == 3
    assert exercise.solution
    assert exercise.alternatives


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("rung: 1", "rung: 8", "rung:", "from 0 to 7"),
        ("rung: 1", "rung: high", "rung:", "must be a number"),
        ("rung: 1\n", "", "title:", "'rung' is missing"),
        ("rung: 1", "rung: 1\nspeed: 3", "speed:", "unknown field 'speed'"),
        ("concepts:\n  - collectives\n", "concepts: []\n", "concepts:", "at least one"),
        ("## The budget", "## Budget", "## The situation", "have to be, in order"),
        ("## The situation", "Hello.\n\n## The situation", "Hello.", "text stands before"),
        ("### Name the collective", "#### Name it", "## Hints", "has 3 steps"),
        ("## Hints\n", "", "## The situation", "have to be, in order"),
    ],
)
def test_each_mistake_is_told_with_its_line(old: str, new: str, at: str, says: str) -> None:
    assert old in text()
    wrong = text().replace(old, new, 1)
    exercise, errors = parse_exercise(wrong, PATH, slug="keep-the-sum")
    assert exercise is None
    lines = [error.line for error in errors if says in error.message]
    assert line_of(wrong, at) in lines, errors


def test_empty_sections_and_hints_are_told() -> None:
    wrong = text().replace("## Alternatives\n", "## Alternatives\n\n## Nothing\n")
    start = wrong.index("### Name the collective")
    end = wrong.index("### Mind the tiles")
    wrong = wrong[:start] + "### Name the collective\n\n" + wrong[end:]
    _, errors = parse_exercise(wrong, PATH, slug="keep-the-sum")
    said = " ".join(error.message for error in errors)
    assert "hint 'Name the collective' is empty" in said
    assert "section 'Alternatives' is empty" in said


def test_a_text_without_front_matter_is_one_mistake() -> None:
    exercise, errors = parse_exercise("## The situation\n", PATH, slug="keep-the-sum")
    assert exercise is None
    assert len(errors) == 1
