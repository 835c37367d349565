"""From a source to what the compilers made of it, through real jails."""

import pytest

from grader.inspecting import inspect_source
from tests.tpu_runner.programs import CPU, mesh_spec

pytestmark = [pytest.mark.compiler, pytest.mark.sandbox]

FACTORS = b"""\
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

def build(mesh):
    return jax.jit(lambda x: jnp.linalg.qr(x)[1])

def example_args(mesh):
    sharding = NamedSharding(mesh, P("data"))
    return (jax.ShapeDtypeStruct((8, 64, 16), jnp.float32, sharding=sharding),)
"""


def test_a_program_of_ones_own_may_call_what_jax_brings_along() -> None:
    found = inspect_source(FACTORS, mesh=mesh_spec(("data", 8)), targets=(CPU,))
    assert (found.refusal, found.failure, found.learner_error) == ("", "", None)
    (inspection,) = found.inspections
    reading = inspection.reading
    assert reading is not None
    (gather,) = reading.collectives
    # The loop over the batch runs on every device: one gather of 8 × 64 × 16 float32.
    assert (gather.kind.value, gather.axes, gather.result_bytes) == (
        "all-gather",
        ("data",),
        8 * 64 * 16 * 4,
    )
