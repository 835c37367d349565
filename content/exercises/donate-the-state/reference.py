import jax
import jax.numpy as jnp

RATE, KEEP_M, KEEP_V, EPSILON = 1e-3, 0.9, 0.95, 1e-8


def adam(state, grad):
    """Return the next state; m is kept in bfloat16 and worked on in float32."""
    m = KEEP_M * state["m"].astype(jnp.float32) + (1 - KEEP_M) * grad
    v = KEEP_V * state["v"] + (1 - KEEP_V) * jnp.square(grad)
    w = state["w"] - RATE * m / (jnp.sqrt(v) + EPSILON)
    return {"w": w, "m": m.astype(jnp.bfloat16), "v": v}


def build(mesh):
    return jax.jit(adam, donate_argnames="state")


def plain(mesh):
    return jax.jit(adam)
