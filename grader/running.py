"""Takes one program through both stages: traces it, compiles and runs it, reads the reports."""

import dataclasses
from typing import Final

from grader.core.draws import Call
from grader.core.evidence import Ended, Evidence, ProgramEvidence, RunEvidence
from grader.core.gathering import (
    AnyProgram,
    RunProblemError,
    Sizes,
    arguments,
    failed_run,
    flat_order,
    input_tensors,
    run_evidence,
    specs_from,
    trial,
    walk_limits,
)
from grader.core.hlo import HloError
from grader.core.inspection import read_report
from grader.core.rubric import ProgramSetRubric
from grader.ending import without_report
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
)

_OVER_A_CAP: Final = (LearnerErrorKind.SOURCE_TOO_LARGE, LearnerErrorKind.PROGRAM_TOO_LARGE)
_TRACE_SECONDS: Final = 20.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One source to trace once, compile for every target, and run on every call's inputs.

    With `split` the inputs lie on the mesh as the rubric says, without it whole on every device.
    `sizes` are those of named lengths; the calls' inputs have them already.
    """

    rubric: AnyProgram
    source: bytes
    mesh: MeshSpec
    targets: tuple[Target, ...]
    calls: tuple[Call, ...]
    sizes: Sizes = dataclasses.field(default_factory=dict)
    split: bool = True
    holder: Holder | None = None


def run_job(job: Job) -> Evidence:
    """Return what was observed, or why nothing could be. Raises SandboxUnavailableError."""
    traced = _traced(job)
    return traced if isinstance(traced, Evidence) else _compiled(job, traced)


def _traced(job: Job) -> TraceReport | Evidence:
    """Return the report of a program that was traced, else evidence that says why it was not."""
    request = TraceRequest(
        source=job.source,
        mesh=job.mesh,
        arguments=arguments(job.rubric, split=job.split, sizes=job.sizes),
        specs_from=specs_from(job.rubric) if job.split else SpecsFrom.REQUEST,
    )
    end = run_trace(request, limits=RunLimits(wall_seconds=_TRACE_SECONDS), holder=job.holder)
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


def _compiled(job: Job, traced: TraceReport) -> Evidence:
    seconds = job.rubric.limits.compile_seconds + job.rubric.limits.run_seconds
    request = CompileRequest(
        artefact=traced.artefact,
        mesh=job.mesh,
        inputs=input_tensors(job.rubric, split=job.split, sizes=job.sizes),
        outputs=None,  # a wrong shape is for the checks to tell, beside everything else
        targets=job.targets,
        limits=walk_limits(job.rubric),
        trials=tuple(trial(call.run, call.inputs) for call in job.calls),
    )
    end = run_compile(request, limits=RunLimits(wall_seconds=seconds), holder=job.holder)
    if end.report is None:
        return without_report(end, "Compiling and running", seconds)
    if end.report.refusal:
        return Evidence(
            ended=Ended.LEARNER_ERROR, message=f"The program is refused: {end.report.refusal}"
        )
    phases = {f"trace.{phase.name}": phase.seconds for phase in traced.phases}
    return dataclasses.replace(
        _read(job, end.report),
        versions=end.report.versions,
        phases={**phases, "compile": end.seconds},
    )


def _read(job: Job, report: CompileReport) -> Evidence:
    cpu = next(one for one in report.backends if one.target.backend is Backend.CPU)
    if (stopped := failed_run(cpu)) is not None:
        limit = stopped.status is RunStatus.TOO_LARGE
        return Evidence(
            ended=Ended.LIMIT if limit else Ended.LEARNER_ERROR,
            message=f"Running the program ended with: {stopped.message}",
        )
    if taken := _unasked_donation(job.rubric, cpu.inputs):
        return Evidence(
            ended=Ended.LEARNER_ERROR,
            message=f"The program donates {taken}, which the exercise still needs afterwards.",
        )
    axes = {axis.name: axis.size for axis in job.mesh.axes}
    runs = tuple(call.run for call in job.calls)
    outcomes: tuple[RunEvidence, ...] = ()
    try:
        if cpu.runs:
            outcomes = run_evidence(cpu, runs, axes=axes)
        inspections = tuple(
            read_report(one, mesh=job.mesh, versions=report.versions) for one in report.backends
        )
    except (RunProblemError, HloError) as error:
        return Evidence(ended=Ended.OUR_FAULT, message=str(error))
    # A budget is for one execution; only the programs of a set share out what all calls cost.
    calls = len(runs) if isinstance(job.rubric, ProgramSetRubric) else 1
    program = ProgramEvidence(backends=inspections, calls=calls)
    return Evidence(programs=(program,), runs=outcomes)


def _unasked_donation(rubric: AnyProgram, layouts: tuple[TensorLayout, ...]) -> str:
    names = flat_order(tuple(rubric.inputs))
    return ", ".join(
        name
        for name, layout in zip(names, layouts, strict=False)
        if layout.donated and not rubric.inputs[name].donated
    )
