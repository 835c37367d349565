"""`placement`: devices of several slices laid out as a mesh; which steps cross a slow link."""

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from grader.core.data_kinds.meshes import shuffled
from grader.core.data_kinds.shapes import grid
from grader.core.draws import Bits
from grader.core.rubric.documents import PlacementAnswer


def placement_cases(answer: PlacementAnswer, *, bits: Bits) -> tuple[Mapping[str, object], ...]:
    """Return the devices of all slices in drawn orders, their ids drawn too."""
    return tuple(_case(answer, bits) for _ in range(answer.cases))


def judge_placement(answer: PlacementAnswer, case: Mapping[str, object], given: object) -> str:
    """Return what is wrong with a layout, or nothing. Raises AnswerShapeError."""
    devices = cast("Sequence[Mapping[str, object]]", case["devices"])
    where = {
        cast("int", one["id"]): (one["slice"], tuple(cast("list[int]", one["coords"])))
        for one in devices
    }
    shape = tuple(answer.axes.values())
    ids = grid(given, shape, "the grid")
    if sorted(ids) != sorted(where):
        return "every device has to be in the grid once, and no other"
    laid = np.array(ids).reshape(shape)
    for axis, name in enumerate(answer.axes):
        for left, right in _steps(laid, axis):
            (left_slice, left_at), (right_slice, right_at) = where[left], where[right]
            if name != answer.crosses and left_slice != right_slice:
                return f"along {name}, {left} and {right} are neighbours in different slices"
            if name in answer.neighbours and not _linked(left_at, right_at, answer.torus):
                return (
                    f"along {name}, {left} at {list(left_at)} and {right} at {list(right_at)} "
                    "are not joined by one link"
                )
    return ""


def _steps(laid: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]", axis: int) -> list[list[int]]:
    """Return every pair of neighbours along an axis, without the step back from the end."""
    before = np.delete(laid, -1, axis=axis)
    after = np.delete(laid, 0, axis=axis)
    pairs: list[list[int]] = np.stack([before.ravel(), after.ravel()], axis=1).tolist()
    return pairs


def _linked(left: tuple[int, ...], right: tuple[int, ...], torus: tuple[int, ...]) -> bool:
    """Whether two chips are one step apart on the torus."""
    steps = [
        min((one - other) % side, (other - one) % side)
        for one, other, side in zip(left, right, torus, strict=True)
    ]
    return sum(steps) == 1


def _case(answer: PlacementAnswer, bits: Bits) -> Mapping[str, object]:
    chips = math.prod(answer.torus)
    count = answer.slices * chips
    ids = shuffled(count, bits)
    devices = [
        {
            "id": ids[index],
            "slice": index // chips,
            "coords": [int(part) for part in np.unravel_index(index % chips, answer.torus)],
        }
        for index in range(count)
    ]
    return {"devices": [devices[index] for index in shuffled(count, bits)]}
