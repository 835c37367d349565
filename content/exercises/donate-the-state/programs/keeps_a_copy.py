import jax
import jax.numpy as jnp
from jax import lax

RATE, KEEP_M, KEEP_V, EPSILON = 1e-3, 0.9, 0.95, 1e-8


def adam(state, grad):
    m = KEEP_M * state["m"].astype(jnp.float32) + (1 - KEEP_M) * grad
    v = KEEP_V * state["v"] + (1 - KEEP_V) * jnp.square(grad)
    w = state["w"] - RATE * m / (jnp.sqrt(v) + EPSILON)
    return {"w": w, "m": m.astype(jnp.bfloat16), "v": v}


def step(state, grad):
    # Both states are kept whole until it is known that the new one is finite.
    new = lax.optimization_barrier(adam(state, grad))
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(new)]))
    return jax.tree.map(lambda after, before: jnp.where(finite, after, before), new, state)


def build(mesh):
    return jax.jit(step, donate_argnames="state")
