import jax
import jax.numpy as jnp
from jax import lax

RATE, KEEP_M, KEEP_V, EPSILON = 1e-3, 0.9, 0.95, 1e-8


def adam(state, grad):
    m = KEEP_M * state["m"].astype(jnp.float32) + (1 - KEEP_M) * grad
    v = KEEP_V * state["v"] + (1 - KEEP_V) * jnp.square(grad)
    # A chain of transformations hands on whole trees: here the updates, before they are applied.
    update = lax.optimization_barrier(m / (jnp.sqrt(v) + EPSILON))
    w = state["w"] - RATE * update
    return {"w": w, "m": m.astype(jnp.bfloat16), "v": v}


def build(mesh):
    return jax.jit(adam, donate_argnames="state")
