import jax
from jax import lax
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    @jax.shard_map(in_specs=(P(None, "x"), P("x", None)), out_specs=P("x", None))
    def matmul(a, b):
        # a: f32[256, 128] and b: f32[128, 1024] on each device. Return f32[64, 1024].
        raise NotImplementedError

    return matmul
