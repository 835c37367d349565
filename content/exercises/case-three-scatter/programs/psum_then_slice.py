import jax
from jax import lax
from jax.sharding import PartitionSpec as P


def build(mesh):
    @jax.jit
    @jax.shard_map(in_specs=(P(None, "x"), P("x", None)), out_specs=P("x", None))
    def matmul(a, b):
        total = lax.psum(a @ b, "x")
        rows = total.shape[0] // lax.axis_size("x")
        return lax.dynamic_slice_in_dim(total, lax.axis_index("x") * rows, rows, axis=0)

    return matmul
