"""Each manual collective once, in a row, over one axis or both."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def run(x):
        a = jax.lax.all_gather(x, "data", axis=0, tiled=True)
        b = jax.lax.psum_scatter(jnp.sin(a), "data", scatter_dimension=0, tiled=True)
        c = jax.lax.ppermute(b, "model", [(0, 1), (1, 0)])
        d = jax.lax.all_to_all(c, "data", split_axis=1, concat_axis=0, tiled=True)
        e = jax.lax.psum(d, ("data", "model"))
        return e.reshape(b.shape) + c

    spec = P("data", "model")
    return jax.jit(
        jax.shard_map(run, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    )


def example_args(mesh):
    sharding = NamedSharding(mesh, P("data", "model"))
    return (jax.ShapeDtypeStruct((1024, 512), jnp.float32, sharding=sharding),)
