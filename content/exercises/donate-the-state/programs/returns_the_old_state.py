import jax
import jax.numpy as jnp

RATE, KEEP_M, KEEP_V, EPSILON = 1e-3, 0.9, 0.95, 1e-8


def adam(state, grad):
    m = KEEP_M * state["m"].astype(jnp.float32) + (1 - KEEP_M) * grad
    v = KEEP_V * state["v"] + (1 - KEEP_V) * jnp.square(grad)
    w = state["w"] - RATE * m / (jnp.sqrt(v) + EPSILON)
    return {"w": w, "m": m.astype(jnp.bfloat16), "v": v}


def build(mesh):
    return jax.jit(lambda state, grad: state, donate_argnames="state")
