"""Builds what a learner's function is traced with: shapes, dtypes and shardings, never values."""

import types
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tpu_runner.layouts import Spec, partition_spec, spec_of
from tpu_runner.learner_module import LearnerMistakeError, blaming, function_of, with_article
from tpu_runner.protocol import Argument, LearnerErrorKind, SpecsFrom, TensorSpec, TraceRequest

_HOW_TO_WRITE_ONE = (
    "jax.ShapeDtypeStruct((8, 128), jnp.bfloat16, sharding=NamedSharding(mesh, P('data', None)))"
)


def call_arguments(request: TraceRequest, module: types.ModuleType, mesh: Mesh) -> tuple[Any, ...]:
    """Return the positional arguments to trace with. Raises LearnerMistakeError."""
    if request.arguments is None:
        return _example_args(module, mesh)
    chosen: Mapping[str, Spec] = {}
    if request.specs_from is SpecsFrom.LEARNER:
        chosen = _input_specs(module, mesh, request.arguments)
    trees: dict[str, Any] = {}
    for argument in request.arguments:
        name, *inner = argument.path
        tensor = argument.tensor
        spec = chosen.get(str(name), tensor.spec)
        leaf = _leaf(tensor, spec, mesh, what=f"argument {name}")
        trees[str(name)] = _placed(trees.get(str(name)), inner, leaf)
    return tuple(_without_lists(tree) for tree in trees.values())


def check_sharding(shape: tuple[int, ...], spec: Spec, mesh: Mesh, *, what: str) -> None:
    """Raise LearnerMistakeError unless the mesh has the spec's axes and they divide the shape."""
    if len(spec) > len(shape):
        raise LearnerMistakeError(
            LearnerErrorKind.EXAMPLE_ARGS_WRONG,
            f"{what} has {len(shape)} dimensions, but its PartitionSpec names {len(spec)}.",
        )
    for dimension, names in enumerate(spec):
        parts = 1
        for name in names:
            if name not in mesh.shape:
                raise LearnerMistakeError(
                    LearnerErrorKind.UNKNOWN_MESH_AXIS,
                    f"{what} is split over {name!r}, but the mesh has the axes "
                    f"{', '.join(mesh.axis_names)}.",
                )
            parts *= mesh.shape[name]
        if shape[dimension] % parts:
            raise LearnerMistakeError(
                LearnerErrorKind.UNEVEN_SHARD,
                f"{what}: dimension {dimension} has {shape[dimension]} elements, which do not "
                f"divide over {' × '.join(names)} ({parts}). Pad it or split another dimension.",
            )


def _leaf(tensor: TensorSpec, spec: Spec | None, mesh: Mesh, *, what: str) -> jax.ShapeDtypeStruct:
    if spec is None:
        return jax.ShapeDtypeStruct(tensor.shape, np.dtype(tensor.dtype))
    check_sharding(tensor.shape, spec, mesh, what=what)
    sharding = NamedSharding(mesh, partition_spec(spec))
    return jax.ShapeDtypeStruct(tensor.shape, np.dtype(tensor.dtype), sharding=sharding)


def _placed(tree: Any, path: Sequence[str | int], leaf: Any) -> Any:
    """Return the tree with the leaf at the path; integers are places in a list, filled in order."""
    if not path:
        return leaf
    key, *rest = path
    if isinstance(key, str):
        branch = dict(tree or {})
        branch[key] = _placed(branch.get(key), rest, leaf)
        return branch
    items = list(tree or [])
    while len(items) <= key:
        items.append(None)
    items[key] = _placed(items[key], rest, leaf)
    return items


def _without_lists(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _without_lists(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return tuple(_without_lists(item) for item in tree)
    return tree


def _input_specs(
    module: types.ModuleType, mesh: Mesh, arguments: Sequence[Argument]
) -> Mapping[str, Spec]:
    kind = LearnerErrorKind.INPUT_SPECS_WRONG
    names = list(dict.fromkeys(str(argument.path[0]) for argument in arguments))
    function = function_of(
        module,
        "input_specs",
        missing=(
            LearnerErrorKind.NO_INPUT_SPECS,
            (
                "Here you choose how the arguments are split. Write input_specs(mesh), which "
                f"returns a dictionary from each of {', '.join(names)} to a PartitionSpec."
            ),
        ),
        wrong=kind,
    )
    with blaming(LearnerErrorKind.INPUT_SPECS_RAISED, "input_specs(mesh)"):
        specs = function(mesh)
    if not isinstance(specs, Mapping) or set(specs) != set(names):
        raise LearnerMistakeError(
            kind, f"input_specs(mesh) has to return a dictionary with the keys {', '.join(names)}."
        )
    ranks = {str(argument.path[0]): len(argument.tensor.shape) for argument in arguments}
    found: dict[str, Spec] = {}
    for name in names:
        spec = specs[name]
        plain = spec_of(spec, ranks[name]) if isinstance(spec, PartitionSpec) else None
        if plain is None:
            raise LearnerMistakeError(
                kind, f"input_specs(mesh)[{name!r}] has to be a PartitionSpec such as P('data')."
            )
        found[name] = plain
    return found


def _example_args(module: types.ModuleType, mesh: Mesh) -> tuple[Any, ...]:
    function = function_of(
        module,
        "example_args",
        missing=(
            LearnerErrorKind.NO_EXAMPLE_ARGS,
            (
                "The module has to say what its function is called with. Write "
                f"example_args(mesh), which returns a tuple of {_HOW_TO_WRITE_ONE}."
            ),
        ),
        wrong=LearnerErrorKind.EXAMPLE_ARGS_WRONG,
    )
    with blaming(LearnerErrorKind.EXAMPLE_ARGS_RAISED, "example_args(mesh)"):
        arguments = function(mesh)
    if not isinstance(arguments, tuple) or hasattr(arguments, "_fields"):
        raise LearnerMistakeError(
            LearnerErrorKind.EXAMPLE_ARGS_WRONG,
            f"example_args(mesh) returned {with_article(arguments)}. Return a tuple with one "
            "entry for each argument; a single one is written (x,).",
        )
    with blaming(LearnerErrorKind.EXAMPLE_ARGS_RAISED, "example_args(mesh)"):
        leaves, tree = jax.tree_util.tree_flatten_with_path(arguments)
    shapes = [_example_leaf(leaf, mesh, jax.tree_util.keystr(path)) for path, leaf in leaves]
    return tuple(jax.tree.unflatten(tree, shapes))


def _example_leaf(leaf: Any, mesh: Mesh, path: str) -> jax.ShapeDtypeStruct:
    what = f"example_args(mesh){path}"
    if not isinstance(leaf, jax.ShapeDtypeStruct | jax.Array | np.ndarray):
        raise LearnerMistakeError(
            LearnerErrorKind.EXAMPLE_ARGS_WRONG,
            f"{what} is {with_article(leaf)}; write {_HOW_TO_WRITE_ONE}.",
        )
    sharding = getattr(leaf, "sharding", None)
    if isinstance(sharding, PartitionSpec):
        sharding = NamedSharding(mesh, sharding)
    if not isinstance(sharding, NamedSharding):
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
    if sharding.mesh.shape_tuple != mesh.shape_tuple:
        raise LearnerMistakeError(
            LearnerErrorKind.EXAMPLE_ARGS_WRONG,
            f"{what} is split over a mesh of its own; use the mesh that example_args is given.",
        )
    spec = spec_of(sharding.spec, len(leaf.shape))
    if spec is not None:
        check_sharding(tuple(leaf.shape), spec, mesh, what=what)
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)
