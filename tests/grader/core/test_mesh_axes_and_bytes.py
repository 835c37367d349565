"""Groups and pairs named by the axes of a mesh, and the bytes that each kind sends."""

import pytest

from grader.core.collectives import Kind, Mesh
from grader.core.collectives.mesh import place_groups, place_pairs, rings
from grader.core.collectives.rows import sent_bytes
from grader.core.hlo import HloError

# Groups and pairs on a mesh of data=2, model=2, seq=2; positions count with seq fastest.
CUBE = Mesh({"data": 2, "model": 2, "seq": 2})


@pytest.mark.parametrize(
    ("groups", "axes", "part_of"),
    [
        (((0, 1), (2, 3), (4, 5), (6, 7)), ("seq",), ()),
        (((0, 2, 4, 6), (1, 3, 5, 7)), ("data", "model"), ()),
        (((0, 1, 2, 3, 4, 5, 6, 7),), ("data", "model", "seq"), ()),
        (((0, 3), (1, 2), (4, 7), (5, 6)), (), ("model", "seq")),
        (((0, 1), (2, 3)), (), ("seq",)),
        (((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,)), (), ()),
    ],
)
def test_groups_are_named_by_the_axes_that_they_span_exactly(
    groups: tuple[tuple[int, ...], ...], axes: tuple[str, ...], part_of: tuple[str, ...]
) -> None:
    place = place_groups(CUBE, groups)
    assert (place.axes, place.part_of) == (axes, part_of)
    assert (place.groups is None) is bool(axes)


@pytest.mark.parametrize(
    ("mesh", "pairs", "axes", "steps"),
    [
        ({"x": 8}, [(i, (i + 1) % 8) for i in range(8)], ("x",), 1),
        ({"x": 8}, [(i, i - 2) for i in range(2, 8)], ("x",), -2),
        ({"x": 2, "y": 4}, [(0, 1), (4, 5)], ("y",), 1),
        ({"x": 2, "y": 2}, [(1, 2), (2, 1)], ("x", "y"), None),
        ({"x": 4}, [(0, 0), (1, 1)], (), None),
        ({"x": 4}, [(0, 2), (1, 3), (2, 0), (3, 1)], ("x",), 2),
    ],
)
def test_pairs_are_named_by_the_axes_along_which_they_move(
    mesh: dict[str, int], pairs: list[tuple[int, int]], axes: tuple[str, ...], steps: int | None
) -> None:
    place = place_pairs(Mesh(mesh), pairs)
    assert (place.axes, place.steps) == (axes, steps)


def test_a_group_with_a_position_that_the_mesh_lacks_is_an_error() -> None:
    with pytest.raises(HloError, match="device 8"):
        place_groups(CUBE, ((0, 8),))


def test_pairs_that_close_are_rings_and_pairs_that_end_are_none() -> None:
    assert rings([(0, 2), (2, 0), (1, 3), (3, 1)]) == ((0, 2), (1, 3))
    assert rings([(0, 1), (1, 2)]) is None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        # nccl-tests' PERFORMANCE.md: per rank (n-1)/n of the array, twice that for an all-reduce
        (Kind.ALL_GATHER, 750),
        (Kind.REDUCE_SCATTER, 750),
        (Kind.ALL_REDUCE, 1500),
        (Kind.ALL_TO_ALL, 750),
        (Kind.COLLECTIVE_PERMUTE, 1000),
        (Kind.COLLECTIVE_BROADCAST, 1000),
    ],
)
def test_bytes_sent_follow_the_ring_algorithms(kind: Kind, expected: int) -> None:
    assert sent_bytes(kind, operand_bytes=1000, result_bytes=1000, group_size=4) == expected
    assert sent_bytes(kind, operand_bytes=1000, result_bytes=1000, group_size=1) == 0
