import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    @jax.shard_map(in_specs=(P(None, "data", None), P("data", None)), out_specs=P("data", None))
    def stack(ws, x):
        # Device d takes layer d whole: an all-to-all turns rows of all layers into one layer.
        mine = lax.all_to_all(ws, "data", split_axis=0, concat_axis=1, tiled=True)[0]

        def layer(x, number):
            owner = lax.axis_index("data") == number
            return jnp.tanh(x @ lax.psum(jnp.where(owner, mine, 0.0), "data")), None

        y, _ = lax.scan(layer, x, jnp.arange(ws.shape[0]))
        return y

    return stack
