"""Holds one submission's evidence against its rubric."""

from collections.abc import Iterator
from typing import Final

from grader.core.checks import amounts, communication, shardings, values
from grader.core.checks.observed import (
    Finding,
    Observed,
    backends_of,
    compiled_for,
    result,
    unusable,
)
from grader.core.data_kinds.judging import ANSWER_WHY, judge_answers
from grader.core.evidence import Ended, Evidence, Reference
from grader.core.rubric.checks import (
    Answer,
    Collectives,
    Compilations,
    Flops,
    Memory,
    OutputSharding,
    Overlap,
    ProgramCheck,
    Time,
    Traffic,
    Values,
)
from grader.core.rubric.documents import Rubric
from grader.core.verdict import (
    CheckResult,
    Outcome,
    Status,
    Verdict,
    headline_of,
    outcome_of,
)
from tpu_runner.protocol import Backend

_ENDS: Final = {
    Ended.LEARNER_ERROR: (Outcome.LEARNER_ERROR, "Your program could not be graded."),
    Ended.LIMIT: (Outcome.LIMIT, "Your program went over a limit."),
    Ended.OUR_FAULT: (
        Outcome.NOT_GRADED,
        "Not graded, and not by your fault. This costs no attempt.",
    ),
}
_WHYS: Final[dict[type[ProgramCheck], str]] = {
    Values: values.WHY,
    OutputSharding: shardings.WHY,
    Collectives: communication.WHY,
    Traffic: amounts.TRAFFIC_WHY,
    Memory: amounts.MEMORY_WHY,
    Flops: amounts.FLOPS_WHY,
    Overlap: amounts.OVERLAP_WHY,
    Compilations: amounts.COMPILATIONS_WHY,
    Time: amounts.TIME_WHY,
    Answer: ANSWER_WHY,
}


def judge(*, exercise: str, rubric: Rubric, evidence: Evidence, reference: Reference) -> Verdict:
    """Return the verdict. The same evidence and rubric give the same verdict, always."""
    if evidence.ended is not Ended.COMPLETED:
        outcome, headline = _ENDS[evidence.ended]
        return Verdict(
            outcome=outcome,
            headline=headline,
            exercise=exercise,
            exercise_version=rubric.version,
            message=evidence.message,
            learner_error=evidence.learner_error,
            versions=evidence.versions,
            seconds=evidence.phases,
        )
    observed = Observed(rubric=rubric, evidence=evidence, reference=reference)
    results = tuple(row for check in rubric.checks for row in _results(check, observed))
    outcome = outcome_of(results)
    return Verdict(
        outcome=outcome,
        headline=headline_of(outcome, results),
        exercise=exercise,
        exercise_version=rubric.version,
        results=results,
        is_complete=all(row.status is not Status.NOT_CHECKED for row in results),
        message=evidence.message,
        versions=evidence.versions,
        seconds=evidence.phases,
    )


def _results(check: ProgramCheck, observed: Observed) -> Iterator[CheckResult]:
    name = str(check.__struct_config__.tag)
    for backend, finding in _findings(check, observed):
        yield result(check, name=name, backend=backend, why=_WHYS[type(check)], finding=finding)


def _findings(check: ProgramCheck, observed: Observed) -> Iterator[tuple[str, Finding]]:
    if isinstance(check, Answer):
        yield "data", judge_answers(observed)
    elif isinstance(check, Compilations):
        yield Backend.CPU.value, amounts.judge_compilations(check, observed)
    elif isinstance(check, Values):
        missing = unusable(observed, Backend.CPU)
        yield Backend.CPU.value, missing or values.judge_values(check, observed)
    else:
        for backend in backends_of(observed.rubric, check):
            if isinstance(check, Overlap | Time) and backend is Backend.CPU:
                continue
            missing = unusable(observed, backend)
            yield backend.value, missing or _compiled_finding(check, observed, backend)


def _compiled_finding(check: ProgramCheck, observed: Observed, backend: Backend) -> Finding:
    programs = compiled_for(observed.evidence.programs, backend)
    reference = compiled_for(observed.reference.programs, backend)
    match check:
        case OutputSharding():
            finding = shardings.judge_output_sharding(check, observed, programs)
        case Collectives():
            finding = communication.judge_collectives(check, programs)
        case Traffic():
            finding = amounts.judge_traffic(check, programs, reference)
        case Memory():
            finding = amounts.judge_memory(check, programs, reference)
        case Flops():
            finding = amounts.judge_flops(check, programs, reference)
        case Overlap():
            finding = amounts.judge_overlap(check, programs)
        case Time():
            finding = amounts.judge_time(check, programs, reference)
        case _:
            raise TypeError(f"{type(check).__name__} is not judged on a compiled program")
    return finding
