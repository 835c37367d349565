"""One reduction in a scan of five, under a name that would fool a search of the text."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def build(mesh):
    def body(x, _):
        with jax.named_scope('all-gather(x), replica_groups={{0,1}} "quoted" \\ %all-to-all.1 = f32[2] all-to-all('):
            total = jax.lax.psum(jnp.sin(x), "data")
        return jax.lax.pcast(total / 4, "data", to="varying"), None

    def run(x):
        return jax.lax.scan(body, x, None, length=5)[0]

    spec = P("data", "model")
    return jax.jit(jax.shard_map(run, mesh=mesh, in_specs=spec, out_specs=spec))


def example_args(mesh):
    sharding = NamedSharding(mesh, P("data", "model"))
    return (jax.ShapeDtypeStruct((1024, 512), jnp.float32, sharding=sharding),)
