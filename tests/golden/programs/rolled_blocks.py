"""A block and the one rolled into its place, each multiplied: shards move, nothing is gathered."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def step(x, here, there):
    return x @ here + jnp.roll(x, x.shape[0] // 2, axis=0) @ there


def build(mesh):
    return jax.jit(step)


def example_args(mesh):
    weight = jax.ShapeDtypeStruct((512, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P()))
    x = jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16, sharding=NamedSharding(mesh, P("x")))
    return x, weight, weight
