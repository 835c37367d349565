"""Compares two arrays so that nothing slips through: dtype and shape first, NaN never equal."""

import dataclasses

import numpy as np

from grader.core.evidence import Array


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How an array differs: what is wrong, and at the worst element where there is one.

    `index` is in the array compared, `wanted` and `found` are its values there; `wrong` of `size`
    elements are out of tolerance.
    """

    what: str
    index: tuple[int, ...] | None = None
    wanted: float | None = None
    found: float | None = None
    wrong: int = 0
    size: int = 0


def difference(found: Array, wanted: Array, *, rtol: float, atol: float) -> Difference | None:
    """Return how `found` differs from `wanted`, or None where every element is close.

    Close is |found - wanted| <= atol + rtol × |wanted|, in float64. A NaN has to be where one is
    wanted and nowhere else, an infinity with its sign too; whether either may be wanted at all is
    for the caller to say. Empty arrays are never close: there is nothing that they show.
    """
    if unlike := _unlike(found, wanted):
        return Difference(what=unlike)
    left, right = found.astype(np.float64), wanted.astype(np.float64)
    if (apart := np.isnan(left) != np.isnan(right)).any():
        return _at(apart, left, right, "NaN in other places")
    if (apart := _infinity(left) != _infinity(right)).any():
        return _at(apart, left, right, "infinities in other places")
    finite = np.isfinite(right)
    distance = np.abs(np.where(finite, left, 0.0) - np.where(finite, right, 0.0))
    allowed = atol + rtol * np.abs(np.where(finite, right, 0.0))
    # Asked as "is it close", so that nothing that cannot be compared counts as close.
    apart = ~(distance <= allowed)
    if apart.any():
        return _at(apart, left, right, "values out of tolerance", distance - allowed)
    return None


def _unlike(found: Array, wanted: Array) -> str:
    if found.dtype != wanted.dtype:
        return f"dtype {found.dtype.name}, not {wanted.dtype.name}"
    if found.shape != wanted.shape:
        return f"shape {list(found.shape)}, not {list(wanted.shape)}"
    return "" if wanted.size else "no elements at all"


def _infinity(values: Array) -> Array:
    """Return 1 and -1 for the infinities, 0 elsewhere."""
    return np.where(np.isinf(values), np.sign(values.astype(np.float64)), 0.0)


def _at(
    apart: Array, left: Array, right: Array, what: str, distance: Array | None = None
) -> Difference:
    flat = int(np.argmax(apart if distance is None else np.where(apart, distance, -np.inf)))
    index = tuple(int(part) for part in np.unravel_index(flat, apart.shape))
    return Difference(
        what=what,
        index=index,
        wanted=float(right[index]),
        found=float(left[index]),
        wrong=int(np.count_nonzero(apart)),
        size=apart.size,
    )
