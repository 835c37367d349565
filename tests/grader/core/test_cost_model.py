"""The cost model against worked cases from the literature, and its own limits.

SB is the scaling book (jax-ml.github.io/scaling-book); its problems drop (n-1)/n for rings of many
devices, which the model keeps: comparisons multiply it back in, and say so. House link rates differ
from some of the book's editions: where a case was worked at another rate, that rate is used.
"""

import dataclasses
import math

import pytest

from grader.core.collectives import Kind
from grader.core.cost import CHIPS, Ring, Torus, collective_seconds, permute_seconds
from grader.core.cost.network import cross_slice_seconds, rings_between
from grader.core.cost.programs import product_seconds
from grader.core.hlo.times import ONCE
from grader.core.products import Product

MICRO = 1e-6
V4_RING = Ring(size=4, wraps=True)
V4_LINK = CHIPS["v4"].ici_bytes_per_second  # 4.5e10 one way, 9e10 both: the book's v4p
BOOK_V5E = dataclasses.replace(CHIPS["v5e"], hbm_bytes_per_second=8.1e11)


def gather(full_bytes: float, rings: list[Ring], link: float) -> float:
    return collective_seconds(
        Kind.ALL_GATHER,
        operand_bytes=full_bytes / math.prod(ring.size for ring in rings),
        result_bytes=full_bytes,
        rings=rings,
        link_bytes_per_second=link,
    )


def product(m: int, k: int, n: int, *, dtype: str = "bf16", bytes_each: int = 2) -> Product:
    moved = bytes_each * (m * k + k * n + m * n)
    return Product(
        hlo_name="dot",
        computation="main",
        dtype=dtype,
        flops=2 * m * k * n,
        bytes=moved,
        passes=1,
        times=ONCE,
        line=None,
    )


def test_a_gather_on_one_wrapped_axis_of_v4_takes_23_microseconds() -> None:
    # SB, Sharding, question 2 (1) and (2): 2*1024*4096/4 bytes over 9e10, many-device limit
    seconds = gather(2 * 1024 * 4096 / 4, [V4_RING], V4_LINK)
    assert seconds * 4 / 3 == pytest.approx(23 * MICRO, rel=0.02)


def test_a_gather_over_two_axes_of_v4_takes_46_microseconds() -> None:
    # SB, Sharding, question 2 (3): 2*1024*4096 bytes over 1.8e11, bandwidth bound
    seconds = gather(2 * 1024 * 4096, [V4_RING, V4_RING], V4_LINK)
    assert seconds * 16 / 15 == pytest.approx(46 * MICRO, rel=0.02)


def test_a_gather_of_a_sixteenth_takes_six_microseconds() -> None:
    # SB, Sharding, question 2 (4): 2*1024*4096/16 bytes over 9e10 = 5.8 us
    seconds = gather(2 * 1024 * 4096 / 16, [V4_RING], V4_LINK)
    assert seconds * 4 / 3 == pytest.approx(5.8 * MICRO, rel=0.02)


def test_a_tiny_gather_on_a_ring_of_four_is_bound_by_two_hops() -> None:
    # SB, Sharding, question 3: 256 bytes, 2 hops of about 1 us
    assert gather(256, [V4_RING], V4_LINK) == pytest.approx(2 * MICRO)


def test_a_gather_on_a_v5e_line_of_four_takes_560_microseconds() -> None:
    # SB, Sharding, pop quiz 2 (1): no wraparound below 16: 3 hops of 8.4e6 bytes at 4.5e10
    line = Ring(size=4, wraps=False)
    seconds = gather(2048 * 8192 * 2, [line], CHIPS["v5e"].ici_bytes_per_second)
    assert seconds == pytest.approx(560 * MICRO, rel=0.01)


def test_a_small_gather_on_a_v5e_line_of_four_is_bound_by_three_hops() -> None:
    # SB, Sharding, pop quiz 2 (2): 256x256 bf16, latency bound, 3 us
    line = Ring(size=4, wraps=False)
    seconds = gather(256 * 256 * 2, [line], CHIPS["v5e"].ici_bytes_per_second)
    assert seconds == pytest.approx(3 * MICRO)


def test_gathering_16_gb_on_a_v5e_4x4_takes_160_milliseconds() -> None:
    # SB, TPUs, question 6: 16e9/(5e10*2), two lines at line rate, many-device limit
    lines = [Ring(size=4, wraps=False)] * 2
    assert gather(16e9, lines, 5e10) * 16 / 15 == pytest.approx(160e-3, rel=0.01)


def test_an_all_reduce_costs_two_gathers_and_a_scatter_one() -> None:
    # SB, Sharding, the table of collectives
    arguments = {"rings": [V4_RING], "link_bytes_per_second": V4_LINK}
    full = 1e8
    one = gather(full, [V4_RING], V4_LINK)
    reduce = collective_seconds(
        Kind.ALL_REDUCE,
        operand_bytes=full,
        result_bytes=full,
        rings=[V4_RING],
        link_bytes_per_second=V4_LINK,
    )
    scatter = collective_seconds(
        Kind.REDUCE_SCATTER,
        operand_bytes=full,
        result_bytes=full / 4,
        **arguments,  # type: ignore[arg-type]  # shared keywords
    )
    assert reduce == pytest.approx(2 * one)
    assert scatter == pytest.approx(one)


def test_an_all_to_all_on_a_large_ring_costs_a_quarter_of_a_gather() -> None:
    # SB, Sharding, "our final communication primitive": V/4W for a bidirectional ring
    ring, full = Ring(size=256, wraps=True), 1e10
    exchange = collective_seconds(
        Kind.ALL_TO_ALL,
        operand_bytes=full / 256,
        result_bytes=full / 256,
        rings=[ring],
        link_bytes_per_second=V4_LINK,
    )
    assert exchange == pytest.approx(gather(full, [ring], V4_LINK) / 4, rel=0.01)


def test_loading_400_gb_of_weights_on_32_v4_chips_takes_ten_milliseconds() -> None:
    # SB, TPUs, question 1: 12.5e9 bytes a chip
    assert 400e9 / 32 / CHIPS["v4"].hbm_bytes_per_second == pytest.approx(10e-3, rel=0.05)


@pytest.mark.parametrize(("rows", "bound"), [(240, "memory"), (300, "compute")])
def test_an_int8_product_on_v5e_is_bound_by_compute_from_271_rows(rows: int, bound: str) -> None:
    # SB, TPUs, question 4: int8[16384,4096] by int8[B,4096], B > 271 at 8.1e11 bytes a second
    one = product(rows, 4096, 16384, dtype="s8", bytes_each=1)
    seconds = product_seconds(one, Torus(BOOK_V5E, (1, 1)))
    compute = one.flops / 3.94e14
    assert (seconds == pytest.approx(compute)) is (bound == "compute")


def test_a_bf16_product_of_eight_rows_takes_as_long_as_loading_its_weights() -> None:
    # SB, TPUs, question 6: 16e9 bytes past 8.1e11 a second is about 19-20 ms, its 1.3 ms of
    # multiplying hide behind it
    side = 128 * 1024
    one = Product(
        hlo_name="dot", computation="main", dtype="bf16", flops=2 * 8 * side * side,
        bytes=16_000_000_000, passes=1, times=ONCE, line=None,
    )  # fmt: skip
    assert product_seconds(one, Torus(BOOK_V5E, (1, 1))) == pytest.approx(19.75e-3, rel=0.01)
    assert one.flops / BOOK_V5E.bf16_flops_per_second == pytest.approx(1.3e-3, rel=0.1)


def test_fsdp_on_v5p_is_bound_by_compute_from_2550_tokens_a_chip() -> None:
    # SB, Training, "fully sharded data parallelism": B/X > C/W = 2550; one D x F weight, its gather
    # over a large ring against the product of B/X tokens with it
    width, hidden = 8192, 32768
    ring = Ring(size=1024, wraps=True)
    gathered = gather(2 * width * hidden, [ring], CHIPS["v5p"].ici_bytes_per_second)
    tokens = gathered * CHIPS["v5p"].bf16_flops_per_second / (2 * width * hidden)
    assert tokens == pytest.approx(2550, rel=0.005)


def test_data_parallelism_between_two_v5p_slices_needs_36720_tokens_a_slice() -> None:
    # SB, Training, across slices: tokens per slice > (s-1)/s * C/w_dcn; a backward pass of 4*P*B
    # flops over n chips against an all-reduce of 2P/n bytes on each
    chip = CHIPS["v5p"]
    parameters, chips = 1e9, 16
    sent = 2 * (1 / 2) * 2 * parameters / chips
    seconds = cross_slice_seconds(
        int(sent), devices_per_chip=1, dcn_bytes_per_second=chip.dcn_bytes_per_second or 0
    )
    tokens_per_slice = seconds * chip.bf16_flops_per_second * chips / (4 * parameters)
    assert tokens_per_slice == pytest.approx(36_720, rel=0.01)


def test_ridges_are_those_of_the_book() -> None:
    # SB, Rooflines and Inference: 240 tokens on v5e, about 166 on v5p at 2,765 GB/s
    for name, ridge in (("v5e", 240), ("v5p", 166)):
        chip = CHIPS[name]
        assert chip.bf16_flops_per_second / chip.hbm_bytes_per_second == pytest.approx(
            ridge, rel=0.01
        )


def test_a_permute_to_the_neighbour_takes_its_bytes_over_one_link() -> None:
    pairs = [((i,), ((i + 1) % 4,)) for i in range(4)]
    for wraps in (
        True,
        False,
    ):  # without the wrap the last transfer uses the links' other direction
        seconds = permute_seconds(
            4.5e7, pairs, sides=(4,), wraps=(wraps,), link_bytes_per_second=4.5e10
        )
        assert seconds == pytest.approx(1e-3)


def test_a_permute_across_half_a_ring_shares_each_link_between_two_transfers() -> None:
    pairs = [((i,), ((i + 2) % 4,)) for i in range(4)]
    seconds = permute_seconds(4.5e7, pairs, sides=(4,), wraps=(True,), link_bytes_per_second=4.5e10)
    assert seconds == pytest.approx(2e-3)


@pytest.mark.parametrize(
    ("topology", "wraps"),
    [
        ("v5e:2x4", (False, False)),
        ("v5e:16x16", (True, True)),
        ("v6e:8x16", (False, True)),
        ("v5p:2x2x4", (False, False, False)),
        ("v5p:4x4x8", (True, True, True)),
        ("tpu7x:2x2x1", (False, False, False)),
        ("v3:4x4", (True, True)),
    ],
)
def test_sides_close_to_rings_where_the_machine_has_the_links(
    topology: str, wraps: tuple[bool, ...]
) -> None:
    assert Torus.named(topology).wraps == wraps


@pytest.mark.parametrize("name", ["v5e", "v9:2x2", "v5e:2", "", "v5e:2x2x2x2"])
def test_a_slice_without_a_name_of_that_form_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="no TPU slice"):
        Torus.named(name)


def test_a_group_of_chips_is_the_rings_that_it_fills() -> None:
    sides, wraps = (4, 4), (True, False)
    whole_axis = [(i, 0) for i in range(4)]
    every_other = [(0, 0), (2, 0)]
    box = [(i, j) for i in range(4) for j in range(2)]
    assert rings_between(whole_axis, sides=sides, wraps=wraps) == (Ring(4, wraps=True),)
    assert rings_between(every_other, sides=sides, wraps=wraps) == (Ring(2, wraps=True, stride=2),)
    assert rings_between(box, sides=sides, wraps=wraps) == (
        Ring(4, wraps=True),
        Ring(2, wraps=False),
    )
    assert rings_between([(0, 0), (1, 1)], sides=sides, wraps=wraps) is None
    assert rings_between([(0, 0), (1, 0), (3, 0)], sides=sides, wraps=wraps) is None


def test_one_chip_alone_communicates_in_no_time() -> None:
    assert gather(1e9, [], V4_LINK) == 0


def test_a_permute_has_no_time_without_its_pairs() -> None:
    with pytest.raises(ValueError, match="permute_seconds"):
        collective_seconds(
            Kind.COLLECTIVE_PERMUTE,
            operand_bytes=1,
            result_bytes=1,
            rings=[V4_RING],
            link_bytes_per_second=V4_LINK,
        )
