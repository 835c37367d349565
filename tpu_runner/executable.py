"""Hands a checked module to a compiler as JAX itself would have after lowering it.

Calling the program through `Exported.call` would wrap arguments and results in sharding
constraints of its own, which changes what the partitioner does, and would lose donation. So the
artefact's own module goes to the compiler, with the shardings that its header states.
"""

import dataclasses
from typing import Any

from jax._src import dispatch
from jax._src.interpreters import mlir, pxla
from jax._src.named_sharding import UNSPECIFIED
from jax.sharding import Mesh, NamedSharding
from jaxlib import _jax, xla_client

from tpu_runner.artefact import Program


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoadedProgram:
    """A compiled program: one sharding for each used argument and for each result."""

    executable: Any
    input_shardings: tuple[Any, ...]
    output_shardings: tuple[Any, ...]

    def as_text(self) -> str:
        """Return the optimised HLO."""
        text: str = self.executable.as_text()
        return text

    def memory_analysis(self) -> Any:
        """Return the compiler's memory figures for one device, None where it has none."""
        return self.executable.memory_analysis()


def load_program(program: Program, mesh: Mesh) -> LoadedProgram:
    """Compile the program for the mesh's devices.

    Arguments that the program does not use are no parameters of the executable. Donation comes
    with the module. Raises whatever the compiler raises.
    """
    exported = program.exported
    used = exported.module_kept_var_idx
    avals = [exported.in_avals[index] for index in used]
    inputs = exported._in_named_shardings  # noqa: SLF001 - the public accessor wants one mesh for all
    outputs = exported._out_named_shardings  # noqa: SLF001 - as above
    platform = mesh.devices.flat[0].platform
    with mlir.make_ir_context():
        module = _jax.mlir.deserialize_portable_artifact(exported.mlir_module_serialized)
        executable = pxla.UnloadedMeshExecutable.from_hlo(
            f"jit_{exported.fun_name}",
            module,
            global_in_avals=avals,
            global_out_avals=exported.out_avals,
            in_shardings=[_on_mesh(inputs[index], mesh) for index in used],
            out_shardings=[_on_mesh(one, mesh) for one in outputs],
            tuple_args=dispatch.should_tuple_args(len(avals), platform),
            unordered_effects=[],
            ordered_effects=[],
            host_callbacks=[],
            keepalive=None,
            kept_var_idx=set(range(len(avals))),
            backend=mesh.devices.flat[0].client,
            device_list=xla_client.DeviceList(tuple(mesh.devices.flat)),
            committed=True,
            in_layouts=[None] * len(avals),
            out_layouts=[None] * len(exported.out_avals),
            compiler_options_kvs=(),
            num_devices=mesh.devices.size,
            context_mesh=mesh,
        )
    return LoadedProgram(
        executable=executable,
        input_shardings=tuple(executable._in_shardings),  # noqa: SLF001 - the public view wants trees
        output_shardings=tuple(executable._out_shardings),  # noqa: SLF001 - as above
    )


def _on_mesh(sharding: NamedSharding | None, mesh: Mesh) -> Any:
    """Return the header's sharding over real devices; a scalar's may have a mesh without axes."""
    if sharding is None:
        return UNSPECIFIED
    return NamedSharding(mesh, sharding.spec, memory_kind=sharding.memory_kind)
