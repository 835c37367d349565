"""Lays the exercise's mesh over fake CPU devices or over the torus of a named TPU slice."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import AxisType as JaxAxisType

from tpu_runner.protocol import AxisType, DevicePlace, MeshSpec
from tpu_runner.topologies import Slice, slices_with

_AXIS_TYPES = {AxisType.AUTO: JaxAxisType.Auto, AxisType.EXPLICIT: JaxAxisType.Explicit}


class MeshDoesNotFitError(Exception):
    """The mesh cannot be laid over these devices; the message says what would fit."""


def abstract_mesh(spec: MeshSpec) -> AbstractMesh:
    """Return the mesh's names, sizes and axis types, without devices."""
    return AbstractMesh(
        _shape(spec),
        tuple(axis.name for axis in spec.axes),
        axis_types=tuple(_AXIS_TYPES[axis.type] for axis in spec.axes),
    )


def cpu_mesh(spec: MeshSpec) -> Mesh:
    """Return the mesh over the first fake CPU devices, in their own order."""
    devices = jax.devices("cpu")
    if spec.devices > len(devices):
        raise MeshDoesNotFitError(
            f"The mesh has {spec.devices} devices; this process has {len(devices)} fake ones."
        )
    return _mesh(spec, np.array(devices[: spec.devices], dtype=object).reshape(_shape(spec)))


def tpu_mesh(spec: MeshSpec, devices: Sequence[Any], *, slice_: Slice, slices: int) -> Mesh:
    """Return the mesh over the slice's torus; with several slices the first axis crosses them."""
    check_fit(spec, slice_=slice_, slices=slices)
    first, *others = _shape(spec)
    shape = (first // slices, *others)
    by_slice: dict[int, list[Any]] = {}
    for device in devices:
        by_slice.setdefault(slice_index(device), []).append(device)
    blocks = [lay_on_torus(shape, by_slice[index]) for index in sorted(by_slice)]
    return _mesh(spec, np.concatenate(blocks, axis=0))


def check_fit(spec: MeshSpec, *, slice_: Slice, slices: int) -> None:
    """Raise MeshDoesNotFitError unless the mesh has just the devices of so many slices."""
    there = slice_.devices * slices
    chips = math.prod(slice_.shape)
    if spec.devices != there:
        per_chip = slice_.generation.devices_per_chip
        counted = f"{chips} chips of {per_chip} devices" if per_chip > 1 else f"{chips} chips"
        others = ", ".join(found.name for found in slices_with(spec.devices // slices))
        hint = f" Slices that fit: {others}." if others and spec.devices % slices == 0 else ""
        raise MeshDoesNotFitError(
            f"The mesh {_describe(spec)} has {spec.devices} devices, but "
            f"{f'{slices} slices of ' if slices > 1 else ''}{slice_.name} "
            f"{'have' if slices > 1 else 'has'} {there} ({counted}"
            f"{' each' if slices > 1 else ''}).{hint}"
        )
    check_first_axis(spec, slices=slices)


def check_first_axis(spec: MeshSpec, *, slices: int) -> None:
    """Raise MeshDoesNotFitError unless the first axis divides over so many slices."""
    if spec.axes[0].size % slices:
        raise MeshDoesNotFitError(
            f"The first mesh axis crosses the slices: {spec.axes[0].name!r} of size "
            f"{spec.axes[0].size} does not divide over {slices} slices."
        )


def lay_on_torus(shape: tuple[int, ...], devices: Sequence[Any]) -> Any:
    """Return the devices in an array of `shape` such that mesh neighbours are torus neighbours.

    Splits a physical axis where whole ones do not make up the mesh. JAX refuses to lay out v4 with
    two devices a chip: there the chips are laid out, and the two cores of each become neighbours
    along the last even axis.
    """
    try:
        return mesh_utils.create_device_mesh(shape, devices)
    except NotImplementedError:
        return mesh_utils.create_device_mesh(shape, devices, allow_split_physical_axes=True)
    except AssertionError:
        return _lay_chips_then_cores(shape, devices)


def _lay_chips_then_cores(shape: tuple[int, ...], devices: Sequence[Any]) -> Any:
    axis = max(index for index, size in enumerate(shape) if size % 2 == 0)
    chip_shape = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
    first_cores = [device for device in devices if device.core_on_chip == 0]
    partners = {tuple(device.coords): device for device in devices if device.core_on_chip == 1}
    chips = lay_on_torus(chip_shape, first_cores)
    seconds = np.empty(chips.shape, dtype=object)
    for index in np.ndindex(chips.shape):
        seconds[index] = partners[tuple(chips[index].coords)]
    return np.stack([chips, seconds], axis=axis + 1).reshape(shape)


def places(mesh: Mesh) -> tuple[DevicePlace, ...]:
    """Return where each device is, in mesh order: the order of positions in replica groups."""
    return tuple(_place(position, device) for position, device in enumerate(mesh.devices.flat))


def slice_index(device: Any) -> int:
    """Return the device's slice; single slices do not number theirs."""
    return int(getattr(device, "slice_index", None) or 0)


def _place(position: int, device: Any) -> DevicePlace:
    coords = getattr(device, "coords", None)
    core = getattr(device, "core_on_chip", None)
    return DevicePlace(
        position=position,
        id=device.id,
        coords=None if coords is None else tuple(int(part) for part in coords),
        core=None if core is None else int(core),
        slice_index=slice_index(device),
        host=int(device.process_index),
    )


def _mesh(spec: MeshSpec, devices: Any) -> Mesh:
    return Mesh(
        devices,
        tuple(axis.name for axis in spec.axes),
        axis_types=tuple(_AXIS_TYPES[axis.type] for axis in spec.axes),
    )


def _shape(spec: MeshSpec) -> tuple[int, ...]:
    return tuple(axis.size for axis in spec.axes)


def _describe(spec: MeshSpec) -> str:
    return ",".join(f"{axis.name}={axis.size}" for axis in spec.axes)
