"""Answers of data exercises: what a function may return, and what it is told where it may not."""

import json

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, Mesh

from tpu_runner.answer import answer, plain
from tpu_runner.learner_module import LearnerMistakeError
from tpu_runner.protocol import AnswerOutcome, AnswerReport, AnswerRequest, LearnerErrorKind


class Silent:
    """Collects nothing."""

    total = 0

    def finish(self) -> bytes:
        """Return nothing."""
        return b""


def asked(source: str, *cases: dict[str, object]) -> AnswerReport:
    request = AnswerRequest(
        source=source.encode(), function="solve", cases=json.dumps(cases).encode()
    )
    return answer(request, output=Silent())


def test_a_function_is_called_once_for_each_case_with_its_values_in_order() -> None:
    report = asked(
        "def solve(a, b):\n    return (a - b, {1: b})", {"a": 5, "b": 3}, {"a": 1, "b": 1}
    )
    assert report.outcome is AnswerOutcome.ANSWERED
    assert json.loads(report.answers) == [[2, {"1": 3}], [0, {"1": 1}]]


def test_numbers_of_devices_become_devices() -> None:
    report = asked(
        "def solve(devices):\n    return [type(devices[0]).__name__, *devices]", {"devices": [0]}
    )
    assert json.loads(report.answers) == [["Device", jax.devices()[0].id]]


def test_meshes_slices_and_arrays_have_forms_of_their_own() -> None:
    mesh = Mesh(
        np.array(jax.devices()[:1]).reshape(1, 1),
        ("a", "b"),
        axis_types=(AxisType.Auto, AxisType.Explicit),
    )
    assert plain(mesh, what="it") == {
        "axis_names": ["a", "b"],
        "axis_types": ["auto", "explicit"],
        "device_ids": [[jax.devices()[0].id]],
    }
    assert plain([slice(1, 4), np.arange(2), np.int8(3), 0.5, None, True, "x"], what="it") == [
        [1, 4], [0, 1], 3, 0.5, None, True, "x",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), float("inf"), {1, 2}, 1j, lambda: 0, b"x"],
    ids=["object", "nan", "infinity", "set", "complex", "function", "bytes"],
)
def test_what_is_no_data_is_refused(value: object) -> None:
    with pytest.raises(LearnerMistakeError) as refused:
        plain({"a": [value]}, what="solve(…)")
    assert refused.value.kind is LearnerErrorKind.NOT_DATA


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(LearnerMistakeError, match="nested more than"):
        plain(endless, what="solve(…)")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x = 1", LearnerErrorKind.NO_FUNCTION),
        ("solve = 3", LearnerErrorKind.NO_FUNCTION),
        ("def solve(:", LearnerErrorKind.SYNTAX_ERROR),
        ("def solve():\n    return 1", LearnerErrorKind.FUNCTION_RAISED),
        ("def solve(a):\n    raise KeyError(a)", LearnerErrorKind.FUNCTION_RAISED),
        ("def solve(a):\n    raise SystemExit", LearnerErrorKind.EXITED),
        ("def solve(a):\n    return 'x' * 5_000_000", LearnerErrorKind.NOT_DATA),
    ],
)
def test_each_mistake_has_its_kind(source: str, kind: LearnerErrorKind) -> None:
    report = asked(source, {"a": 1})
    assert report.outcome is AnswerOutcome.LEARNER_ERROR
    assert report.error is not None
    assert report.error.kind is kind
    assert report.answers == b""
