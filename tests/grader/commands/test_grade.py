"""`grade` from the command line, on the committed exercises, in the real sandbox."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from grader.core.verdict import Outcome, Verdict

EXERCISES = Path("content/exercises")
SCATTER = EXERCISES / "case-three-scatter"
MESH = EXERCISES / "first-mesh"


def graded(*words: str) -> tuple[str, int]:
    output = StringIO()
    try:
        call_command("grade", *words, stdout=output, stderr=StringIO())
    except SystemExit as ended:
        return output.getvalue(), int(str(ended.code))
    return output.getvalue(), 0


@pytest.mark.sandbox
@pytest.mark.compiler
def test_a_reference_passes_and_the_verdict_is_the_same_each_time() -> None:
    words = ("case-three-scatter", str(SCATTER / "reference.py"), "--json", "--seed", "5")
    once, twice = graded(*words, "--backend", "cpu"), graded(*words, "--backend", "cpu")
    first, second = json.loads(once[0]), json.loads(twice[0])
    assert (once[1], twice[1]) == (0, 0)
    assert first.pop("seconds") != second.pop("seconds")
    assert first == second
    verdict = Verdict.from_json(once[0].encode())
    assert verdict.outcome is Outcome.PASSED
    assert not verdict.is_complete
    assert "Not checked on this host: tpu-compile" in verdict.headline


@pytest.mark.sandbox
def test_a_wrong_mesh_is_explained_in_the_terminal() -> None:
    shown, status = graded("first-mesh", str(MESH / "programs" / "swapped_sizes.py"))
    assert status == 1
    assert "sizes [2, 4], not [4, 2]" in shown
    assert "the concept spmd-mesh" in shown


@pytest.mark.sandbox
def test_a_learners_exception_is_shown_at_their_line() -> None:
    file = MESH / "starter.py"
    shown, status = graded("first-mesh", str(file))
    assert status == 1
    line = 1 + file.read_text().splitlines().index("    raise NotImplementedError")
    assert f"{file}:{line}" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no-such", "x.py"), "There is no exercise 'no-such'; there are"),
        (("first-mesh", "no-such.py"), "Cannot read no-such.py"),
        (("first-mesh", str(MESH / "starter.py"), "--backend", "gpu"), "choose cpu, tpu-compile"),
        (("first-mesh", str(MESH / "starter.py"), "--save", "x"), "--save needs --seed"),
    ],
)
def test_wrong_usage_says_what_to_write(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        graded(*words)
    assert refused.value.returncode == 2


def test_a_case_that_does_not_exist_is_told_beside_those_that_do(tmp_path: Path) -> None:
    words = ("case-three-scatter", str(SCATTER / "starter.py"), "--seed", "1", "--case", "odd")
    with pytest.raises(CommandError, match="random-1, random-2, random-3, a=zeros"):
        graded(*words, "--save", str(tmp_path))


def test_a_cases_inputs_are_saved_for_ones_own_machine(tmp_path: Path) -> None:
    words = ("case-three-scatter", str(SCATTER / "starter.py"), "--seed", "1", "--case", "a=zeros")
    said, status = graded(*words, "--save", str(tmp_path))
    assert status == 0
    assert "a.npy, b.npy" in said
    assert not np.load(tmp_path / "a.npy").any()
    b = np.load(tmp_path / "b.npy")
    assert b.shape == (512, 1024)
    assert abs(b.std() - 0.05) < 0.001  # the rubric draws b with this deviation


def test_the_cases_of_a_data_exercise_are_saved_too(tmp_path: Path) -> None:
    words = ("first-mesh", str(MESH / "starter.py"), "--seed", "1", "--save", str(tmp_path))
    assert graded(*words)[1] == 0
    assert "'devices': [0, 1, 2, 3, 4, 5, 6, 7]" in (tmp_path / "cases.txt").read_text()


@pytest.mark.sandbox
def test_a_file_over_the_cap_is_a_limit_and_says_which(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_text("x = 1\n" * 20_000)
    shown, status = graded("case-three-scatter", str(file), "--json", "--backend", "cpu")
    verdict = Verdict.from_json(shown.encode())
    assert (verdict.outcome, status) == (Outcome.LIMIT, 1)
    assert "larger than 64 KiB" in verdict.message
