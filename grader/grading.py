"""Grades a source: traces it, compiles and runs it, does the same to the reference, and judges."""

import dataclasses
import secrets
from collections.abc import Collection, Mapping
from typing import Final

from grader.answering import answers_of
from grader.core.draws import SEEDS, case_runs, hidden_inputs
from grader.core.evidence import (
    Array,
    CaseRun,
    Ended,
    Evidence,
    ProgramEvidence,
    Reference,
    RunEvidence,
)
from grader.core.gathering import (
    PLAIN,
    AnyProgram,
    RunProblemError,
    arguments,
    failed_run,
    flat_order,
    input_tensors,
    mesh_spec,
    one_device,
    run_evidence,
    specs_from,
    targets,
    trial,
    walk_limits,
)
from grader.core.hlo import HloError
from grader.core.inspection import read_report
from grader.core.judging import judge
from grader.core.rubric import DataRubric, ProgramRubric
from grader.core.verdict import Verdict
from grader.ending import without_report
from grader.exercises import Exercise
from grader.sandbox.holding import Holder
from grader.sandbox.launch import run_compile, run_trace
from grader.sandbox.slot import RunLimits
from tpu_runner.protocol import (
    Backend,
    CompileReport,
    CompileRequest,
    LearnerErrorKind,
    MeshSpec,
    RunStatus,
    SpecsFrom,
    Target,
    TensorLayout,
    TraceOutcome,
    TraceReport,
    TraceRequest,
    Trial,
)

ALL_BACKENDS: Final = frozenset(Backend)
_OVER_A_CAP: Final = (LearnerErrorKind.SOURCE_TOO_LARGE, LearnerErrorKind.PROGRAM_TOO_LARGE)
_TRACE_SECONDS: Final = 20.0


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
    if not isinstance(rubric, ProgramRubric):
        return Evidence(ended=Ended.OUR_FAULT, message="program sets cannot be run yet")
    traced = _traced(
        TraceRequest(
            source=source,
            mesh=mesh_spec(rubric.mesh),
            arguments=arguments(rubric),
            specs_from=specs_from(rubric),
        ),
        holder,
    )
    if isinstance(traced, Evidence):
        return traced
    runs = case_runs(rubric, seeds)
    trials = tuple(
        trial(run, hidden_inputs(rubric, exercise=exercise.slug, run=run)) for run in runs
    )
    return _compiled(
        rubric,
        traced,
        targets(rubric, backends),
        runs=runs,
        trials=trials,
        mesh=mesh_spec(rubric.mesh),
        split=True,
        holder=holder,
    )


def _expected(
    exercise: Exercise,
    rubric: AnyProgram,
    *,
    seeds: tuple[int, ...],
    holder: Holder | None,
) -> Mapping[CaseRun, tuple[Array, ...]]:
    """Return the outputs of the reference's `plain` on one device, for every case."""
    mesh = one_device(rubric.mesh)
    traced = _traced(
        TraceRequest(
            source=exercise.reference + PLAIN.encode(),
            mesh=mesh,
            arguments=arguments(rubric, split=False),
            specs_from=SpecsFrom.REQUEST,
        ),
        holder,
    )
    runs = case_runs(rubric, seeds)
    trials = tuple(
        trial(run, hidden_inputs(rubric, exercise=exercise.slug, run=run)) for run in runs
    )
    evidence = (
        traced
        if isinstance(traced, Evidence)
        else _compiled(
            rubric,
            traced,
            targets(rubric, ())[:1],
            runs=runs,
            trials=trials,
            mesh=mesh,
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


def _traced(request: TraceRequest, holder: Holder | None) -> TraceReport | Evidence:
    """Return the report of a program that was traced, else evidence that says why it was not."""
    end = run_trace(request, limits=RunLimits(wall_seconds=_TRACE_SECONDS), holder=holder)
    if end.report is None:
        return without_report(end, "Tracing", _TRACE_SECONDS)
    if end.report.outcome is TraceOutcome.TRACED:
        return end.report
    error = end.report.error
    over = error is not None and error.kind in _OVER_A_CAP
    return Evidence(
        ended=Ended.LIMIT if over else Ended.LEARNER_ERROR,
        message=error.message if error is not None else "no program was produced",
        learner_error=error,
        phases={"trace": end.seconds},
    )


def _compiled(
    rubric: AnyProgram,
    traced: TraceReport,
    wanted: tuple[Target, ...],
    *,
    runs: tuple[CaseRun, ...],
    trials: tuple[Trial, ...],
    mesh: MeshSpec,
    split: bool,
    holder: Holder | None,
) -> Evidence:
    seconds = rubric.limits.compile_seconds + rubric.limits.run_seconds
    end = run_compile(
        CompileRequest(
            artefact=traced.artefact,
            mesh=mesh,
            inputs=input_tensors(rubric, split=split),
            outputs=None,
            targets=wanted,
            limits=walk_limits(rubric),
            trials=trials,
        ),
        limits=RunLimits(wall_seconds=seconds),
        holder=holder,
    )
    if end.report is None:
        return without_report(end, "Compiling and running", seconds)
    if end.report.refusal:
        return Evidence(
            ended=Ended.LEARNER_ERROR, message=f"The program is refused: {end.report.refusal}"
        )
    phases = {
        **{f"trace.{phase.name}": phase.seconds for phase in traced.phases},
        "compile": end.seconds,
    }
    return dataclasses.replace(
        _read(rubric, end.report, runs, mesh), versions=end.report.versions, phases=phases
    )


def _read(
    rubric: AnyProgram, report: CompileReport, runs: tuple[CaseRun, ...], mesh: MeshSpec
) -> Evidence:
    cpu = next(one for one in report.backends if one.target.backend is Backend.CPU)
    if (stopped := failed_run(cpu)) is not None:
        limit = stopped.status is RunStatus.TOO_LARGE
        return Evidence(
            ended=Ended.LIMIT if limit else Ended.LEARNER_ERROR,
            message=f"Running the program ended with: {stopped.message}",
        )
    given = _unasked_donation(rubric, cpu.inputs)
    if given:
        return Evidence(
            ended=Ended.LEARNER_ERROR,
            message=f"The program donates {given}, which the exercise still needs afterwards.",
        )
    axes = {axis.name: axis.size for axis in mesh.axes}
    try:
        outcomes: tuple[RunEvidence, ...] = run_evidence(cpu, runs, axes=axes) if cpu.runs else ()
        inspections = tuple(
            read_report(one, mesh=mesh, versions=report.versions) for one in report.backends
        )
    except (RunProblemError, HloError) as error:
        return Evidence(ended=Ended.OUR_FAULT, message=str(error))
    return Evidence(programs=(ProgramEvidence(backends=inspections),), runs=outcomes)


def _unasked_donation(rubric: AnyProgram, layouts: tuple[TensorLayout, ...]) -> str:
    names = flat_order(tuple(rubric.inputs))
    return ", ".join(
        name
        for name, layout in zip(names, layouts, strict=False)
        if layout.donated and not rubric.inputs[name].donated
    )
