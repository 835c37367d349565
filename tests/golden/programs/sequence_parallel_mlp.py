"""Megatron with sequence parallelism by hand: gather the sequence, scatter the sum."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def mlp(x, w1, w2):
        full = jax.lax.all_gather(x, "model", axis=0, tiled=True)
        h = jax.nn.relu(full @ w1)
        return jax.lax.psum_scatter(h @ w2, "model", scatter_dimension=0, tiled=True)

    rows, columns = P(("data", "model"), None), P(None, "model")
    return jax.jit(
        jax.shard_map(mlp, mesh=mesh, in_specs=(rows, columns, P("model", None)), out_specs=rows)
    )


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct(
            (2048, 512), jnp.float32, sharding=NamedSharding(mesh, P(("data", "model"), None))
        ),
        jax.ShapeDtypeStruct((512, 1024), jnp.float32, sharding=NamedSharding(mesh, P(None, "model"))),
        jax.ShapeDtypeStruct((1024, 512), jnp.float32, sharding=NamedSharding(mesh, P("model", None))),
    )
