"""Each collective over an axis that crosses slices, which travels between them."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

ROWS = P(("slice", "data", "model"), None)


def build(mesh):
    n = mesh.shape["slice"]

    def run(x):
        x = jax.lax.psum(x, "slice")
        x = jax.lax.all_gather(x, "slice", axis=0, tiled=True) * 2
        x = jax.lax.psum_scatter(jnp.sin(x), "slice", scatter_dimension=0, tiled=True)
        x = jax.lax.ppermute(x, "slice", [(i, (i + 1) % n) for i in range(n)])
        return jax.lax.all_to_all(jnp.cos(x), "slice", split_axis=0, concat_axis=0, tiled=True)

    return jax.jit(
        jax.shard_map(run, mesh=mesh, in_specs=ROWS, out_specs=ROWS, check_vma=False)
    )


def example_args(mesh):
    sharding = NamedSharding(mesh, ROWS)
    return (jax.ShapeDtypeStruct((4096, 512), jnp.bfloat16, sharding=sharding),)
