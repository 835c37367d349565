import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

ROWS = 4 * 2048


def loss(w, rows):
    return jnp.sum(jnp.square(jnp.tanh(rows @ w))) / ROWS


def build(mesh):
    @jax.jit
    def accumulate(w, batches):
        def add(total, rows):
            return total + jax.grad(loss)(w, rows), None

        total, _ = lax.scan(add, jnp.zeros_like(w), batches)
        return lax.with_sharding_constraint(total, P())

    return accumulate
