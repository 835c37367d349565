"""A product whose contracted dimension is sharded: partial sums, so an all-reduce over `model`."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, w):
        return jax.lax.with_sharding_constraint(x @ w, P("data", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", "model"))),
        jax.ShapeDtypeStruct((512, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("model", None))),
    )
