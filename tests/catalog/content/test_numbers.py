"""How numbers read. The expected texts are the rule of FORMAT.md applied by hand."""

import pytest

from questionbank.catalog.content.numbers import shown_in, written
from questionbank.catalog.content.units import parse_unit

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (418.44e9, "GB", "418.4 GB"),
        (418.45e9, "GB", "418.4 GB"),  # the float lies just below the half
        (140e9, "GB", "140 GB"),
        (1.5e9, "GB", "1.5 GB"),
        (2765e9, "GB/s", "2,765 GB/s"),
        (0.2582, "ms", "258.2 ms"),
        (3e-6, "us", "3 µs"),
        (8960.0, "", "8,960"),
        (327_680.0, "byte", "327,680 B"),
        (1_234_567.0, "byte", "1,235,000 B"),
        (70e9, "param", "70 billion parameters"),
        (1.0, "param", "1 parameter"),
        (256.0, "chip", "256 chips"),
        (1_000_000.0, "", "1 million"),
        (4.2e12, "token", "4.2 trillion tokens"),
        (70e9, "billion param", "70 billion parameters"),
        (0.405, "percent", "40.5%"),
        (1.5, "x", "1.5×"),
        (2.0, "byte/param", "2 B/param"),
        (295.2, "FLOP/byte", "295.2 FLOP/B"),
        (50_000.0, "token/s", "50,000 tokens/s"),
        (3.2e-7, "", "3.2 × 10⁻⁷"),
        (0.0, "GB", "0 GB"),
        (-1.5, "", "−1.5"),
        (1e15, "", "1 × 10¹⁵"),
        (float("nan"), "GB", "—"),
        (float("inf"), "", "—"),
        (0.12345, "", "0.1235"),  # the float lies just above the half
        (2.00001, "", "2"),
    ],
)
def test_a_number_is_written_as_the_rule_says(value: float, unit: str, text: str) -> None:
    assert written(value, shown_in(parse_unit(unit))).replace(NBSP, " ") == text


def test_halves_go_away_from_zero_on_the_exact_value() -> None:
    # 1234.5 and 1235.5 are exact in binary: round-half-even would give 1,234 and 1,236.
    shown = shown_in(parse_unit(""))
    assert [written(v, shown) for v in (1234.5, 1235.5, -1234.5)] == ["1,235", "1,236", "−1,235"]


def test_the_digits_can_be_chosen() -> None:
    assert written(418.44e9, shown_in(parse_unit("GB"), digits=2)) == f"420{NBSP}GB"


@pytest.mark.parametrize("text", ["GBps", "/s", "GB//s", "GB+s", "2 GB"])
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unit"):
        parse_unit(text)
