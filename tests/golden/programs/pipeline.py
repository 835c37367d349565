"""A pipeline: in each of m + p - 1 ticks a stage works and hands its microbatch to the next."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

MICROBATCHES, ROWS, WIDTH = 6, 64, 256


def build(mesh):
    stages = mesh.shape["pipe"]

    def run(w, x):
        stage = jax.lax.axis_index("pipe")

        def tick(carry, t):
            arriving, done = carry
            fresh = x[jnp.clip(t, 0, MICROBATCHES - 1)]
            y = jnp.tanh(jnp.where(stage == 0, fresh, arriving) @ w[0])
            slot = jnp.clip(t - stages + 1, 0, MICROBATCHES - 1)
            done = done.at[slot].set(y)
            arriving = jax.lax.ppermute(y, "pipe", [(i, i + 1) for i in range(stages - 1)])
            return (arriving, done), None

        start = (jax.lax.pcast(x[0] * 0, "pipe", to="varying"), jax.lax.pcast(x * 0, "pipe", to="varying"))
        (_, done), _ = jax.lax.scan(tick, start, jnp.arange(MICROBATCHES + stages - 1))
        return done[None]

    return jax.jit(
        jax.shard_map(run, mesh=mesh, in_specs=(P("pipe", None, None), P()), out_specs=P("pipe"))
    )


def example_args(mesh):
    stages = mesh.shape["pipe"]
    return (
        jax.ShapeDtypeStruct(
            (stages, WIDTH, WIDTH), jnp.float32, sharding=NamedSharding(mesh, P("pipe", None, None))
        ),
        jax.ShapeDtypeStruct((MICROBATCHES, ROWS, WIDTH), jnp.float32, sharding=NamedSharding(mesh, P())),
    )
