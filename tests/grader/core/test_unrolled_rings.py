"""Gathers and scatters spelled out in permutes, and permutes that only look like them."""

import pytest

from grader.core.collectives import Collective, Kind, Mesh, find_collectives
from grader.core.hlo import parse_module

MESH = Mesh({"data": 4})
FORWARD = "{{0,1},{1,2},{2,3},{3,0}}"
BACKWARD = "{{0,3},{1,0},{2,1},{3,2}}"
MADE = 'frontend_attributes={is_spmd_generated="true"}'
SQUARE = "bf16[8,8]{1,0}"
DIMS = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"


def permute(name: str, operand: str, pairs: str, made: str = MADE) -> str:
    attributes = f"channel_id=1, source_target_pairs={pairs}, {made}"
    return f"%{name} = {SQUARE} collective-permute(%{operand}), {attributes}"


def dot(name: str, operand: str) -> str:
    return f"%{name} = {SQUARE} dot(%{operand}, %w), {DIMS}"


def add(name: str, *operands: str) -> str:
    return f"%{name} = {SQUARE} add({', '.join('%' + one for one in operands)})"


def rows(*lines: str) -> tuple[Collective, ...]:
    body = [f"%x = {SQUARE} parameter(0)", f"%w = {SQUARE} parameter(1)", *lines]
    text = (
        f"HloModule m, num_partitions=4\n\nENTRY %main (x: {SQUARE}, w: {SQUARE}) -> {SQUARE} {{\n"
        + "".join(f"  {line}\n" for line in body)
        + f"  ROOT %r = {SQUARE} negate(%x)\n}}\n"
    )
    found = find_collectives(parse_module(text), mesh=MESH, learner_file="f.py")
    assert found.not_understood == ()
    return found.collectives


GATHER = (
    permute("one", "x", FORWARD),
    permute("two", "one", FORWARD),
    permute("back", "x", BACKWARD),
    *(dot(f"dot_{name}", name) for name in ("x", "one", "two", "back")),
)

SCATTER = (
    f"%zero = {SQUARE} broadcast(%w), dimensions={{0,1}}",
    permute("nothing", "zero", FORWARD),
    dot("part", "x"),
    add("first", "nothing", "part"),
    permute("one", "first", FORWARD),
    dot("second_part", "x"),
    add("second", "one", "second_part"),
    permute("two", "second", FORWARD),
    dot("third", "x"),
    permute("back", "third", BACKWARD),
    dot("own", "x"),
    f"%all = {SQUARE} fusion(%two, %back, %own), kind=kLoop, calls=%sum",
)


def test_permutes_that_bring_every_other_shard_to_a_product_are_one_gather() -> None:
    [row] = rows(*GATHER)
    assert (row.kind, row.axes, row.group_size) == (Kind.ALL_GATHER, ("data",), 4)
    assert (row.operand_bytes, row.result_bytes, row.sent_bytes_per_device) == (128, 512, 384)
    assert row.is_decomposed


def test_permutes_of_sums_from_every_other_place_are_one_scatter() -> None:
    before = (
        f"%sum (a: {SQUARE}, b: {SQUARE}, c: {SQUARE}) -> {SQUARE} {{\n"
        f"  %a = {SQUARE} parameter(0)\n"
        f"  %b = {SQUARE} parameter(1)\n  %c = {SQUARE} parameter(2)\n  %d = {SQUARE} add(%a, %b)\n"
        f"  ROOT %e = {SQUARE} add(%c, %d)\n}}\n\n"
    )
    body = "".join(f"  {line}\n" for line in SCATTER)
    text = (
        f"HloModule m, num_partitions=4\n\n{before}ENTRY %main (x: {SQUARE}, "
        f"w: {SQUARE}) -> {SQUARE} {{\n"
        f"  %x = {SQUARE} parameter(0)\n  %w = {SQUARE} parameter(1)\n{body}"
        f"  ROOT %r = {SQUARE} negate(%all)\n}}\n"
    )
    found = find_collectives(parse_module(text), mesh=MESH, learner_file="f.py")
    [row] = found.collectives
    assert (row.kind, row.axes, row.is_decomposed) == (Kind.REDUCE_SCATTER, ("data",), True)
    assert (row.operand_bytes, row.result_bytes, row.sent_bytes_per_device) == (512, 128, 384)


@pytest.mark.parametrize(
    "lines",
    [
        # one place of the ring is never reached
        [
            permute("one", "x", FORWARD),
            permute("back", "x", BACKWARD),
            *GATHER[3:4],
            dot("a", "one"),
            dot("b", "back"),
        ],
        # an arrival that no product takes
        [
            *GATHER[:3],
            dot("a", "x"),
            dot("b", "one"),
            dot("c", "two"),
            f"%n = {SQUARE} negate(%back)",
        ],
        # a product that is only sent on to another place
        [dot("a", "x"), permute("one", "a", FORWARD), dot("b", "one")],
        # a ring that visits its places out of order
        [permute("far", "x", "{{0,2},{2,1},{1,3},{3,0}}"), dot("a", "x"), dot("b", "far")],
        # a line, not a ring
        [permute("part", "x", "{{0,1},{1,2},{2,3}}"), dot("a", "x"), dot("b", "part")],
    ],
)
def test_anything_less_stays_the_permutes_that_it_is(lines: list[str]) -> None:
    permutes = [line for line in lines if "collective-permute(" in line]
    found = rows(*lines)
    assert [row.kind for row in found] == [Kind.COLLECTIVE_PERMUTE] * len(permutes)
    assert not any(row.is_decomposed for row in found)


def test_permutes_that_the_learner_wrote_stay_permutes() -> None:
    found = rows(*(line.replace(MADE, "metadata={}") for line in GATHER))
    assert [row.kind for row in found] == [Kind.COLLECTIVE_PERMUTE] * 3
