"""The committed facts against what they can be worked out from."""

import pytest

from questionbank.catalog.content.documents import Bank
from questionbank.catalog.content.errors import ContentError
from questionbank.catalog.content.units import parse_unit


def _values(committed: tuple[Bank, list[ContentError]]) -> dict[str, float]:
    bank, _ = committed
    return {fact.name: fact.value * parse_unit(fact.unit).factor for fact in bank.facts}


@pytest.mark.parametrize(
    ("chip", "clock"), [("v3", 0.94e9), ("v4", 1.05e9), ("v5e", 1.5e9), ("v5p", 1.75e9)]
)
def test_a_peak_is_its_matrix_units_times_the_clock(
    committed: tuple[Bank, list[ContentError]], chip: str, clock: float
) -> None:
    values = _values(committed)
    # Each cell of an array does one multiply and one add a cycle.
    peak = values[f"{chip}.mxus"] * values[f"{chip}.mxu_side"] ** 2 * 2 * clock
    assert values[f"{chip}.peak_bf16"] == pytest.approx(peak, rel=0.005)


@pytest.mark.parametrize(
    ("chip", "ridge"), [("a100", 156), ("h100", 295), ("h200", 206), ("b200", 281), ("v5e", 240)]
)
def test_a_ridge_point_is_the_published_one(
    committed: tuple[Bank, list[ContentError]], chip: str, ridge: float
) -> None:
    values = _values(committed)
    found = values[f"{chip}.peak_bf16"] / values[f"{chip}.hbm_bandwidth"]
    assert found == pytest.approx(ridge, rel=0.01)


def test_bandwidths_agree_with_the_line_rates_that_they_come_from(
    committed: tuple[Bank, list[ContentError]],
) -> None:
    values = _values(committed)
    assert values["v5p.hbm_bandwidth"] == pytest.approx(2575 * 2**30, rel=0.001)
    assert values["v5e.dcn"] == 6.4e12 / 256 / 8
    assert values["v6e.dcn"] == 25.6e12 / 256 / 8
    assert values["h100.nvlink_one_way"] == 18 * 25e9
    assert values["b200.nvlink_one_way"] == 18 * 50e9
    assert values["h100.node_egress"] == 8 * values["h100.network_one_way"]


def test_both_ways_are_twice_one_way(committed: tuple[Bank, list[ContentError]]) -> None:
    values = _values(committed)
    for name, value in values.items():
        if name.endswith("ici_link_one_way"):
            assert values[name.replace("one_way", "both_ways")] == 2 * value
