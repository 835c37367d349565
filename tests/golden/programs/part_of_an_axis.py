"""Reductions over pairs within an axis of eight: groups that are a part of an axis."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def run(x):
        minor = [[0, 1], [2, 3], [4, 5], [6, 7]]
        major = [[0, 4], [1, 5], [2, 6], [3, 7]]
        odd = [[0, 3], [1, 2], [4, 7], [5, 6]]
        x = jax.lax.psum(x, "x", axis_index_groups=minor)
        x = jax.lax.psum(jnp.sin(x), "x", axis_index_groups=major)
        return jax.lax.psum(jnp.sin(x), "x", axis_index_groups=odd)

    spec = P("x", None)
    return jax.jit(
        jax.shard_map(run, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    )


def example_args(mesh):
    sharding = NamedSharding(mesh, P("x", None))
    return (jax.ShapeDtypeStruct((1024, 256), jnp.float32, sharding=sharding),)
