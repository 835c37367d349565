"""Weights sharded over both axes: the second gather can run behind the first product."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(w1, w2, x):
        h = jax.nn.relu(x @ w1)
        return jax.lax.with_sharding_constraint(h @ w2, P("data", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((2048, 4096), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", "model"))),
        jax.ShapeDtypeStruct((4096, 2048), jnp.bfloat16, sharding=NamedSharding(mesh, P("model", "data"))),
        jax.ShapeDtypeStruct((4096, 2048), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
    )
