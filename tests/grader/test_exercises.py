"""An exercise's folder is read strictly: every mistake is told with its file."""

import shutil
from pathlib import Path

import pytest

from grader.calibrating import difference_from_expected
from grader.core.verdict import CheckResult, Outcome, Status, Verdict
from grader.exercises import ExampleProgram, Expected, exercise_slugs, read_exercise

CONTENT = Path("content")
SLUG = "case-three-scatter"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a committed exercise to break."""
    shutil.copytree(CONTENT / "exercises" / SLUG, tmp_path / "exercises" / SLUG)
    return tmp_path / "exercises" / SLUG


def mistakes(folder: Path) -> list[str]:
    exercise, errors = read_exercise(folder.parent.parent, folder.name)
    assert exercise is None
    return [str(error) for error in errors]


@pytest.mark.parametrize("slug", exercise_slugs(CONTENT))
def test_every_committed_exercise_is_right(slug: str) -> None:
    exercise, errors = read_exercise(CONTENT, slug)
    assert errors == ()
    assert exercise is not None
    assert exercise.slug == slug


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("rubric.yaml", "version: 1", "version: 0", "rubric.yaml:2: version: Expected"),
        ("reference.py", "def plain", "def plane", "reference.py:1: has no function plain"),
        ("starter.py", "def build(mesh):", "def build(mesh:", "starter.py:6: is no Python"),
        ("exercise.md", "rung: 1", "rung: 9", "exercise.md:5: exercise: rung"),
        ("expected.yaml", "cheat: true", "cheat: 1", "expected.yaml:13: another_per_backend.py"),
        ("expected.yaml", "  cheat: true\n", "", "at least 2 wrong answers and 1 cheat"),
        ("expected.yaml", "untiled.py:", "tiled.py:", "tiled.py: there is no such program"),
        ("expected.yaml", "untiled.py:", "tiled.py:", "untiled.py: has no entry"),
        ("expected.yaml", "{cpu: [values]}", "{cpu: [vales]}", "cpu has no check 'vales'"),
        ("expected.yaml", "{cpu: [values]}", "{gpu: [values]}", "gpu has no check 'values'"),
        ("expected.yaml", "{cpu: [values]}", "{cpu: []}", "some check has to fail"),
        (
            "expected.yaml",
            "fails: {cpu: [values]}",
            "{fails: {cpu: [values]}, outcome: limit}",
            "not valid YAML",
        ),
        (
            "expected.yaml",
            "fails: {cpu: [values]}",
            "fails: {cpu: [values]}\n  outcome: limit",
            "a program that is not checked fails no check",
        ),
        ("expected.yaml", "fails: {cpu: [values]}", "outcome: passed", "passed is no failure"),
    ],
)
def test_each_mistake_is_told(folder: Path, file: str, old: str, new: str, says: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    assert [one for one in mistakes(folder) if says in one], mistakes(folder)


@pytest.mark.parametrize("file", ["exercise.md", "rubric.yaml", "starter.py", "expected.yaml"])
def test_a_missing_file_is_told(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert [one for one in mistakes(folder) if f"{file}:1: cannot be read" in one]


def test_what_does_not_belong_is_told(folder: Path) -> None:
    (folder / "notes.txt").write_text("x")
    assert [one for one in mistakes(folder) if "notes.txt:1: does not belong here" in one]


@pytest.mark.parametrize("slug", ["no-such", "../etc", "first_mesh", ""])
def test_what_is_no_exercise_is_told(slug: str) -> None:
    exercise, errors = read_exercise(CONTENT, slug)
    assert exercise is None
    assert "there is no such exercise" in str(errors[0])


def test_a_folder_without_exercises_has_none(tmp_path: Path) -> None:
    assert exercise_slugs(tmp_path) == ()


def verdict(outcome: Outcome, *rows: tuple[str, str, Status], complete: bool = True) -> Verdict:
    results = tuple(
        CheckResult(check=check, backend=backend, status=status, wanted="", found="", why="")
        for check, backend, status in rows
    )
    return Verdict(
        outcome=outcome,
        headline="",
        exercise="e",
        exercise_version=1,
        results=results,
        is_complete=complete,
    )


BOTH = {"cpu": ("traffic",), "tpu-compile": ("traffic",)}
CPU_FAILS = ("traffic", "cpu", Status.FAILED)
TPU_FAILS = ("traffic", "tpu-compile", Status.FAILED)
TPU_PASSES = ("traffic", "tpu-compile", Status.PASSED)
TPU_UNCHECKED = ("traffic", "tpu-compile", Status.NOT_CHECKED)
VALUES_FAIL = ("values", "cpu", Status.FAILED)


@pytest.mark.parametrize(
    ("fails", "found", "says"),
    [
        (BOTH, verdict(Outcome.FAILED, CPU_FAILS, TPU_FAILS), ""),
        (BOTH, verdict(Outcome.FAILED, CPU_FAILS, TPU_PASSES), "on tpu-compile fails nothing"),
        (BOTH, verdict(Outcome.FAILED, CPU_FAILS, TPU_UNCHECKED, complete=False), ""),
        (
            BOTH,
            verdict(Outcome.FAILED, CPU_FAILS, VALUES_FAIL, TPU_FAILS),
            "on cpu fails traffic and values, not traffic",
        ),
        ({"cpu": ("traffic",)}, verdict(Outcome.FAILED, CPU_FAILS, TPU_FAILS), "not nothing"),
        (BOTH, verdict(Outcome.PASSED, TPU_PASSES), "is passed, not failed"),
        (BOTH, verdict(Outcome.LEARNER_ERROR), "is learner_error, not failed"),
        (
            {"tpu-compile": ("traffic",)},
            verdict(
                Outcome.PASSED, ("values", "cpu", Status.PASSED), TPU_UNCHECKED, complete=False
            ),
            "",
        ),
    ],
)
def test_a_program_has_to_fail_just_as_its_author_says(
    fails: dict[str, tuple[str, ...]], found: Verdict, says: str
) -> None:
    program = ExampleProgram(name="p.py", source=b"", expected=Expected(story="", fails=fails))
    message = difference_from_expected(program, found)
    assert says in message
    assert bool(message) is bool(says)
