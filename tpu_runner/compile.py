"""Stage 2: checks an artefact and reports what each compiler makes of it. Runs no learner code."""

import importlib.metadata
import math
import platform
from typing import Any

import jax
import jaxlib.version
from jax.experimental import topologies
from jax.sharding import Mesh

from tpu_runner.artefact import ArtefactRefusedError, Program, open_artefact
from tpu_runner.executable import LoadedProgram, load_program
from tpu_runner.layouts import layouts
from tpu_runner.meshes import (
    MeshDoesNotFitError,
    abstract_mesh,
    check_first_axis,
    check_fit,
    cpu_mesh,
    places,
    tpu_mesh,
)
from tpu_runner.protocol import (
    HLO_CAP_BYTES,
    MESSAGE_CAP_CHARACTERS,
    Backend,
    BackendReport,
    BackendStatus,
    CompileOutcome,
    CompileReport,
    CompileRequest,
    MemoryBytes,
    MeshSpec,
    Target,
    TrialRun,
    Versions,
)
from tpu_runner.run import run_trials
from tpu_runner.stopwatch import Stopwatch
from tpu_runner.topologies import UnknownTopologyError, find_slice


class NoTpuCompilerError(Exception):
    """This host has no libtpu."""


def compile_program(request: CompileRequest) -> CompileReport:
    """Return what stage 2 finds: a refusal of the artefact, or a report for each target."""
    watch = Stopwatch()
    try:
        with watch.phase("check"):
            program = open_artefact(
                request.artefact,
                mesh=abstract_mesh(request.mesh),
                inputs=request.inputs,
                outputs=request.outputs,
                limits=request.limits,
            )
    except ArtefactRefusedError as error:
        return _report(request, watch, refusal=str(error))
    backends = tuple(_compile_for(target, program, request) for target in request.targets)
    return _report(request, watch, program=program, backends=backends)


def versions() -> Versions:
    """Return the versions of what this process compiles with."""
    try:
        libtpu = importlib.metadata.version("libtpu")
    except importlib.metadata.PackageNotFoundError:
        libtpu = None
    return Versions(
        python=platform.python_version(),
        jax=jax.__version__,
        jaxlib=jaxlib.version.__version__,
        libtpu=libtpu,
    )


def target_mesh(target: Target, spec: MeshSpec) -> Mesh:
    """Return the mesh over the target's devices.

    Raises UnknownTopologyError, MeshDoesNotFitError, NoTpuCompilerError.
    """
    if target.backend is Backend.CPU:
        check_first_axis(spec, slices=target.slices)
        return cpu_mesh(spec)
    slice_ = find_slice(target.topology or "")
    check_fit(spec, slice_=slice_, slices=target.slices)
    if versions().libtpu is None:
        raise NoTpuCompilerError("Not checked on this host: libtpu is not installed.")
    options: dict[str, Any] = {"num_slices": target.slices} if target.slices > 1 else {}
    if math.prod(slice_.shape) == 1:
        options["chips_per_host_bounds"] = (1, 1, 1)  # a host has four chips unless told otherwise
    description = topologies.get_topology_desc(slice_.name, platform="tpu", **options)
    return tpu_mesh(spec, description.devices, slice_=slice_, slices=target.slices)


def _compile_for(target: Target, program: Program, request: CompileRequest) -> BackendReport:
    watch = Stopwatch()
    try:
        with watch.phase("mesh"):
            mesh = target_mesh(target, request.mesh)
        with watch.phase("compile"):
            compiled = load_program(program, mesh)
        text = compiled.as_text()
        if len(text) > HLO_CAP_BYTES:
            message = f"The compiled text has {len(text)} bytes, more than {HLO_CAP_BYTES}."
            return _failed(target, BackendStatus.COMPILER_ERROR, message, watch)
        runs: tuple[TrialRun, ...] = ()
        if target.backend is Backend.CPU:
            with watch.phase("run"):
                runs = run_trials(request.trials, program, compiled, mesh)
        with watch.phase("report"):
            return _compiled_report(target, program, mesh, compiled, text, runs, watch)
    except UnknownTopologyError as error:
        return _failed(target, BackendStatus.UNKNOWN_TOPOLOGY, str(error), watch)
    except MeshDoesNotFitError as error:
        return _failed(target, BackendStatus.MESH_DOES_NOT_FIT, str(error), watch)
    except NoTpuCompilerError as error:
        return _failed(target, BackendStatus.NOT_CHECKED, str(error), watch)
    except Exception as error:  # noqa: BLE001 - a compiler may fail in any way; the report says which
        return _failed(target, BackendStatus.COMPILER_ERROR, str(error), watch)


def _compiled_report(
    target: Target,
    program: Program,
    mesh: Mesh,
    compiled: LoadedProgram,
    text: str,
    runs: tuple[TrialRun, ...],
    watch: Stopwatch,
) -> BackendReport:
    exported = program.exported
    device = mesh.devices.flat[0]
    used = iter(compiled.input_shardings)
    return BackendReport(
        target=target,
        status=BackendStatus.COMPILED,
        message="",
        device_kind=device.device_kind,
        platform_version=str(getattr(device.client, "platform_version", "")),
        hlo_text=text,
        memory=_memory(compiled.memory_analysis()),
        devices=places(mesh),
        inputs=layouts(
            exported.in_avals,
            [next(used) if is_kept else None for is_kept in program.kept],
            mesh,
            donated=program.donated,
        ),
        outputs=layouts(
            exported.out_avals,
            compiled.output_shardings,
            mesh,
            donated=(False,) * len(exported.out_avals),
        ),
        phases=tuple(watch.phases),
        runs=runs,
    )


def _memory(stats: Any) -> MemoryBytes | None:
    if stats is None:
        return None
    peak = getattr(stats, "peak_memory_in_bytes", None)
    return MemoryBytes(
        argument=stats.argument_size_in_bytes,
        output=stats.output_size_in_bytes,
        temp=stats.temp_size_in_bytes,
        alias=stats.alias_size_in_bytes,
        peak=peak,
        generated_code=stats.generated_code_size_in_bytes,
    )


def _failed(target: Target, status: BackendStatus, message: str, watch: Stopwatch) -> BackendReport:
    return BackendReport(
        target=target,
        status=status,
        message=message[:MESSAGE_CAP_CHARACTERS],
        device_kind="",
        platform_version="",
        hlo_text="",
        memory=None,
        devices=(),
        inputs=(),
        outputs=(),
        phases=tuple(watch.phases),
    )


def _report(
    request: CompileRequest,
    watch: Stopwatch,
    *,
    refusal: str = "",
    program: Program | None = None,
    backends: tuple[BackendReport, ...] = (),
) -> CompileReport:
    return CompileReport(
        outcome=CompileOutcome.REFUSED if program is None else CompileOutcome.ACCEPTED,
        refusal=refusal[:MESSAGE_CAP_CHARACTERS],
        module=program.summary if program is not None else None,
        mesh=request.mesh,
        versions=versions(),
        backends=backends,
        phases=tuple(watch.phases),
    )
