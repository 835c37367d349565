"""Arrays as they cross the wall: raw bytes with a dtype and a shape, and blocks of them."""

import math
import re
from collections.abc import Mapping, Sequence

import ml_dtypes
import numpy as np

from grader.core.evidence import Array
from grader.core.rubric.consistency import axes_of
from grader.core.rubric.vocabulary import Spec
from tpu_runner.protocol import Shard

_PLAIN_NAME = re.compile(r"[a-z]+[a-z0-9_]*")


def numpy_dtype(name: str) -> "np.dtype[np.generic]":
    """Return the numpy dtype that JAX calls by a name, the narrow ones of ml_dtypes included.

    Raises ValueError for what is no plain number type.
    """
    try:
        narrow = getattr(ml_dtypes, name, name) if _PLAIN_NAME.fullmatch(name) else ""
        found: np.dtype[np.generic] = np.dtype(narrow)
    except TypeError:
        raise ValueError(f"there is no element type {name!r}") from None
    if not narrow or found.hasobject or found.itemsize == 0 or found.name != name:
        raise ValueError(f"there is no element type {name!r}")
    return found


def from_bytes(raw: bytes, *, dtype: str, shape: tuple[int, ...]) -> Array:
    """Return row-major bytes as an array.

    Raises ValueError where the dtype is unknown or the bytes are not just as many as it takes.
    Any bool byte but 0 is true.
    """
    kind = numpy_dtype(dtype)
    wanted = math.prod(shape) * kind.itemsize
    if len(raw) != wanted or min(shape, default=0) < 0:
        raise ValueError(f"{dtype}{list(shape)} takes {wanted} bytes, not {len(raw)}")
    if kind == np.bool_:
        flags: Array = np.frombuffer(raw, np.uint8).reshape(shape).astype(np.bool_)
        return flags
    return np.frombuffer(raw, kind).reshape(shape)


def block_at(position: int, *, axes: Mapping[str, int], spec: Spec, shape: Sequence[int]) -> Shard:
    """Return the block of an array that one device of a mesh holds.

    `position` counts over the mesh with the last axis fastest. A dimension split by several axes
    is cut by the first of them first. Each size divides over its axes.
    """
    coordinates: dict[str, int] = {}
    for name in reversed(tuple(axes)):
        position, coordinates[name] = divmod(position, axes[name])
    start, stop = [], []
    for size, part in zip(shape, spec, strict=True):
        index, parts = 0, 1
        for name in axes_of(part):
            index = index * axes[name] + coordinates[name]
            parts *= axes[name]
        length = size // parts
        start.append(index * length)
        stop.append((index + 1) * length)
    return Shard(start=tuple(start), stop=tuple(stop))


def part_of(whole: Array, block: Shard) -> Array:
    """Return the view of `whole` that the block is; that of a scalar is the scalar."""
    if not whole.shape:
        return whole  # indexed with nothing it would give a number, which is no view
    return whole[tuple(slice(*ends) for ends in zip(block.start, block.stop, strict=True))]
