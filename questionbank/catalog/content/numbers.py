"""How a number is written for readers; `frontend/src/sheet.js` keeps the same rule."""

import math
from decimal import ROUND_HALF_UP, Decimal

import msgspec

from questionbank.catalog.content.units import Unit

DEFAULT_DIGITS = 4
INPUT_DIGITS = 6
_WORDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Shown(msgspec.Struct, frozen=True):
    """How a value in base units is shown: divided by `factor`, then `digits`, then a suffix."""

    factor: float
    one: str
    many: str
    digits: int = DEFAULT_DIGITS
    words: bool = False


def shown_in(unit: Unit, digits: int = DEFAULT_DIGITS) -> Shown:
    """Show values in this unit."""
    return Shown(
        factor=unit.factor,
        one=unit.suffix(plural=False),
        many=unit.suffix(plural=True),
        digits=digits,
        words=unit.is_count,
    )


def written(value: float, shown: Shown) -> str:
    """Write a value given in base units, by the rule in FORMAT.md."""
    if not math.isfinite(value):
        return "—"
    scaled = value / shown.factor
    if shown.words:
        for size, word in _WORDS:
            if size <= abs(scaled) < 1e15:
                # A line may break before the unit, not between the number and its word.
                unit = shown.many.replace("\u00a0", " ")
                return f"{_digits(scaled / size, shown.digits)}\u00a0{word}{unit}"
    text = _digits(scaled, shown.digits)
    return text + (shown.one if text == "1" else shown.many)


def _digits(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "—"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e6 and size == math.floor(size):
        return f"{sign}{size:,.0f}"
    rounded = _significant(size, digits)
    if size >= 1e15 or size < 1e-4:
        exponent = rounded.adjusted()
        mantissa = _plain(rounded.scaleb(-exponent))
        return f"{sign}{mantissa}\u00a0×\u00a010{str(exponent).translate(_SUPERSCRIPTS)}"
    return sign + _plain(rounded)


def _significant(size: float, digits: int) -> Decimal:
    exact = Decimal(size)
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return exact.quantize(step, rounding=ROUND_HALF_UP)


def _plain(value: Decimal) -> str:
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
