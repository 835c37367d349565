"""Asks the function of a `data` exercise for its answers."""

import json
from collections.abc import Mapping, Sequence

from grader.core.data_kinds.judging import data_cases
from grader.core.evidence import Answered, Ended, Evidence
from grader.core.rubric import DataRubric
from grader.ending import without_report
from grader.sandbox.holding import Holder
from grader.sandbox.launch import run_answer
from grader.sandbox.slot import RunLimits
from tpu_runner.protocol import SOURCE_CAP_BYTES, AnswerOutcome, AnswerRequest

_SECONDS = 20.0


def answers_of(
    rubric: DataRubric, source: bytes, *, exercise: str, seed: int, holder: Holder | None
) -> Evidence:
    """Return the answers of a source to the cases of a seed, or why there are none.

    Raises SandboxUnavailableError.
    """
    cases = data_cases(rubric, exercise=exercise, seed=seed)
    return ask(source, rubric.function, cases, devices=rubric.devices, holder=holder)


def ask(
    source: bytes,
    function: str,
    cases: Sequence[Mapping[str, object]],
    *,
    devices: int,
    holder: Holder | None,
) -> Evidence:
    """Return a function's answers to cases, one for each, or why there are none."""
    request = AnswerRequest(
        source=source[: SOURCE_CAP_BYTES + 1],
        function=function,
        cases=json.dumps(cases).encode(),
    )
    limits = RunLimits(wall_seconds=_SECONDS)
    end = run_answer(request, devices=devices, limits=limits, holder=holder)
    if end.report is None:
        return without_report(end, "Asking for answers", _SECONDS)
    phases = {"answer": end.seconds}
    if end.report.outcome is not AnswerOutcome.ANSWERED:
        error = end.report.error
        return Evidence(
            ended=Ended.LEARNER_ERROR,
            message=error.message if error is not None else "no answer was given",
            learner_error=error,
            phases=phases,
        )
    try:
        answers = json.loads(end.report.answers)
    except (ValueError, RecursionError):
        answers = None
    if not isinstance(answers, list) or len(answers) != len(cases):
        return Evidence(
            ended=Ended.LEARNER_ERROR,
            message="What came back is not one answer for each case.",
            phases=phases,
        )
    return Evidence(
        answers=tuple(
            Answered(case=case, answer=answer) for case, answer in zip(cases, answers, strict=True)
        ),
        phases=phases,
    )
