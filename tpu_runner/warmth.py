"""What a process does before its job arrives, so that the job finds everything loaded."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tpu_runner.compile import versions


def warm_trace() -> None:
    """Trace and export something small over two devices."""
    exported = _export_small(Mesh(np.array(jax.devices("cpu")[:2]), ("warm",)))
    exported.serialize()


def warm_compile() -> None:
    """Deserialise and compile something small for the CPU and, where there is one, for a TPU."""
    mesh = Mesh(np.array(jax.devices("cpu")[:2]), ("warm",))
    exported = export.deserialize(bytearray(_export_small(mesh).serialize()))
    meshes = [mesh]
    if versions().libtpu is not None:
        description = topologies.get_topology_desc("v5e:2x2", platform="tpu")
        meshes.append(Mesh(np.array(description.devices[:4]).reshape(2, 2)[0], ("warm",)))
    for target in meshes:
        sharding = NamedSharding(target, PartitionSpec("warm"))
        argument = jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=sharding)
        with jax.set_mesh(target):
            jax.jit(exported.call).lower(argument).compile().as_text()


def _export_small(mesh: Mesh) -> export.Exported:
    def small(x: jax.Array) -> jax.Array:
        constrained: jax.Array = jax.lax.with_sharding_constraint(jnp.tanh(x @ x), PartitionSpec())
        return constrained

    argument = jax.ShapeDtypeStruct(
        (8, 8), jnp.float32, sharding=NamedSharding(mesh, PartitionSpec("warm"))
    )
    with jax.set_mesh(mesh):
        return export.export(
            jax.jit(small),
            platforms=["tpu"],
            disabled_checks=[export.DisabledSafetyCheck.platform()],
        )(argument)
