import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

ROWS = 4 * 2048


def loss(w, rows):
    """Return the rows' part of the mean over all rows of all microbatches."""
    return jnp.sum(jnp.square(jnp.tanh(rows @ w))) / ROWS


def build(mesh):
    @jax.jit
    @jax.shard_map(in_specs=(P(), P(None, "data", None)), out_specs=P())
    def accumulate(w, batches):
        # batches: f32[4, 256, 128] on each device. Return the gradient of the mean loss by w.
        raise NotImplementedError

    return accumulate
