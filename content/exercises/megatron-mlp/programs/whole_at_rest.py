import jax
from jax import lax
from jax.sharding import PartitionSpec as P


def input_specs(mesh):
    return {"x": P("data", None), "w1": P(), "w2": P()}


def build(mesh):
    @jax.jit(out_shardings=P("data", None))
    def mlp(x, w1, w2):
        w1 = lax.with_sharding_constraint(w1, P(None, "model"))
        w2 = lax.with_sharding_constraint(w2, P("model", None))
        return jax.nn.gelu(x @ w1) @ w2

    return mlp
