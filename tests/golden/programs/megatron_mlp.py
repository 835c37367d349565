"""A tensor-parallel MLP: columns, then rows; one all-reduce over `model` at the end."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, w1, w2):
        h = jax.nn.gelu(x @ w1)
        return jax.lax.with_sharding_constraint(h @ w2, P("data", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
        jax.ShapeDtypeStruct((512, 2048), jnp.bfloat16, sharding=NamedSharding(mesh, P(None, "model"))),
        jax.ShapeDtypeStruct((2048, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("model", None))),
    )
