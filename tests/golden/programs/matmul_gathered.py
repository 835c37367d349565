"""A product whose weights are sharded over `data`, like its rows: the weights are gathered."""

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
        jax.ShapeDtypeStruct((4096, 1024), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
        jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
    )
