"""A contraction over one axis wanted over the other: the result changes places on the mesh."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, w):
        return jax.lax.with_sharding_constraint(x @ w, P("x", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P(None, "x"))),
        jax.ShapeDtypeStruct((512, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("x", None))),
    )
