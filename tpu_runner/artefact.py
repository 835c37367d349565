"""Opens an untrusted exported program: header, types and module are checked before it is used."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import export
from jax._src import core
from jax._src.interpreters import mlir
from jax.sharding import AbstractMesh, NamedSharding
from jaxlib import _jax
from jaxlib.mlir import ir

from tpu_runner.layouts import partition_spec, sharding_spec
from tpu_runner.protocol import Limits, ModuleSummary, TensorSpec
from tpu_runner.walk import ModuleRefusedError, walk_module

EXPORT_PLATFORM = "tpu"
_MEMORY_KINDS = (None, "device", "pinned_host")


class ArtefactRefusedError(Exception):
    """The artefact is not a program that may be compiled here; the message says why."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A checked artefact. `donated` and `kept` are flags for each flat argument."""

    exported: export.Exported
    summary: ModuleSummary
    donated: tuple[bool, ...]
    kept: tuple[bool, ...]


def open_artefact(
    raw: bytes,
    *,
    mesh: AbstractMesh,
    inputs: Sequence[TensorSpec] | None,
    outputs: Sequence[TensorSpec] | None,
    limits: Limits,
) -> Program:
    """Return the program in `raw`. Raises ArtefactRefusedError; hostile bytes may also crash.

    `mesh` is the one that the program must have been traced for.
    """
    try:
        exported = export.deserialize(bytearray(raw))
    except Exception as error:  # noqa: BLE001 - the parser of hostile bytes may raise anything
        raise ArtefactRefusedError(f"not a program ({type(error).__name__})") from None
    _check_header(exported, mesh)
    _check_tensors("argument", exported.in_avals, inputs)
    _check_tensors("result", exported.out_avals, outputs)
    if inputs is not None:
        _check_splits(exported, inputs)
    try:
        with mlir.make_ir_context():
            module = _jax.mlir.deserialize_portable_artifact(exported.mlir_module_serialized)
            summary = walk_module(module, devices=exported.nr_devices, limits=limits)
            donated = _check_main(module, exported)
    except ModuleRefusedError as error:
        raise ArtefactRefusedError(str(error)) from None
    except Exception as error:  # noqa: BLE001 - as above
        raise ArtefactRefusedError(f"not a module ({type(error).__name__})") from None
    kept = tuple(index in exported.module_kept_var_idx for index in range(len(exported.in_avals)))
    return Program(exported=exported, summary=summary, donated=donated, kept=kept)


def _check_header(exported: export.Exported, mesh: AbstractMesh) -> None:
    flat_arguments: Any = jax.tree.structure((tuple(exported.in_avals), {}))
    flat_results: Any = jax.tree.structure(tuple(exported.out_avals))
    checks = (
        (exported.platforms == (EXPORT_PLATFORM,), "platform"),
        (exported.nr_devices == mesh.size, "number of devices"),
        (exported.calling_convention_version == _newest_convention(), "calling convention"),
        (not exported.uses_global_constants, "use of symbolic dimensions"),
        (not exported.ordered_effects and not exported.unordered_effects, "side effects"),
        (
            list(exported.disabled_safety_checks) == [export.DisabledSafetyCheck.platform()],
            "list of disabled checks",
        ),
        (not exported.has_vjp(), "derivative"),
        (exported.in_tree == flat_arguments, "argument tree"),
        (exported.out_tree == flat_results, "result tree"),
        (_kept_in_order(exported), "list of used arguments"),
        (
            len(exported._in_named_shardings) == len(exported.in_avals)  # noqa: SLF001 - no public accessor without a mesh
            and len(exported._out_named_shardings) == len(exported.out_avals),  # noqa: SLF001 - as above
            "number of shardings",
        ),
    )
    for holds, what in checks:
        if not holds:
            raise ArtefactRefusedError(f"its {what} is not what this run expects")
    for sharding in (*exported._in_named_shardings, *exported._out_named_shardings):  # noqa: SLF001 - as above
        _check_sharding(sharding, mesh)


def _newest_convention() -> int:
    return export.maximum_supported_calling_convention_version


def _kept_in_order(exported: export.Exported) -> bool:
    kept = list(exported.module_kept_var_idx)
    return kept == sorted(set(kept)) and all(0 <= index < len(exported.in_avals) for index in kept)


def _check_sharding(sharding: NamedSharding | None, mesh: AbstractMesh) -> None:
    if sharding is None:
        return
    if sharding.memory_kind not in _MEMORY_KINDS:
        raise ArtefactRefusedError("it keeps a tensor in a memory that does not exist here")
    if sharding.mesh.empty:
        return  # of a scalar that nothing splits
    found, wanted = sharding.mesh, mesh
    same_axes = (found.axis_names, found.axis_sizes, found.axis_types) == (
        wanted.axis_names,
        wanted.axis_sizes,
        wanted.axis_types,
    )
    if not same_axes:
        raise ArtefactRefusedError("it was traced for another mesh")


def _check_tensors(
    what: str,
    avals: Sequence[core.ShapedArray],
    expected: Sequence[TensorSpec] | None,
) -> None:
    for index, aval in enumerate(avals):
        if not core.is_constant_shape(aval.shape) or not _is_plain_dtype(aval.dtype):
            raise ArtefactRefusedError(f"{what} {index} has no fixed shape or no plain dtype")
    if expected is None:
        return
    if len(expected) != len(avals):
        raise ArtefactRefusedError(f"it has {len(avals)} {what}s, expected {len(expected)}")
    for index, (aval, want) in enumerate(zip(avals, expected, strict=True)):
        if (aval.dtype.name, tuple(aval.shape)) != (want.dtype, want.shape):
            raise ArtefactRefusedError(
                f"{what} {index} is {aval.str_short()}, expected {want.dtype}{list(want.shape)}"
            )


def _check_splits(exported: export.Exported, expected: Sequence[TensorSpec]) -> None:
    """Hold the header's split of every used argument against the exercise's."""
    for index in exported.module_kept_var_idx:
        wanted = expected[index].spec
        sharding = exported._in_named_shardings[index]  # noqa: SLF001 - no public accessor without a mesh
        found = sharding_spec(sharding, len(expected[index].shape)) if sharding else None
        if wanted is not None and found != wanted:
            raise ArtefactRefusedError(f"argument {index} is not split as {partition_spec(wanted)}")


def _is_plain_dtype(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype)


def _check_main(module: Any, exported: export.Exported) -> tuple[bool, ...]:
    """Hold main's types against the header and return which flat arguments it donates."""
    main = next(
        operation
        for operation in module.body.operations
        if operation.operation.name == "func.func"
        and ir.StringAttr(operation.attributes["sym_name"]).value == "main"
    )
    found = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    kept = [exported.in_avals[index] for index in exported.module_kept_var_idx]
    for what, types, avals in (
        ("argument", found.inputs, kept),
        ("result", found.results, exported.out_avals),
    ):
        if [str(type_) for type_ in types] != [_type_text(aval) for aval in avals]:
            raise ModuleRefusedError(f"the {what} types of main are not those of its header")
    donated = [False] * len(exported.in_avals)
    attributes = (
        list(ir.ArrayAttr(main.attributes["arg_attrs"])) if "arg_attrs" in main.attributes else []
    )
    for index, attribute in zip(exported.module_kept_var_idx, attributes, strict=False):
        names = ir.DictAttr(attribute)
        donated[index] = "jax.buffer_donor" in names or "tf.aliasing_output" in names
    return tuple(donated)


def _type_text(aval: core.ShapedArray) -> str:
    element = str(mlir.dtype_to_ir_type(aval.dtype))
    return f"tensor<{'x'.join([*map(str, aval.shape), element])}>"
