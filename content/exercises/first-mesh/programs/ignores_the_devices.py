import jax
from jax.sharding import AxisType


def build_mesh(devices):
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
