"""Two layers of weights gathered where they are used, their gradients scattered."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def loss(weights, x):
    for weight in weights:
        whole = jax.lax.with_sharding_constraint(weight, P(None, None))
        x = jnp.tanh(x @ whole)
    return jnp.sum(x.astype(jnp.float32) ** 2)


def build(mesh):
    shards = NamedSharding(mesh, P("fsdp", None))
    return jax.jit(jax.grad(loss), out_shardings=[shards] * 2)


def example_args(mesh):
    shards = NamedSharding(mesh, P("fsdp", None))
    weight = jax.ShapeDtypeStruct((1024, 1024), jnp.bfloat16, sharding=shards)
    return [weight] * 2, jax.ShapeDtypeStruct((8192, 1024), jnp.bfloat16, sharding=shards)
