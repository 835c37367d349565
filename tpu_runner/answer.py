"""Stage 1 of an exercise whose answer is data: calls a function and gives back what it returned.

Everything that leaves this process is a claim: learner code may have changed any of it.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType as JaxAxisType
from jax.sharding import Mesh

from tpu_runner.learner_module import (
    LearnerMistakeError,
    blaming,
    error_report,
    load,
    read_source,
    with_article,
)
from tpu_runner.protocol import (
    CASES_CAP_BYTES,
    AnswerOutcome,
    AnswerReport,
    AnswerRequest,
    LearnerError,
    LearnerErrorKind,
)
from tpu_runner.stopwatch import Stopwatch
from tpu_runner.trace import Output

_MOST_NESTED = 16


def answer(request: AnswerRequest, *, output: Output) -> AnswerReport:
    """Return the function's answers to every case, or what the learner has to put right."""
    watch = Stopwatch()
    answers = b""
    error: LearnerError | None = None
    try:
        with watch.phase("answer"):
            answers = _answers(request)
    except LearnerMistakeError as mistake:
        error = error_report(mistake)
    tail = output.finish()
    return AnswerReport(
        outcome=AnswerOutcome.ANSWERED if error is None else AnswerOutcome.LEARNER_ERROR,
        error=error,
        answers=answers,
        output=tail.decode("utf-8", "backslashreplace"),
        output_bytes=output.total,
        phases=tuple(watch.phases),
    )


def _answers(request: AnswerRequest) -> bytes:
    module = load(read_source(request.source))
    function = module.__dict__.get(request.function)
    if not callable(function):
        raise LearnerMistakeError(
            LearnerErrorKind.NO_FUNCTION,
            f"The module has no function {request.function}. Write: def {request.function}(…): …",
        )
    cases = json.loads(request.cases)
    answers = json.dumps([_answer(request.function, function, case) for case in cases]).encode()
    if len(answers) > CASES_CAP_BYTES:
        raise LearnerMistakeError(
            LearnerErrorKind.NOT_DATA,
            f"The answers have {len(answers)} bytes as JSON, more than {CASES_CAP_BYTES}.",
        )
    return answers


def _answer(name: str, function: Callable[..., Any], case: Mapping[str, Any]) -> Any:
    arguments = [_argument(key, value) for key, value in case.items()]
    with blaming(LearnerErrorKind.FUNCTION_RAISED, f"{name}(…)"):
        returned = function(*arguments)
    with blaming(LearnerErrorKind.NOT_DATA, f"What {name}(…) returned"):
        return plain(returned, what=f"{name}(…)")


def _argument(key: str, value: Any) -> Any:
    """Devices are named by number: the function gets the devices themselves."""
    if key == "devices" and value and all(isinstance(one, int) for one in value):
        there = jax.devices()
        return [there[number] for number in value]
    return value


def plain(value: Any, *, what: str, nested: int = 0) -> Any:
    """Return a value as JSON has it: meshes, slices, arrays and devices have forms of their own.

    Raises LearnerMistakeError for anything else.
    """
    if nested > _MOST_NESTED:
        raise _not_data(f"{what} is nested more than {_MOST_NESTED} deep")
    opened = _opened(value)
    if isinstance(opened, Mapping):
        return {
            str(plain(key, what=what, nested=nested + 1)): plain(item, what=what, nested=nested + 1)
            for key, item in opened.items()
        }
    if isinstance(opened, list | tuple):
        return [plain(item, what=what, nested=nested + 1) for item in opened]
    if opened is None or isinstance(opened, bool | str):
        return opened
    if isinstance(opened, int | np.integer):
        return int(opened)
    return _finite(opened, what)


def _opened(value: Any) -> Any:
    """Return what stands for a value: plainer, though not yet plain all through."""
    if isinstance(value, Mesh):
        return _mesh(value)
    if isinstance(value, slice):
        return [value.start, value.stop]
    if isinstance(value, jax.Device):
        return value.id
    if isinstance(value, np.ndarray | jax.Array):
        return np.asarray(value).tolist()
    return value


def _mesh(mesh: Mesh) -> dict[str, Any]:
    names = {JaxAxisType.Auto: "auto", JaxAxisType.Explicit: "explicit"}
    ids = np.vectorize(lambda device: device.id, otypes=[np.int64])(mesh.devices)
    return {
        "axis_names": [str(name) for name in mesh.axis_names],
        "axis_types": [names.get(kind, "manual") for kind in mesh.axis_types],
        "device_ids": ids.tolist(),
    }


def _finite(value: Any, what: str) -> float:
    if not isinstance(value, float | np.floating):
        raise _not_data(f"{what} has {with_article(value)} in it")
    if not math.isfinite(value):
        raise _not_data(f"{what} has {value} in it")
    return float(value)


def _not_data(found: str) -> LearnerMistakeError:
    return LearnerMistakeError(
        LearnerErrorKind.NOT_DATA,
        f"{found}. Return numbers, texts, lists, dictionaries, or the mesh that is asked for.",
    )
