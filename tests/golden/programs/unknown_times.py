"""A loop bounded by an argument, then a branch: neither count can be known from the program."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def run(x, n):
        def turn(carry):
            i, x = carry
            total = jax.lax.psum(jnp.sin(x), "data")
            return i + 1, jax.lax.pcast(total / 4, "data", to="varying")

        _, y = jax.lax.while_loop(lambda carry: carry[0] < n, turn, (0, x))

        def reduced(y):
            return jax.lax.pcast(jax.lax.pmax(y, "model"), "model", to="varying")

        return jax.lax.cond(n > 3, reduced, lambda y: y * 2, y)

    spec = P("data", "model")
    return jax.jit(jax.shard_map(run, mesh=mesh, in_specs=(spec, P()), out_specs=spec))


def example_args(mesh):
    sharding = NamedSharding(mesh, P("data", "model"))
    return (
        jax.ShapeDtypeStruct((1024, 512), jnp.float32, sharding=sharding),
        jax.ShapeDtypeStruct((), jnp.int32, sharding=NamedSharding(mesh, P())),
    )
