"""Small programs, meshes and requests that several tests of the runner share."""

from tpu_runner.protocol import (
    AxisType,
    Backend,
    CompileRequest,
    Limits,
    MeshAxis,
    MeshSpec,
    SpecsFrom,
    Target,
    TraceOutcome,
    TraceReport,
    TraceRequest,
)
from tpu_runner.trace import trace


def mesh_spec(*axes: tuple[str, int], axis_type: AxisType = AxisType.AUTO) -> MeshSpec:
    """Return a mesh of the named axes."""
    return MeshSpec(
        axes=tuple(MeshAxis(name=name, size=size, type=axis_type) for name, size in axes)
    )


DATA_MODEL = mesh_spec(("data", 4), ("model", 2))
CPU = Target(backend=Backend.CPU, topology=None, slices=1)

# On any mesh with these two axes: a product that leaves a sum over `model` to be reduced.
CONTRACTED_OVER_MODEL = """\
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def build(mesh):
    def step(state, x, unused):
        y = jax.lax.with_sharding_constraint(x @ state, P("data", None))
        return state + 1, y

    return jax.jit(step, donate_argnums=0)


def example_args(mesh):
    def arg(shape, spec):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))

    return arg((64, 32), P("model", None)), arg((64, 64), P("data", "model")), arg((8,), P())
"""


class NoOutput:
    """In the test's own process nobody collects what is printed."""

    total = 0

    def finish(self) -> bytes:
        """Nothing was collected."""
        return b""


def tpu(topology: str, slices: int = 1) -> Target:
    """Return a TPU target."""
    return Target(backend=Backend.TPU_COMPILE, topology=topology, slices=slices)


def request(source: bytes | str, mesh: MeshSpec = DATA_MODEL) -> TraceRequest:
    """Return a request to trace a module that brings its own example arguments."""
    raw = source.encode() if isinstance(source, str) else source
    return TraceRequest(source=raw, mesh=mesh, arguments=None, specs_from=SpecsFrom.REQUEST)


def traced(source: str, mesh: MeshSpec = DATA_MODEL) -> TraceReport:
    """Trace in this process; the program has no mistakes."""
    report = trace(request(source, mesh), output=NoOutput())
    assert report.outcome is TraceOutcome.TRACED, report.error
    return report


def compile_request(
    artefact: bytes, *targets: Target, mesh: MeshSpec = DATA_MODEL, limits: Limits | None = None
) -> CompileRequest:
    """Return a request to compile an artefact whose own types are accepted."""
    return CompileRequest(
        artefact=artefact,
        mesh=mesh,
        inputs=None,
        outputs=None,
        targets=targets,
        limits=limits or Limits(),
    )
