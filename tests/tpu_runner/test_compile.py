"""Stage 2's report on one program, on the CPU and on TPU slices, against what theory says of it."""

import importlib.metadata

import pytest

from tests.tpu_runner.programs import (
    CONTRACTED_OVER_MODEL,
    CPU,
    DATA_MODEL,
    compile_request,
    mesh_spec,
    tpu,
    traced,
)
from tpu_runner.compile import compile_program, versions
from tpu_runner.protocol import (
    BackendReport,
    BackendStatus,
    CompileOutcome,
    CompileReport,
    Limits,
    Shard,
    from_frame,
    to_frame,
)

pytestmark = pytest.mark.compiler

TPU_SLICES = {
    "v2:2x2": "TPU v2",
    "v3:2x2": "TPU v3",
    "v4:2x2x1": "TPU v4",
    "v5e:2x4": "TPU v5 lite",
    "v5p:2x2x2": "TPU v5",
    "v6e:2x4": "TPU v6 lite",
    "tpu7x:2x2x1": "TPU7x",
}
WRONG = {
    "v5e:3x3": BackendStatus.UNKNOWN_TOPOLOGY,
    "v5e:4x4": BackendStatus.MESH_DOES_NOT_FIT,
}


@pytest.fixture(scope="module")
def artefact() -> bytes:
    return traced(CONTRACTED_OVER_MODEL).artefact


@pytest.fixture(scope="module")
def report(artefact: bytes) -> CompileReport:
    targets = [CPU, tpu("v5e:2x2", 2)] + [tpu(name) for name in (*TPU_SLICES, *WRONG)]
    found = compile_program(compile_request(artefact, *targets))
    assert found.outcome is CompileOutcome.ACCEPTED, found.refusal
    # All of it goes over the wire as it is.
    assert from_frame(to_frame(found), CompileReport) == found
    return found


def of(report: CompileReport, topology: str | None, slices: int = 1) -> BackendReport:
    return next(
        found
        for found in report.backends
        if (found.target.topology, found.target.slices) == (topology, slices)
    )


def test_the_cpu_report_has_text_layouts_and_memory(report: CompileReport) -> None:
    cpu = of(report, None)
    assert cpu.status is BackendStatus.COMPILED
    assert cpu.device_kind == "cpu"
    assert cpu.hlo_text.startswith("HloModule jit_step")
    assert "submission.py" in cpu.hlo_text
    state, x, unused = cpu.inputs
    assert (state.spec, state.shard_shape, state.donated) == ((("model",), ()), (32, 32), True)
    assert (x.spec, x.shard_shape, x.donated) == ((("data",), ("model",)), (16, 32), False)
    assert (unused.kept, unused.spec, unused.shards) == (False, None, None)
    new_state, y = cpu.outputs
    assert (new_state.shape, new_state.shard_shape) == ((64, 32), (32, 32))
    assert (y.spec, y.shard_shape) == ((("data",), ()), (16, 32))
    assert cpu.memory is not None
    # Two arguments are used: f32[32,32] and f32[16,32] on each device; the first is given back.
    assert cpu.memory.argument == 4 * (32 * 32 + 16 * 32)
    assert cpu.memory.alias >= 4 * 32 * 32


def test_blocks_are_listed_in_mesh_order(report: CompileReport) -> None:
    shards = of(report, None).inputs[1].shards
    assert shards is not None
    # f32[64,64] over data=4 and model=2: positions count the model axis fastest.
    assert shards[0] == Shard(start=(0, 0), stop=(16, 32))
    assert shards[1] == Shard(start=(0, 32), stop=(16, 64))
    assert shards[2] == Shard(start=(16, 0), stop=(32, 32))
    assert shards[7] == Shard(start=(48, 32), stop=(64, 64))


@pytest.mark.parametrize(("topology", "kind"), TPU_SLICES.items())
def test_every_generation_compiles_and_says_what_it_is(
    report: CompileReport, topology: str, kind: str
) -> None:
    found = of(report, topology)
    if versions().libtpu is None:
        assert found.status is BackendStatus.NOT_CHECKED
        assert "Not checked on this host" in found.message
        return
    assert found.status is BackendStatus.COMPILED, found.message
    assert found.device_kind == kind
    assert len(found.devices) == DATA_MODEL.devices
    assert found.hlo_text.startswith("HloModule jit_step")
    assert found.memory is not None
    assert found.memory.peak is not None
    assert found.memory.peak > 0
    assert [place.position for place in found.devices] == list(range(8))
    assert len({(place.coords, place.core) for place in found.devices}) == 8


def test_the_first_axis_crosses_the_slices(report: CompileReport) -> None:
    found = of(report, "v5e:2x2", 2)
    if versions().libtpu is None:
        assert found.status is BackendStatus.NOT_CHECKED
        return
    assert found.status is BackendStatus.COMPILED, found.message
    # data=4, model=2 over two slices of four: positions 0 to 3 are the first half of `data`.
    assert [place.slice_index for place in found.devices] == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(("topology", "status"), WRONG.items())
def test_a_wrong_slice_is_told_beside_the_others(
    report: CompileReport, topology: str, status: BackendStatus
) -> None:
    found = of(report, topology)
    assert found.status is status
    assert "v5e:2x4" in found.message
    assert found.hlo_text == ""


def test_without_the_tpu_compiler_nothing_is_said_of_a_tpu(
    artefact: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = importlib.metadata.version

    def without_libtpu(name: str) -> str:
        if name == "libtpu":
            raise importlib.metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(importlib.metadata, "version", without_libtpu)
    found = compile_program(compile_request(artefact, CPU, tpu("v5e:2x4"), tpu("v5e:3x3")))
    on_cpu, on_tpu, nowhere = found.backends
    assert found.versions.libtpu is None
    assert on_cpu.status is BackendStatus.COMPILED
    assert on_tpu.status is BackendStatus.NOT_CHECKED
    assert on_tpu.message == "Not checked on this host: libtpu is not installed."
    assert on_tpu.hlo_text == ""
    assert nowhere.status is BackendStatus.UNKNOWN_TOPOLOGY


def test_a_program_that_asks_for_its_platform_is_the_same_everywhere() -> None:
    # Traced once for the TPU: shown the CPU, it is still the TPU's branch, so hiding work pays not.
    source = """
import jax, jax.numpy as jnp

def build(mesh):
    def step(x):
        return jax.lax.platform_dependent(x, cpu=lambda x: x @ x, tpu=jnp.zeros_like)
    return jax.jit(step)

def example_args(mesh):
    return (jax.ShapeDtypeStruct((64, 64), jnp.float32),)
"""
    found = compile_program(compile_request(traced(source).artefact, CPU))
    assert found.backends[0].status is BackendStatus.COMPILED
    assert " dot(" not in found.backends[0].hlo_text


def test_a_limit_of_the_request_is_held(artefact: bytes) -> None:
    found = compile_program(compile_request(artefact, CPU, limits=Limits(expanded_ops=2)))
    assert found.outcome is CompileOutcome.REFUSED
    assert "more than 2 operations" in found.refusal
    assert found.backends == ()


def test_another_mesh_than_the_artefacts_is_refused(artefact: bytes) -> None:
    found = compile_program(compile_request(artefact, CPU, mesh=mesh_spec(("data", 8))))
    assert found.outcome is CompileOutcome.REFUSED
    assert "number of devices" in found.refusal or "mesh" in found.refusal
