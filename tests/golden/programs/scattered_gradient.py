"""The gradient of a weight, scattered over the axis of the rows: the TPU compiler spreads it out."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, dy):
        return jax.lax.with_sharding_constraint(x.T @ dy, P("x", None))

    return step


def example_args(mesh):
    sharding = NamedSharding(mesh, P("x", None))
    return (
        jax.ShapeDtypeStruct((8192, 2048), jnp.bfloat16, sharding=sharding),
        jax.ShapeDtypeStruct((8192, 8192), jnp.bfloat16, sharding=sharding),
    )
