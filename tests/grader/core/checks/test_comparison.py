"""Comparison against an oracle that asks Python's own floats, one element at a time."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grader.core.checks.comparison import difference
from grader.core.evidence import Array

VALUES = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0])
TOLERANCES = st.sampled_from([0.0, 1e-6, 1e-3, 0.5])


def close(found: float, wanted: float, rtol: float, atol: float) -> bool:
    """Whether two numbers are close: the rule as the rubric's documentation states it."""
    if math.isnan(wanted) or math.isnan(found):
        return math.isnan(wanted) and math.isnan(found)
    if math.isinf(wanted) or math.isinf(found):
        return wanted == found
    return abs(found - wanted) <= atol + rtol * abs(wanted)


@given(st.data(), TOLERANCES, TOLERANCES)
def test_arrays_are_close_just_where_every_element_is(
    data: st.DataObject, rtol: float, atol: float
) -> None:
    shape = data.draw(arrays.array_shapes(max_dims=3, max_side=4))
    wanted = data.draw(arrays.arrays(np.float32, shape, elements=VALUES))
    found = data.draw(st.just(wanted.copy()) | arrays.arrays(np.float32, shape, elements=VALUES))
    pairs = zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True)
    expected = all(close(left, right, rtol, atol) for left, right in pairs)
    assert (difference(found, wanted, rtol=rtol, atol=atol) is None) is expected


@pytest.mark.parametrize(
    ("found", "wanted", "says"),
    [
        (np.ones(1, np.float32), np.ones(5, np.float32), "shape"),
        (np.ones((1, 5), np.float32), np.ones((5, 5), np.float32), "shape"),
        (np.ones((), np.float32), np.ones(1, np.float32), "shape"),
        (np.ones(3, np.complex64), np.ones(3, np.float32), "dtype complex64"),
        (np.ones(3, np.float64), np.ones(3, np.float32), "dtype float64"),
        (np.ones(3, np.bool_), np.ones(3, np.int32), "dtype bool"),
        (np.ones(3, np.float16), np.ones(3, ml_dtypes.bfloat16), "dtype float16"),
        (np.ones(0, np.float32), np.ones(0, np.float32), "no elements"),
        (np.full(3, np.nan, np.float32), np.ones(3, np.float32), "NaN in other places"),
        (np.ones(3, np.float32), np.full(3, np.nan, np.float32), "NaN in other places"),
        (np.full(3, np.inf, np.float32), np.ones(3, np.float32), "infinities in other"),
        (np.full(3, -np.inf, np.float32), np.full(3, np.inf, np.float32), "infinities in other"),
    ],
    ids=str,
)
def test_what_allclose_lets_through_is_told_apart(
    found: Array,
    wanted: Array,
    says: str,
) -> None:
    apart = difference(found, wanted, rtol=1.0, atol=1e30)
    assert apart is not None
    assert says in apart.what


def test_the_worst_element_is_named() -> None:
    wanted = np.zeros((2, 3), np.float32)
    found = wanted.copy()
    found[0, 1], found[1, 2] = 1.0, -5.0
    apart = difference(found, wanted, rtol=0, atol=0.5)
    assert apart is not None
    assert (apart.index, apart.wanted, apart.found) == ((1, 2), 0.0, -5.0)
    assert (apart.wrong, apart.size) == (2, 6)


@pytest.mark.parametrize("kind", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int8, np.bool_])
def test_narrow_types_compare_as_the_numbers_that_they_hold(kind: type) -> None:
    ones: Array = np.ones(4, kind)
    zeros: Array = np.zeros(4, kind)
    assert difference(ones, ones.copy(), rtol=0, atol=0) is None
    assert difference(ones, zeros, rtol=0, atol=0.5) is not None
