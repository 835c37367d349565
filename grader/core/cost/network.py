"""How long one collective takes on rings and lines of chips, bound by bandwidth or by hops.

The model is the scaling book's ("Sharding", the sections on each collective): a bidirectional ring
moves 2w bytes a second past each chip, a line without wraparound w, several axes add their rates,
and a collective takes at least its hops' latency. The exact (n-1)/n is kept, which the book drops
for many devices.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence

from grader.core.collectives.rows import Kind
from grader.core.cost.chips import HOP_SECONDS

type Coordinates = tuple[int, ...]

_MAX_CHUNKS = 50_000


@dataclasses.dataclass(frozen=True, slots=True)
class Ring:
    """Chips along one physical axis, `stride` links apart; a line where it does not wrap."""

    size: int
    wraps: bool
    stride: int = 1

    def bytes_per_second(self, link_bytes_per_second: float) -> float:
        """The rate at which each chip can be passed: both directions on a ring, one on a line."""
        return link_bytes_per_second * (2 if self.wraps else 1) / self.stride

    @property
    def hops(self) -> int:
        """The longest way that a shard goes."""
        return self.stride * (-(-self.size // 2) if self.wraps else self.size - 1)


def collective_seconds(
    kind: Kind,
    *,
    operand_bytes: float,
    result_bytes: float,
    rings: Sequence[Ring],
    link_bytes_per_second: float,
    hop_seconds: float = HOP_SECONDS,
) -> float:
    """Return the modelled seconds of one collective over all `rings` at once.

    Bytes are per chip, as in a row. Permutes need their pairs: see `permute_seconds`.
    """
    group = math.prod(ring.size for ring in rings)
    if group <= 1:
        return 0.0
    rate = sum(ring.bytes_per_second(link_bytes_per_second) for ring in rings if ring.size > 1)
    latency = hop_seconds * sum(ring.hops for ring in rings)
    share = (group - 1) / group
    match kind:
        case Kind.ALL_GATHER:
            return max(share * result_bytes / rate, latency)
        case Kind.REDUCE_SCATTER:
            return max(share * operand_bytes / rate, latency)
        case Kind.ALL_REDUCE:
            return 2 * max(share * operand_bytes / rate, latency)
        case Kind.COLLECTIVE_BROADCAST:
            return max(operand_bytes / rate, latency)
        case Kind.ALL_TO_ALL | Kind.RAGGED_ALL_TO_ALL:
            phases = (_exchange_load(ring) for ring in rings)
            return max(operand_bytes * sum(phases) / link_bytes_per_second, latency)
        case Kind.COLLECTIVE_PERMUTE:
            raise ValueError("a permute's time depends on its pairs: use permute_seconds")


def _exchange_load(ring: Ring) -> float:
    """Return the operands that the busiest link carries in an all-to-all along one axis.

    On a ring of n every device sends a chunk of 1/n operand over distances that sum to floor(n²/4),
    half of it each way. On a line the middle link carries every chunk between the halves.
    """
    crossing = (ring.size // 2) * -(-ring.size // 2)
    return ring.stride * crossing / ring.size / (2 if ring.wraps else 1)


def permute_seconds(
    operand_bytes: float,
    pairs: Iterable[tuple[Coordinates, Coordinates]],
    *,
    sides: Sequence[int],
    wraps: Sequence[bool],
    link_bytes_per_second: float,
    hop_seconds: float = HOP_SECONDS,
) -> float:
    """Return the modelled seconds of a permute between chips at coordinates on a torus.

    Each transfer goes along one physical axis after the other, the short way; the time is that of
    the busiest link, or of the longest way's hops.
    """
    busiest, longest = _busiest_link(pairs, sides, wraps)
    return max(busiest * operand_bytes / link_bytes_per_second, longest * hop_seconds)


def scattered_seconds(
    kind: Kind,
    *,
    operand_bytes: float,
    result_bytes: float,
    groups: Sequence[Sequence[Coordinates]],
    sides: Sequence[int],
    wraps: Sequence[bool],
    link_bytes_per_second: float,
    hop_seconds: float = HOP_SECONDS,
) -> float | None:
    """Return the modelled seconds where the groups are no boxes of chips.

    Every group sends round a logical ring in mesh order, at the same time, one way or both,
    whichever is faster on the links that this takes; an all-to-all sends each chunk its way.
    None where there are too many chunks to follow.
    """
    size = max(len(group) for group in groups)
    if kind in (Kind.ALL_TO_ALL, Kind.RAGGED_ALL_TO_ALL):
        if len(groups) * size * size > _MAX_CHUNKS:
            return None
        chunks = [pair for group in groups for pair in itertools.permutations(group, 2)]
        busiest, longest = _busiest_link(chunks, sides, wraps)
        chunk_bytes = operand_bytes / size
        return max(busiest * chunk_bytes / link_bytes_per_second, longest * hop_seconds)
    forward = [
        (chip, group[(index + 1) % len(group)])
        for group in groups
        for index, chip in enumerate(group)
    ]
    one_way, longest = _busiest_link(forward, sides, wraps)
    both_ways, _ = _busiest_link([*forward, *((b, a) for a, b in forward)], sides, wraps)
    full_bytes = result_bytes if kind is Kind.ALL_GATHER else operand_bytes
    shards = (size - 1) * full_bytes / size
    once = min(one_way, both_ways / 2) * shards / link_bytes_per_second
    once = max(once, longest * -(-size // 2) * hop_seconds)
    return 2 * once if kind is Kind.ALL_REDUCE else once


def _busiest_link(
    pairs: Iterable[tuple[Coordinates, Coordinates]], sides: Sequence[int], wraps: Sequence[bool]
) -> tuple[int, int]:
    """Return how many transfers share the busiest link, and the hops of the longest."""
    load: dict[tuple[Coordinates, int, int], int] = {}
    longest = 0
    for source, target in pairs:
        way = list(_way(source, target, sides, wraps))
        longest = max(longest, len(way))
        for link in way:
            load[link] = load.get(link, 0) + 1
    return max(load.values(), default=0), longest


def _way(
    source: Coordinates, target: Coordinates, sides: Sequence[int], wraps: Sequence[bool]
) -> Iterable[tuple[Coordinates, int, int]]:
    """Yield the directed links (chip, axis, direction) from source to target."""
    here = list(source)
    for axis, (side, is_ring) in enumerate(zip(sides, wraps, strict=True)):
        distance = target[axis] - here[axis]
        if is_ring:
            distance %= side
            if 2 * distance > side:
                distance -= side
        direction = 1 if distance > 0 else -1
        for _ in range(abs(distance)):
            yield tuple(here), axis, direction
            here[axis] = (here[axis] + direction) % side


def cross_slice_seconds(
    sent_bytes_per_device: int, *, devices_per_chip: int, dcn_bytes_per_second: float
) -> float:
    """Return the modelled seconds of traffic between slices: what a chip sends over its share.

    A chip's devices share its part of the data centre network. Latency, tens of microseconds and
    variable, is left out.
    """
    return sent_bytes_per_device * devices_per_chip / dcn_bytes_per_second


def rings_between(
    coordinates: Iterable[Coordinates], *, sides: Sequence[int], wraps: Sequence[bool]
) -> tuple[Ring, ...] | None:
    """Return the rings and lines that a group of chips fills, one for each axis of the torus.

    None where the chips are no evenly spaced box, for which the model has no formula.
    """
    chips = set(coordinates)
    rings = []
    for axis, side in enumerate(sides):
        values = sorted({chip[axis] for chip in chips})
        if len(values) == 1:
            continue
        gaps = {after - before for before, after in itertools.pairwise(values)}
        if len(gaps) != 1:
            return None
        stride = gaps.pop()
        closes = wraps[axis] and stride * len(values) == side
        rings.append(Ring(size=len(values), wraps=closes, stride=stride))
    return tuple(rings) if math.prod(ring.size for ring in rings) == len(chips) else None
