"""A lookup in a table whose rows are sharded: each device looks up its own, then all are summed."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def lookup(table, tokens):
        rows = table.shape[0]
        local = tokens - jax.lax.axis_index("model") * rows
        inside = (local >= 0) & (local < rows)
        found = table[jnp.clip(local, 0, rows - 1)] * inside[:, None]
        return jax.lax.psum(found, "model")

    return jax.jit(
        jax.shard_map(
            lookup, mesh=mesh, in_specs=(P("model", None), P("data")), out_specs=P("data", None)
        )
    )


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct((1024, 256), jnp.float32, sharding=NamedSharding(mesh, P("model", None))),
        jax.ShapeDtypeStruct((2048,), jnp.int32, sharding=NamedSharding(mesh, P("data"))),
    )
