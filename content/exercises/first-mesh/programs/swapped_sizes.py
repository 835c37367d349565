import numpy as np
from jax.sharding import AxisType, Mesh


def build_mesh(devices):
    grid = np.array(devices).reshape(2, 4)
    return Mesh(grid, ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
