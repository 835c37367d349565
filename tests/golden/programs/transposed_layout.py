"""Two products whose shardings name the axes in opposite orders."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    def step(x, w):
        y = jax.lax.with_sharding_constraint(jnp.sin(x), P(("model", "data"), None))
        z = jax.lax.with_sharding_constraint(y, P("model", None))
        return jax.lax.with_sharding_constraint(z @ w, P("model", None))

    return step


def example_args(mesh):
    return (
        jax.ShapeDtypeStruct(
            (1024, 512), jnp.float32, sharding=NamedSharding(mesh, P(("model", "data"), None))
        ),
        jax.ShapeDtypeStruct((512, 512), jnp.float32, sharding=NamedSharding(mesh, P("data", None))),
    )
