import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

ROWS = 256


def loss(w, x):
    """Return the rows' part of the mean over all rows."""
    return jnp.sum(jnp.square(jax.nn.gelu(x @ w))) / ROWS


def build(mesh):
    @jax.jit
    @jax.shard_map(
        in_specs=(P("data", None), P("data", None)),
        out_specs=(P(), P("data", None), P("data", None)),
    )
    def loss_and_gradients(w, x):
        # On each device w: f32[64, 512] and x: f32[32, 512], a block of rows of each.
        raise NotImplementedError

    return loss_and_gradients
