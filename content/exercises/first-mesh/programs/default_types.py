import jax


def build_mesh(devices):
    return jax.make_mesh((4, 2), ("data", "model"), devices=devices)
