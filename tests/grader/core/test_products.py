"""Products counted in HLO written by hand: expected numbers from the definition of each product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.core.hlo import parse_module
from grader.core.hlo.times import Times
from grader.core.products import Products, find_products


def products_of(left: str, right: str, instruction: str) -> Products:
    text = (
        f"HloModule m\n\nENTRY %main (a: {left}, b: {right}) -> f32[1] {{\n"
        f"  %a = {left} parameter(0)\n  %b = {right} parameter(1)\n  ROOT %p = {instruction}\n}}\n"
    )
    return find_products(parse_module(text), learner_file="f.py")


def flops_of(left: str, right: str, instruction: str) -> int | None:
    found = products_of(left, right, instruction)
    assert found.not_understood == ()
    return found.flops.exact


def test_a_dot_is_two_operations_for_each_triple() -> None:
    dot = "f32[8,32]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    assert flops_of("bf16[8,16]{1,0}", "bf16[16,32]{1,0}", dot) == 2 * 8 * 16 * 32


def test_a_batched_dot_counts_its_batch_once() -> None:
    dot = (
        "f32[4,8,32]{2,1,0} dot(%a, %b), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
        "rhs_batch_dims={0}, rhs_contracting_dims={1}"
    )
    assert flops_of("f32[4,8,16]{2,1,0}", "f32[4,16,32]{2,1,0}", dot) == 2 * 4 * 8 * 16 * 32


def test_a_complex_product_is_eight_operations_for_each_triple() -> None:
    # (a+bi)(c+di) is four products and two sums, and adding it to a sum is two more
    dot = "c64[8,32]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    assert flops_of("c64[8,16]{1,0}", "c64[16,32]{1,0}", dot) == 8 * 8 * 16 * 32


@pytest.mark.parametrize(
    ("instruction", "uncounted"),
    [
        # what lax.ragged_dot becomes on TPU: a kernel whose body is no HLO
        ('bf16[8,32]{1,0} custom-call(%a, %b), custom_call_target="tpu_custom_call"', True),
        ("bf16[8,32]{1,0} ragged-dot(%a, %b), lhs_contracting_dims={1}", True),
        ('s32[5]{0} custom-call(%a), custom_call_target="tpu_custom_call"', False),
        ('bf16[8,16]{1,0} custom-call(%a), custom_call_target="ConcatBitcast"', False),
    ],
)
def test_a_product_that_cannot_be_counted_is_named_never_taken_for_nothing(
    instruction: str, *, uncounted: bool
) -> None:
    found = products_of("bf16[8,16]{1,0}", "bf16[16,32]{1,0}", instruction)
    assert found.not_understood == (("p",) if uncounted else ())


def test_an_outer_product_contracts_nothing() -> None:
    dot = "f32[8,32]{1,0} dot(%a, %b), lhs_contracting_dims={}, rhs_contracting_dims={}"
    assert flops_of("f32[8]{0}", "f32[32]{0}", dot) == 2 * 8 * 32


def test_a_product_that_a_tpu_writes_as_a_convolution_is_counted_as_the_product() -> None:
    convolution = "f32[8,32]{1,0} convolution(%a, %b), dim_labels=bf_io->bf"
    assert flops_of("bf16[8,16]{1,0}", "bf16[16,32]{1,0}", convolution) == 2 * 8 * 16 * 32


def test_a_batch_that_a_tpu_spreads_over_a_dilated_window_is_counted_once() -> None:
    # 4 batches as a spatial dimension: with the input dilated by 4 and stride 3 each output meets
    # one element of the kernel of 4
    convolution = (
        "f32[4,8,32]{2,1,0} convolution(%a, %b), window={size=4 stride=3 pad=0_0 lhs_dilate=4}, "
        "dim_labels=0bf_0io->0bf"
    )
    count = flops_of("f32[4,8,16]{2,1,0}", "f32[4,16,32]{2,1,0}", convolution)
    assert count == 2 * 4 * 8 * 16 * 32


def test_positions_in_the_padding_multiply_nothing() -> None:
    # a kernel of 3 over 5 elements, padded by 1 at both ends: 3 + 3 + 3 + 2 + 2 pairs exist
    convolution = (
        "f32[1,5,1]{2,1,0} convolution(%a, %b), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"
    )
    assert flops_of("f32[1,5,1]{2,1,0}", "f32[3,1,1]{2,1,0}", convolution) == 2 * 13


def test_a_grouped_convolution_counts_the_features_of_a_group() -> None:
    convolution = (
        "f32[2,8,6]{2,1,0} convolution(%a, %b), window={size=1}, dim_labels=b0f_0io->b0f, "
        "feature_group_count=3"
    )
    assert flops_of("f32[2,8,6]{2,1,0}", "f32[1,2,6]{2,1,0}", convolution) == 2 * 2 * 8 * 6 * 2


@given(
    size=st.integers(1, 5),
    stride=st.integers(1, 4),
    low=st.integers(-2, 4),
    dilate=st.integers(1, 4),
    spread=st.integers(1, 3),
    inputs=st.integers(1, 7),
    outputs=st.integers(1, 9),
)
def test_the_pairs_that_meet_are_those_of_the_definition(
    size: int, stride: int, low: int, dilate: int, spread: int, inputs: int, outputs: int
) -> None:
    met = sum(
        1
        for output in range(outputs)
        for element in range(size)
        if (at := output * stride + element * spread - low) % dilate == 0
        and 0 <= at <= (inputs - 1) * dilate
    )
    convolution = (
        f"f32[1,{outputs},1]{{2,1,0}} convolution(%a, %b), window={{size={size} stride={stride} "
        f"pad={low}_0 lhs_dilate={dilate} rhs_dilate={spread}}}, dim_labels=b0f_0io->b0f"
    )
    shapes = f"f32[1,{inputs},1]{{2,1,0}}", f"f32[{size},1,1]{{2,1,0}}"
    assert flops_of(*shapes, convolution) == 2 * met


@pytest.mark.parametrize(("precision", "passes"), [("default", 1), ("high", 3), ("highest", 6)])
def test_a_higher_precision_takes_several_passes(precision: str, passes: int) -> None:
    dot = (
        "f32[8,8]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        f"operand_precision={{{precision},{precision}}}"
    )
    [product] = products_of("f32[8,8]{1,0}", "f32[8,8]{1,0}", dot).products
    assert product.passes == passes
    assert (product.dtype, product.bytes) == ("f32", 3 * 256)


@pytest.mark.parametrize(
    "instruction",
    [
        "f32[8,8]{1,0} dot(%a)",
        "f32[8,8]{1,0} dot(%a, %nowhere)",
        "(f32[8,8]{1,0}) dot(%a, %b)",
        "f32[8,8]{1,0} dot(%a, %b), lhs_contracting_dims={7}",
        "f32[8,8]{1,0} dot(%a, %b), lhs_contracting_dims=1",
        "f32[8,8]{1,0} convolution(%a, %b)",
        "f32[8,8]{1,0} convolution(%a, %b), dim_labels=b0f_0io->b0f",
        "f32[8,8]{1,0} convolution(%a, %b), dim_labels=bb_io->bf, window={size=1}",
        "f32[8,8]{1,0} convolution(%a, %b), dim_labels=0f_0i->0f, window={size=8}",
        "f32[8,8]{1,0} convolution(%a, %b), dim_labels=b0_0i->b0, window={size=3}",
        "f32[8,8]{1,0} convolution(%a, %b), dim_labels=b0_0i->b0, window={size=8x8}",
    ],
)
def test_a_product_that_cannot_be_read_is_named_and_not_counted(instruction: str) -> None:
    found = products_of("f32[8,8]{1,0}", "f32[8,8]{1,0}", instruction)
    assert found.not_understood == ("p",)
    assert found.flops == Times(0, 0)


def test_a_product_of_tuples_is_named_and_not_counted() -> None:
    found = products_of("(f32[8])", "f32[8]{0}", "f32[8]{0} dot(%a, %b)")
    assert found.not_understood == ("p",)
