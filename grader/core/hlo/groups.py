"""Replica groups in every spelling that XLA prints, as positions in the device assignment.

The numbers are positions in the flattened mesh, never device ids: laying a mesh on a torus permutes
the ids, and the program does not know them.
"""

import itertools
import math
import re

import numpy as np
from numpy.typing import NDArray

from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Instruction
from grader.core.hlo.text import attribute, parse_int

type Groups = tuple[tuple[int, ...], ...]

_MAX_DEVICES = 1 << 20
_LISTS = re.compile(r"\{\s*(?:\{[^{}]*\}\s*,?\s*)*\}")
_ONE_LIST = re.compile(r"\{([^{}]*)\}")
_IOTA = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH = re.compile(r"mesh\[(.*)\]")
_MESH_AXIS = re.compile(r"'([^']*)'=(\d+)")
_MESH_SELECTION = re.compile(r"\{(.*)\}")
_SELECTED_AXIS = re.compile(r"'([^']*)'(?::\((\d+)\)(\d+))?")
_DEVICE_IDS = re.compile(r"\((?:\[([\d,]+)\](?:<=\[([\d,]+)\])?(?:T\(([\d,]+)\))?|([\d,\s]+))\)")


def replica_groups(instruction: Instruction, *, devices: int) -> Groups:
    """Return the groups of a collective over `devices` positions.

    No groups, or empty ones, mean all devices together. Raises `HloError` where the spelling is not
    understood, or names a position that does not exist or stands in two groups.
    """
    raw = instruction.attribute("replica_groups")
    if raw is None or raw == "{}":
        return (tuple(range(devices)),)
    if raw.startswith("mesh["):
        groups = _from_mesh(raw, instruction.attributes)
    elif raw.startswith("["):
        groups = _from_iota(raw)
    else:
        groups = _from_lists(raw, what="replica_groups")
    _check(groups, devices)
    return groups


def source_target_pairs(instruction: Instruction, *, devices: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a collective-permute; raises `HloError` where they make no sense."""
    raw = instruction.attribute("source_target_pairs")
    if raw is None:
        raise HloError("the permute has no source_target_pairs")
    if raw == "{}":
        return ()
    pairs = []
    for pair in _from_lists(raw, what="source_target_pairs"):
        if len(pair) != 2 or max(pair) >= devices:
            raise HloError(f"not a source and a target among {devices} devices: {pair}")
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _check(groups: Groups, devices: int) -> None:
    seen = list(itertools.chain.from_iterable(groups))
    if len(set(seen)) != len(seen):
        raise HloError("a device stands in two replica groups")
    if seen and max(seen) >= devices:
        raise HloError(f"replica groups name device {max(seen)} of {devices}")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(
        parse_int(part, what="a replica group") for part in text.split(",") if part.strip()
    )


def _from_lists(raw: str, *, what: str) -> Groups:
    if _LISTS.fullmatch(raw) is None:
        raise HloError(f"{what} in a spelling that is not known: {raw[:80]!r}")
    return tuple(_numbers(group) for group in _ONE_LIST.findall(raw[1:-1]))


def _grid(dims: tuple[int, ...], order: tuple[int, ...] | None) -> NDArray[np.int64]:
    """Return 0, 1, 2, … laid out over `dims`, transposed by `order`."""
    size = math.prod(dims)
    if not 0 < size <= _MAX_DEVICES:
        raise HloError(f"replica groups over {size} devices")
    grid = np.arange(size, dtype=np.int64).reshape(dims)
    if order is None:
        return grid
    if sorted(order) != list(range(len(dims))):
        raise HloError(f"not an order of {len(dims)} dimensions: {order}")
    return grid.transpose(order)


def _from_iota(raw: str) -> Groups:
    match = _IOTA.fullmatch(raw)
    if match is None:
        raise HloError(f"replica_groups in a spelling that is not known: {raw[:80]!r}")
    shape, dims = _numbers(match.group(1)), _numbers(match.group(2))
    order = _numbers(match.group(3)) if match.group(3) else None
    grid = _grid(dims, order)
    if len(shape) != 2 or math.prod(shape) != grid.size:
        raise HloError(f"replica_groups {raw[:80]!r} do not divide their devices")
    return _rows(grid.reshape(shape))


def _rows(grid: NDArray[np.int64]) -> Groups:
    return tuple(tuple(row) for row in grid.tolist())


def _from_mesh(raw: str, attributes: str) -> Groups:
    """Read `mesh['x'=8,'y'=2] {'x':(4)2}`, `device_ids=(…)` between if they are permuted."""
    mesh_text, selection_text = raw, raw
    device_ids = attribute(attributes, "device_ids")
    if device_ids is None:
        mesh_text, _, selection_text = raw.rpartition(" ")
        device_text = None
    else:
        device_text, _, selection_text = device_ids.rpartition(" ")
    mesh = _MESH.fullmatch(mesh_text)
    selection = _MESH_SELECTION.fullmatch(selection_text)
    if mesh is None or selection is None:
        raise HloError(f"replica_groups in a spelling that is not known: {raw[:80]!r}")
    sizes = _mesh_axes(mesh.group(1))
    order = _device_order(device_text, math.prod(sizes.values()))
    return _select(order, sizes, selection.group(1))


def _mesh_axes(text: str) -> dict[str, int]:
    sizes = {name: parse_int(size, what="an axis size") for name, size in _MESH_AXIS.findall(text)}
    spelled = ",".join(f"'{name}'={size}" for name, size in sizes.items())
    if spelled != text.replace(", ", ","):
        raise HloError(f"a mesh in a spelling that is not known: {text[:80]!r}")
    return sizes


def _device_order(text: str | None, size: int) -> NDArray[np.int64]:
    if not 0 < size <= _MAX_DEVICES:
        raise HloError(f"replica groups over {size} devices")
    if text is None:
        return np.arange(size, dtype=np.int64)
    match = _DEVICE_IDS.fullmatch(text)
    if match is None:
        raise HloError(f"device_ids in a spelling that is not known: {text[:80]!r}")
    first, second, order, listed = match.groups()
    if listed is not None:
        ids = np.array(_numbers(listed), dtype=np.int64)
    else:
        dims = _numbers(second or first)
        ids = _grid(dims, _numbers(order) if order else None).reshape(-1)
    if ids.size != size:
        raise HloError(f"device_ids {text[:80]!r} do not fill the mesh")
    return ids


def _select(order: NDArray[np.int64], sizes: dict[str, int], text: str) -> Groups:
    """Group the mesh along the selected axes; `'x':(4)2` is the 2 of x as 4 × 2 × the rest."""
    selected = _selected_axes(text, sizes)
    dims: list[int] = []
    inside: dict[tuple[str, int], int] = {}
    for name, size in sizes.items():
        cuts = sorted((before, length) for axis, before, length in selected if axis == name)
        major = 1
        for before, length in cuts:
            if before % major or size % (before * length):
                raise HloError(f"axis {name!r} of {size} has no part ({before}){length}")
            dims.append(before // major)
            inside[name, before] = len(dims)
            dims.append(length)
            major = before * length
        dims.append(size // major)
    chosen = [inside[axis, before] for axis, before, _ in selected]
    others = [index for index in range(len(dims)) if index not in chosen]
    group_size = math.prod(dims[index] for index in chosen)
    return _rows(order.reshape(dims).transpose([*others, *chosen]).reshape(-1, group_size))


def _selected_axes(text: str, sizes: dict[str, int]) -> list[tuple[str, int, int]]:
    """Return (axis, size of the part before, size of this part) in the order written."""
    selected = []
    for match in _SELECTED_AXIS.finditer(text):
        name, before, length = match.groups()
        if name not in sizes:
            raise HloError(f"replica_groups select an axis {name!r} that their mesh lacks")
        whole = before is None
        part = (1, sizes[name]) if whole else (int(before), int(length))
        if 0 in part or (name, *part) in selected:
            raise HloError(f"replica_groups select a part of {name!r} that makes no sense")
        selected.append((name, *part))
    spelled = ",".join(match.group() for match in _SELECTED_AXIS.finditer(text))
    if spelled != text.replace(", ", ","):
        raise HloError(f"replica_groups select axes in a spelling that is not known: {text[:80]!r}")
    return selected
