"""Grades a source: traces it, compiles and runs it, does the same to the reference, and judges."""

import dataclasses
import secrets
from collections.abc import Collection, Mapping
from typing import Final

from grader.answering import answers_of
from grader.core.draws import SEEDS, drawn_calls, padded
from grader.core.evidence import Array, CaseRun, Ended, Evidence, Reference
from grader.core.gathering import PLAIN, AnyProgram, mesh_spec, one_device, targets
from grader.core.judging import judge
from grader.core.rubric import DataRubric, ProgramSetRubric
from grader.core.verdict import Verdict
from grader.exercises import Exercise
from grader.program_sets import run_set
from grader.running import Job, run_job
from grader.sandbox.holding import Holder
from tpu_runner.protocol import Backend

ALL_BACKENDS: Final = frozenset(Backend)


class NotGradedError(Exception):
    """Our fault, or an author's: the reference itself cannot be run. Costs no attempt."""


def draw_seeds() -> tuple[int, ...]:
    """Return seeds that no program can have been written for."""
    return tuple(secrets.randbits(48) for _ in range(SEEDS))


def grade(
    exercise: Exercise,
    source: bytes,
    *,
    reference: Reference,
    seeds: tuple[int, ...],
    backends: Collection[Backend] = ALL_BACKENDS,
    holder: Holder | None = None,
) -> Verdict:
    """Return the verdict on a source. `reference` is that of the same seeds and backends.

    Raises SandboxUnavailableError.
    """
    if isinstance(exercise.rubric, DataRubric):
        evidence = answers_of(
            exercise.rubric, source, exercise=exercise.slug, seed=seeds[0], holder=holder
        )
    else:
        evidence = _program_evidence(
            exercise, exercise.rubric, source, seeds=seeds, backends=backends, holder=holder
        )
    return judge(
        exercise=exercise.slug, rubric=exercise.rubric, evidence=evidence, reference=reference
    )


def measure_reference(
    exercise: Exercise,
    *,
    seeds: tuple[int, ...],
    backends: Collection[Backend] = ALL_BACKENDS,
    holder: Holder | None = None,
) -> Reference:
    """Return what the author's program does and the values that the plain one gives.

    Raises NotGradedError where either does not run, SandboxUnavailableError.
    """
    rubric = exercise.rubric
    if isinstance(rubric, DataRubric):
        own = answers_of(
            rubric, exercise.reference, exercise=exercise.slug, seed=seeds[0], holder=holder
        )
    else:
        own = _program_evidence(
            exercise, rubric, exercise.reference, seeds=seeds, backends=backends, holder=holder
        )
    if own.ended is not Ended.COMPLETED:
        said = own.learner_error.message if own.learner_error else own.message
        raise NotGradedError(f"the reference of {exercise.slug} cannot be graded: {said}")
    if isinstance(rubric, DataRubric):
        return Reference(answers=own.answers)
    return Reference(
        programs=own.programs, expected=_expected(exercise, rubric, seeds=seeds, holder=holder)
    )


def _program_evidence(
    exercise: Exercise,
    rubric: AnyProgram,
    source: bytes,
    *,
    seeds: tuple[int, ...],
    backends: Collection[Backend],
    holder: Holder | None,
) -> Evidence:
    job = Job(
        rubric=rubric,
        source=source,
        mesh=mesh_spec(rubric.mesh),
        targets=targets(rubric, backends),
        calls=drawn_calls(rubric, exercise=exercise.slug, seeds=seeds),
        holder=holder,
    )
    return run_set(job, rubric) if isinstance(rubric, ProgramSetRubric) else run_job(job)


def _expected(
    exercise: Exercise,
    rubric: AnyProgram,
    *,
    seeds: tuple[int, ...],
    holder: Holder | None,
) -> Mapping[CaseRun, tuple[Array, ...]]:
    """Return the outputs of the reference's `plain` on one device, for every call.

    In a program_set it is called with the greatest length: the length is an argument too.
    """
    calls = drawn_calls(rubric, exercise=exercise.slug, seeds=seeds)
    sizes: dict[str, int] = {}
    if isinstance(rubric, ProgramSetRubric):
        greatest = rubric.calls.greatest
        sizes = {rubric.calls.name: greatest}
        calls = tuple(
            dataclasses.replace(call, inputs=padded(rubric, call.inputs, greatest))
            for call in calls
        )
    evidence = run_job(
        Job(
            rubric=rubric,
            source=exercise.reference + PLAIN.encode(),
            mesh=one_device(rubric.mesh),
            targets=targets(rubric, ()),
            calls=calls,
            sizes=sizes,
            split=False,
            holder=holder,
        )
    )
    if evidence.ended is not Ended.COMPLETED:
        said = evidence.learner_error.message if evidence.learner_error else evidence.message
        raise NotGradedError(f"the plain program of {exercise.slug} cannot be run: {said}")
    return {
        run.case: tuple(output.shards[0].array for output in run.outputs) for run in evidence.runs
    }
