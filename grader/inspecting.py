"""Trace a program, compile it, and read what each compiler made of it."""

import dataclasses

from grader.core.inspection import Inspection, read_report
from grader.sandbox.holding import Holder
from grader.sandbox.launch import run_compile, run_trace
from grader.sandbox.slot import RunLimits, StageEnd
from tpu_runner.protocol import (
    LIBRARY_CALLS,
    CompileReport,
    CompileRequest,
    LearnerError,
    Limits,
    MeshSpec,
    SpecsFrom,
    Target,
    TraceOutcome,
    TraceReport,
    TraceRequest,
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What came of it: inspections, or the learner's mistake, or why there is neither."""

    inspections: tuple[Inspection, ...] = ()
    learner_error: LearnerError | None = None
    refusal: str = ""
    failure: str = ""


# One's own file, and no queue behind it: a large program may take its time.
PATIENT = RunLimits(wall_seconds=600, start_seconds=120, cpu_seconds=1200, memory_bytes=16 << 30)


def inspect_source(
    source: bytes,
    *,
    mesh: MeshSpec,
    targets: tuple[Target, ...],
    limits: RunLimits = PATIENT,
    holder: Holder | None = None,
) -> Inspected:
    """Trace `source` once and compile the same program for every target.

    Each stage runs in a jail, or by `holder` where one's own file is to run without. Raises
    `HloError` where a compiled text cannot be read at all, `SandboxUnavailableError` where no jail
    can be had.
    """
    traced = run_trace(
        TraceRequest(source=source, mesh=mesh, arguments=None, specs_from=SpecsFrom.REQUEST),
        limits=limits,
        holder=holder,
    )
    if traced.report is None:
        return Inspected(failure=_failure("Tracing", traced))
    if traced.report.outcome is not TraceOutcome.TRACED:
        return Inspected(learner_error=traced.report.error)
    compiled = run_compile(_request(traced.report, mesh, targets), limits=limits, holder=holder)
    if compiled.report is None:
        return Inspected(failure=_failure("Compiling", compiled))
    return read_compiled(compiled.report, mesh=mesh)


def read_compiled(report: CompileReport, *, mesh: MeshSpec) -> Inspected:
    """Read the report of the compile stage. Raises `HloError`."""
    if report.refusal:
        return Inspected(refusal=report.refusal)
    return Inspected(
        inspections=tuple(
            read_report(backend, mesh=mesh, versions=report.versions) for backend in report.backends
        )
    )


def _failure(stage: str, end: StageEnd[TraceReport] | StageEnd[CompileReport]) -> str:
    how = end.ended.value.replace("_", " ")
    return f"{stage} {how} ({end.detail}). This is no fault of the program: try again."


def _request(report: TraceReport, mesh: MeshSpec, targets: tuple[Target, ...]) -> CompileRequest:
    return CompileRequest(
        artefact=report.artefact,
        mesh=mesh,
        inputs=None,
        outputs=None,
        targets=targets,
        limits=Limits(custom_calls=LIBRARY_CALLS),
    )
