"""Tokens sent to the devices of their experts, as many as each gets: a ragged all-to-all."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

TOKENS, WIDTH = 1024, 512


def build(mesh):
    def exchange(tokens, received, starts, sizes, places, expected):
        return jax.lax.ragged_all_to_all(
            tokens, received, starts, sizes, places, expected, axis_name="expert"
        )

    rows = P("expert")
    mapped = jax.shard_map(
        exchange, mesh=mesh, in_specs=(rows,) * 6, out_specs=rows, check_vma=False
    )
    return jax.jit(mapped)


def example_args(mesh):
    devices = mesh.size

    def rows(shape, dtype):
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P("expert")))

    block = rows((devices * TOKENS, WIDTH), jnp.bfloat16)
    table = rows((devices * devices,), jnp.int32)
    return block, block, table, table, table, table
