"""Data parallelism over two slices: scatter inside, reduce between them, gather inside."""

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
        return w - 0.1 * g

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 1024), jnp.bfloat16, sharding=NamedSharding(mesh, P(None, "model"))),
        jax.ShapeDtypeStruct(
            (512, 1024), jnp.bfloat16, sharding=NamedSharding(mesh, P(("slice", "data"), None))
        ),
    )
