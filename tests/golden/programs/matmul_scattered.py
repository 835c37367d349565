"""A sharded contraction whose rows are wanted sharded over the same axis too: a reduce-scatter."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, w):
        return jax.lax.with_sharding_constraint(x @ w, P(("data", "model"), None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 2048), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", "model"))),
        jax.ShapeDtypeStruct((2048, 1024), jnp.bfloat16, sharding=NamedSharding(mesh, P("model", None))),
    )
