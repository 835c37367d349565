"""Experts on different devices: tokens go to their expert and back by two all-to-alls."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def layer(tokens, w):
        # tokens: [experts, capacity, width] on each device, by the expert that each is meant for
        mine = jax.lax.all_to_all(tokens, "expert", split_axis=0, concat_axis=1, tiled=True)
        h = jnp.einsum("ecd,edf->ecf", mine, w)
        return jax.lax.all_to_all(h, "expert", split_axis=1, concat_axis=0, tiled=True)

    spec = P(None, ("data", "expert"), None)
    return jax.jit(
        jax.shard_map(layer, mesh=mesh, in_specs=(spec, P("expert", None, None)), out_specs=spec)
    )


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct(
            (8, 512, 256), jnp.float32, sharding=NamedSharding(mesh, P(None, ("data", "expert"), None))
        ),
        jax.ShapeDtypeStruct(
            (8, 256, 256), jnp.float32, sharding=NamedSharding(mesh, P("expert", None, None))
        ),
    )
