"""Compile a golden program as a submission is compiled: traced once, in the runner's processes."""

from tests.golden.cases import Case

from grader.inspecting import PATIENT
from grader.sandbox.launch import run_compile, run_trace
from tpu_runner.protocol import (
    AxisType,
    Backend,
    BackendReport,
    BackendStatus,
    CompileRequest,
    Limits,
    MeshAxis,
    MeshSpec,
    SpecsFrom,
    Target,
    TraceRequest,
)


def compile_source(source: str, case: Case) -> dict[str, BackendReport]:
    """Return the report of each backend of `case`; raises RuntimeError where one does not compile."""
    mesh = MeshSpec(
        axes=tuple(
            MeshAxis(name=name, size=size, type=AxisType(case.axis_types))
            for name, size in case.mesh.items()
        )
    )
    traced = run_trace(
        TraceRequest(source=source.encode(), mesh=mesh, arguments=None, specs_from=SpecsFrom.REQUEST),
        limits=PATIENT,
    )
    if traced.report is None or not traced.report.artefact:
        raise RuntimeError(f"{case.name}: {traced.log} {traced.report}")
    compiled = run_compile(
        CompileRequest(
            artefact=traced.report.artefact,
            mesh=mesh,
            inputs=None,
            outputs=None,
            targets=tuple(_target(backend, case) for backend in case.backends),
            limits=Limits(),
        ),
        limits=PATIENT,
    )
    if compiled.report is None or compiled.report.refusal:
        raise RuntimeError(f"{case.name}: {compiled.log} {compiled.report}")
    reports = dict(zip(case.backends, compiled.report.backends, strict=True))
    for report in reports.values():
        if report.status is not BackendStatus.COMPILED:
            raise RuntimeError(f"{case.name}: {report.message}")
    return reports


def _target(backend: str, case: Case) -> Target:
    if backend == "cpu":
        return Target(backend=Backend.CPU, topology=None, slices=1)
    return Target(backend=Backend.TPU_COMPILE, topology=case.topology, slices=case.slices)
