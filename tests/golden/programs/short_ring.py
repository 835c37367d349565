"""A weight gathered into a large product over a ring of four, its gradient scattered back."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def loss(w, x):
        return jnp.tanh(x @ w).astype(jnp.float32).sum()

    @jax.jit
    def step(w, x):
        g = jax.grad(loss)(w, x)
        return jax.lax.with_sharding_constraint(w - 0.1 * g, P("data", "model"))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((2048, 8192), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", "model"))),
        jax.ShapeDtypeStruct((16384, 2048), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
    )
