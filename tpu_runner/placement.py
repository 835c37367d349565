"""Where a compiled program's devices, tensors and bytes are, as part of the protocol."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBytes:
    """The executable's memory per device, in bytes. None: this compiler does not say."""

    argument: int
    output: int
    temp: int
    alias: int
    peak: int | None
    generated_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePlace:
    """Where one device of the mesh is; `position` is its number in replica groups.

    Positions count in mesh order, the last axis fastest. `id` is the runtime's own number, which
    a mesh laid on a torus permutes. `coords` are chip coordinates (x, y, z), `core` the core on it.
    """

    position: int
    id: int
    coords: tuple[int, ...] | None
    core: int | None
    slice_index: int
    host: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """A device's block of a tensor: for each dimension the first index and one past the last."""

    start: tuple[int, ...]
    stop: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorLayout:
    """One flat input or output of the compiled program and how it is split.

    `spec` names mesh axes for each dimension, major first; None where the compiler's sharding is
    not expressible so. `memory_kind` is "device" unless offloaded. `kept` is False for an input
    that the program does not use: it has no place on the devices, so no spec and no shards.
    `shards` has one block for each position, or is None where the listing would be too long.
    """

    dtype: str
    shape: tuple[int, ...]
    spec: tuple[tuple[str, ...], ...] | None
    shard_shape: tuple[int, ...]
    memory_kind: str
    kept: bool
    donated: bool
    shards: tuple[Shard, ...] | None
