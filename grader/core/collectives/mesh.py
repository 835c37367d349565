"""The learner's mesh, and which of its axes a group of devices lies along."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from grader.core.hlo.errors import HloError
from grader.core.hlo.groups import Groups


@dataclasses.dataclass(frozen=True, slots=True)
class Mesh:
    """Named axes, major to minor, over `slices` equal slices that the first axis crosses.

    `device_ids` are the ids of the devices at each position, where they are known: a program for
    several slices names devices by id where it crosses slices.
    """

    axes: Mapping[str, int]
    slices: int = 1
    device_ids: tuple[int, ...] | None = None

    @property
    def devices(self) -> int:
        """The number of devices in all slices."""
        return math.prod(self.axes.values())

    @property
    def devices_per_slice(self) -> int:
        """The number of devices in one slice."""
        return self.devices // self.slices

    def coordinates(self, position: int) -> tuple[int, ...]:
        """Return the index along each axis of a position in the flattened mesh."""
        found = []
        for size in reversed(tuple(self.axes.values())):
            position, index = divmod(position, size)
            found.append(index)
        return tuple(reversed(found))

    def slice_of(self, position: int) -> int:
        """Return the slice that holds a position."""
        return position // self.devices_per_slice


@dataclasses.dataclass(frozen=True, slots=True)
class Placement:
    """Where the groups of a collective lie on the mesh.

    `axes` names the axes that the groups span exactly, in mesh order. Where they span a part of an
    axis, or no axes at all, it is empty and `groups` lists them; `part_of` names the axes within
    which they stay.
    """

    axes: tuple[str, ...]
    group_size: int
    groups: Groups | None
    part_of: tuple[str, ...]
    crosses_slices: bool
    steps: int | None = None
    pairs: tuple[tuple[int, int], ...] = ()


def place_groups(mesh: Mesh, groups: Groups) -> Placement:
    """Find the axes that `groups`, sets of positions in the whole mesh, span.

    Raises `HloError` where a group names a position that the mesh lacks.
    """
    varying = _varying_axes(mesh, groups)
    largest = max((len(group) for group in groups), default=1)
    span = math.prod(size for name, size in mesh.axes.items() if name in varying)
    is_exact = all(len(group) == span for group in groups) and len(groups) * span == mesh.devices
    return Placement(
        axes=varying if is_exact else (),
        group_size=largest,
        groups=None if is_exact and varying else groups,
        part_of=() if is_exact else varying,
        crosses_slices=any(_crosses_slices(mesh, group) for group in groups),
    )


def place_pairs(mesh: Mesh, pairs: Sequence[tuple[int, int]]) -> Placement:
    """Find the axes along which the pairs of a permute move, and by how many steps.

    Steps are counted along the axis (several axes: along their flattened order), the short way
    round; None where pairs move by different distances.
    """
    moving = [pair for pair in pairs if pair[0] != pair[1]]
    axes = _varying_axes(mesh, moving)
    size = math.prod(size for name, size in mesh.axes.items() if name in axes)
    distances = {_distance(mesh, axes, pair, size) for pair in moving}
    steps = distances.pop() if len(distances) == 1 else None
    if steps is not None and 2 * steps > size:
        steps -= size
    return Placement(
        axes=axes,
        group_size=size,
        groups=None,
        part_of=(),
        crosses_slices=any(_crosses_slices(mesh, pair) for pair in moving),
        steps=steps,
        pairs=tuple(moving),
    )


def over_whole_mesh(mesh: Mesh, groups: Groups, *, partitions: int) -> Groups:
    """Return groups of a program for `partitions` devices as positions in the whole mesh.

    A TPU program for several slices is written for one of them and runs in each; XLA:CPU's is
    written for all devices.
    """
    if partitions == mesh.devices:
        return groups
    return tuple(
        tuple(slice_index * partitions + position for position in group)
        for slice_index in range(mesh.devices // partitions)
        for group in groups
    )


def rings(pairs: Iterable[tuple[int, int]]) -> Groups | None:
    """Return the cycles that the pairs form, each from its smallest position; None if some end."""
    following = dict(pairs)
    if set(following) != set(following.values()):
        return None
    found, seen = [], set[int]()
    for start in sorted(following):
        if start in seen:
            continue
        ring = [start]
        while (position := following[ring[-1]]) != start:
            ring.append(position)
        seen.update(ring)
        found.append(tuple(ring))
    return tuple(found)


def _varying_axes(mesh: Mesh, groups: Iterable[Sequence[int]]) -> tuple[str, ...]:
    varies = [False] * len(mesh.axes)
    for group in groups:
        if group and max(group) >= mesh.devices:
            raise HloError(f"the program names device {max(group)}; the mesh has {mesh.devices}")
        first = mesh.coordinates(group[0]) if group else ()
        for position in group[1:]:
            here = mesh.coordinates(position)
            varies = [v or a != b for v, a, b in zip(varies, first, here, strict=True)]
    return tuple(itertools.compress(mesh.axes, varies))


def _distance(mesh: Mesh, axes: tuple[str, ...], pair: Sequence[int], size: int) -> int:
    ends = []
    for position in pair:
        flat = 0
        for name, index in zip(mesh.axes, mesh.coordinates(position), strict=True):
            if name in axes:
                flat = flat * mesh.axes[name] + index
        ends.append(flat)
    return (ends[1] - ends[0]) % size


def _crosses_slices(mesh: Mesh, group: Sequence[int]) -> bool:
    return len({mesh.slice_of(position) for position in group}) > 1
