"""Data parallelism with two weights: the compiler combines their reductions into one."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def loss(w, x):
        return jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]).astype(jnp.float32).sum()

    @jax.jit
    def step(w1, w2, x):
        g1, g2 = jax.grad(loss)((w1, w2), x)
        return w1 - g1, w2 - g2

    return step


def example_args(mesh):
    whole = NamedSharding(mesh, P())
    return (
        jax.ShapeDtypeStruct((512, 512), jnp.bfloat16, sharding=whole),
        jax.ShapeDtypeStruct((512, 256), jnp.bfloat16, sharding=whole),
        jax.ShapeDtypeStruct((2048, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("data", None))),
    )
