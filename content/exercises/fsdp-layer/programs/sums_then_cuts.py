import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

ROWS = 256


def loss(w, x):
    return jnp.sum(jnp.square(jax.nn.gelu(x @ w))) / ROWS


def build(mesh):
    @jax.jit
    @jax.shard_map(
        in_specs=(P("data", None), P("data", None)),
        out_specs=(P(), P("data", None), P("data", None)),
    )
    def loss_and_gradients(w, x):
        whole = lax.all_gather(w, "data", axis=0, tiled=True)
        part, (grad, grad_x) = jax.value_and_grad(loss, argnums=(0, 1))(whole, x)
        rows = w.shape[0]
        grad_w = lax.dynamic_slice_in_dim(
            lax.psum(grad, "data"), lax.axis_index("data") * rows, rows, axis=0
        )
        return lax.psum(part, "data"), grad_w, grad_x

    return loss_and_gradients
