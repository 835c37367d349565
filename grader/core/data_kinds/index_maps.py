"""`index_map`: which block of an array each device of a mesh holds."""

from collections.abc import Mapping
from typing import cast

from grader.core.arrays import block_at
from grader.core.data_kinds.meshes import shuffled
from grader.core.data_kinds.shapes import grid, mapping
from grader.core.draws import Bits
from grader.core.rubric.documents import IndexMapAnswer
from grader.core.rubric.vocabulary import Spec

_NAMES = ("x", "y", "z", "w")
_SIZES = (1, 2, 3, 4)


def index_map_cases(answer: IndexMapAnswer, *, bits: Bits) -> tuple[Mapping[str, object], ...]:
    """Return random meshes, specs and shapes: axes that are omitted, and several on a dimension."""
    return tuple(_case(answer, bits) for _ in range(answer.cases))


def judge_index_map(case: Mapping[str, object], given: object) -> str:
    """Return what is wrong with an index map, or nothing. Raises AnswerShapeError."""
    axes = cast("Mapping[str, int]", case["mesh"])
    shape = cast("list[int]", case["shape"])
    spec = _spec(case["spec"], len(shape))
    found = mapping(given, "the index map")
    devices = 1
    for size in axes.values():
        devices *= size
    if set(found) != {str(position) for position in range(devices)}:
        return f"{len(found)} keys; it needs one for each device, 0 to {devices - 1}"
    for position in range(devices):
        block = block_at(position, axes=axes, spec=spec, shape=shape)
        wanted = [list(ends) for ends in zip(block.start, block.stop, strict=True)]
        ends = grid(found[str(position)], (len(shape), 2), f"device {position}")
        if ends != [end for pair in wanted for end in pair]:
            return f"device {position} holds {found[str(position)]}, not {wanted}"
    return ""


def _case(answer: IndexMapAnswer, bits: Bits) -> Mapping[str, object]:
    count = _draw(bits, 1, answer.most_axes)
    axes = {_NAMES[index]: _SIZES[_draw(bits, 0, len(_SIZES) - 1)] for index in range(count)}
    rank = _draw(bits, 1, answer.most_dimensions)
    parts: list[list[str]] = [[] for _ in range(rank)]
    for index in shuffled(count, bits):
        place = _draw(bits, 0, rank)  # rank itself: the axis splits nothing
        if place < rank:
            parts[place].append(_NAMES[index])
    shape = []
    for part in parts:
        size = _draw(bits, 1, 8)
        for name in part:
            size *= axes[name]
        shape.append(size)
    spec: list[object] = [part[0] if len(part) == 1 else part or None for part in parts]
    while spec and spec[-1] is None and _draw(bits, 0, 1):
        spec.pop()  # a PartitionSpec may be shorter than the shape
    return {"mesh": axes, "spec": spec, "shape": shape}


def _spec(spec: object, rank: int) -> Spec:
    parts = cast("list[str | list[str] | None]", spec)
    plain = [tuple(part) if isinstance(part, list) else part for part in parts]
    return (*plain, *(None,) * (rank - len(plain)))


def _draw(bits: Bits, least: int, greatest: int) -> int:
    return int(bits.integers(least, greatest + 1, 1)[0])
