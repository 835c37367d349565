"""A product whose operand is gathered, one whose result is scattered, on rings within each slice."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

ROWS = P(("slice", "data"), "model")


def mlp(x, up, down):
    hidden = jax.nn.relu(x @ up)
    return jax.lax.with_sharding_constraint(hidden @ down, ROWS)


def build(mesh):
    return jax.jit(mlp)


def example_args(mesh):
    def array(shape, spec):
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(mesh, spec))

    return (
        array((16384, 4096), ROWS),
        array((4096, 8192), P(None, "model")),
        array((8192, 4096), P("model", None)),
    )
