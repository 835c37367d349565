"""Gradient accumulation: a reduction that stands in a loop and that a compiler may move out of it."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def loss(w, x):
        return jnp.tanh(x @ w).sum()

    @jax.jit
    def step(w, xs):
        def body(total, x):
            return total + jax.grad(loss)(w, x), None

        total, _ = jax.lax.scan(body, jnp.zeros_like(w), xs)
        return w - total

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((512, 256), jnp.float32, sharding=NamedSharding(mesh, P())),
        jax.ShapeDtypeStruct(
            (4, 1024, 512), jnp.float32, sharding=NamedSharding(mesh, P(None, "data", None))
        ),
    )
