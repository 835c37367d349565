"""A reduction in a scan of three in a scan of four, and another beside it in the outer one."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def summed(x, axis):
        return jax.lax.pcast(jax.lax.psum(jnp.sin(x), axis) / 4, axis, to="varying")

    def inner(x, _):
        return summed(x, "data"), None

    def outer(x, _):
        x, _ = jax.lax.scan(inner, x, None, length=3)
        return summed(x, "model"), None

    def run(x):
        return jax.lax.scan(outer, x, None, length=4)[0]

    spec = P("data", "model")
    return jax.jit(jax.shard_map(run, mesh=mesh, in_specs=spec, out_specs=spec))


def example_args(mesh):
    sharding = NamedSharding(mesh, P("data", "model"))
    return (jax.ShapeDtypeStruct((1024, 512), jnp.float32, sharding=sharding),)
