"""Fully sharded data parallelism: a scan over layers, each gathered, gradients scattered."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

LAYERS, WIDTH, ROWS = 6, 512, 1024


def build(mesh):
    def layer(x, w):
        return jnp.tanh(x @ w), None

    def loss(ws, x):
        y, _ = jax.lax.scan(jax.checkpoint(layer), x, ws)
        return (y.astype(jnp.float32) ** 2).mean()

    @jax.jit
    def step(ws, x):
        g = jax.grad(loss)(ws, x)
        return jax.lax.with_sharding_constraint(ws - 0.1 * g, P(None, "data", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct(
            (LAYERS, WIDTH, WIDTH), jnp.bfloat16, sharding=NamedSharding(mesh, P(None, "data", None))
        ),
        jax.ShapeDtypeStruct((ROWS, WIDTH), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
    )
