import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    @jax.shard_map(in_specs=(P(None, "data", None), P("data", None)), out_specs=P("data", None))
    def stack(ws, x):
        def layer(carry, step):
            x, kept = carry
            w = lax.dynamic_index_in_dim(ws, step, keepdims=False)
            whole = lax.all_gather(w, "data", axis=0, tiled=True)
            kept = lax.dynamic_update_index_in_dim(kept, whole, step, axis=0)
            return (jnp.tanh(x @ whole), kept), None

        kept = lax.pcast(jnp.zeros((8, 512, 512), x.dtype), "data", to="varying")
        (y, kept), _ = lax.scan(layer, (x, kept), jnp.arange(8))
        return y + 0.0 * jnp.sum(kept)

    return stack
