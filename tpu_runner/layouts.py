"""Turns JAX shardings into plain data and back: mesh axes per dimension, shard shapes, blocks."""

from collections.abc import Sequence
from typing import Any

from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tpu_runner.protocol import Shard, TensorLayout

# A listing of blocks longer than this (positions × dimensions, over all tensors) is left out.
MAX_BLOCK_NUMBERS = 100_000

Spec = tuple[tuple[str, ...], ...]


def spec_of(partition_spec: PartitionSpec, rank: int) -> Spec | None:
    """Return the mesh axes of each of `rank` dimensions; None if a dimension is unconstrained."""
    dimensions: list[tuple[str, ...]] = []
    for entry in partition_spec:
        if entry is None:
            dimensions.append(())
        elif isinstance(entry, str):
            dimensions.append((entry,))
        elif isinstance(entry, tuple):
            dimensions.append(tuple(str(name) for name in entry))
        else:
            return None
    return (*dimensions, *(((),) * (rank - len(dimensions))))


def partition_spec(spec: Spec) -> PartitionSpec:
    """Return the JAX form of mesh axes per dimension."""
    return PartitionSpec(*(names[0] if len(names) == 1 else (names or None) for names in spec))


def sharding_spec(sharding: Any, rank: int) -> Spec | None:
    """Return the mesh axes per dimension of a sharding, None where it has no such form."""
    if isinstance(sharding, NamedSharding):
        return spec_of(sharding.spec, rank)
    if getattr(sharding, "is_fully_replicated", False):
        return ((),) * rank
    return None


def layouts(
    avals: Sequence[Any],
    shardings: Sequence[Any],
    mesh: Mesh,
    *,
    donated: Sequence[bool],
) -> tuple[TensorLayout, ...]:
    """Return the layout of each tensor over the mesh, with each position's block where short.

    A sharding is None for an argument that the program does not use.
    """
    numbers = mesh.devices.size * sum(max(1, len(aval.shape)) for aval in avals)
    listed = numbers <= MAX_BLOCK_NUMBERS
    return tuple(
        TensorLayout(
            dtype=aval.dtype.name,
            shape=tuple(aval.shape),
            spec=sharding_spec(sharding, len(aval.shape)) if sharding else None,
            shard_shape=tuple(sharding.shard_shape(tuple(aval.shape)) if sharding else aval.shape),
            memory_kind=(sharding.memory_kind if sharding else None) or "device",
            kept=sharding is not None,
            donated=is_donated,
            shards=_blocks(sharding, tuple(aval.shape), mesh) if listed and sharding else None,
        )
        for aval, sharding, is_donated in zip(avals, shardings, donated, strict=True)
    )


def _blocks(sharding: Any, shape: tuple[int, ...], mesh: Mesh) -> tuple[Shard, ...]:
    indices = sharding.devices_indices_map(shape)
    blocks = []
    for device in mesh.devices.flat:
        bounds = [part.indices(size) for part, size in zip(indices[device], shape, strict=True)]
        blocks.append(
            Shard(
                start=tuple(bound[0] for bound in bounds),
                stop=tuple(bound[1] for bound in bounds),
            )
        )
    return tuple(blocks)
