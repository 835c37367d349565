import jax
from jax.sharding import PartitionSpec as P


def input_specs(mesh):
    # Which dimension of each array lies along which axis? P() is: whole on every device.
    return {"x": P("data", None), "w1": P(), "w2": P()}


def build(mesh):
    @jax.jit(out_shardings=P("data", None))
    def mlp(x, w1, w2):
        return jax.nn.gelu(x @ w1) @ w2

    return mlp
