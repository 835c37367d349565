"""Sheets: worked by hand here, by the package there."""

import pytest

from questionbank.catalog.content.dimensions import check_dimensions, dimension_of, registry
from questionbank.catalog.content.documents import Fact
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.expressions import (
    FormulaError,
    compiled,
    evaluate,
    parse_formula,
)
from questionbank.catalog.content.sheets import Sheet, parse_sheet
from questionbank.catalog.content.units import UNITS, parse_unit

ICI = Fact(
    name="v5p.ici_link_one_way",
    value=90,
    unit="GB/s",
    label="ICI, one link, one way",
    source="book",
    source_name="A book",
    date="2026-12-01",
)
SHEET = """
title: One FSDP step of a 70B on a v5p slice
inputs:
  params:  {value: 70e9, unit: param, label: Parameters, min: 1e9, max: 1e12}
  chips:   {value: 256, label: Chips, min: 8, max: 8960}
  ici:     {fact: v5p.ici_link_one_way}
results:
  weights: {formula: params * 2 byte/param, show: GB, label: bf16 weights}
  shard:   {formula: weights / chips, show: MB}
  gather:  {formula: (chips - 1) / chips * weights / (6 * ici), show: ms}
"""


def _read(text: str) -> tuple[Sheet | None, list[str]]:
    problems = Problems("sheet")
    sheet = parse_sheet(text, {ICI.name: ICI}, problems)
    if sheet is not None:
        check_dimensions(sheet, problems)
    return sheet, [f"{error.line}: {error.message}" for error in problems.found]


def test_the_values_are_those_of_the_formula_worked_by_hand() -> None:
    sheet, told = _read(SHEET)
    assert told == []
    assert sheet is not None
    values = sheet.values()
    assert values["weights"] == 140e9
    assert values["shard"] == 546_875_000
    # 255/256 of 140 GB over six links of 90 GB/s.
    assert values["gather"] == pytest.approx(255 / 256 * 140 / 540)
    assert sheet.written()["gather"] == "258.2\u00a0ms"


def test_a_changed_input_is_in_its_own_unit() -> None:
    sheet, _ = _read(SHEET)
    assert sheet is not None
    assert sheet.values({"ici": 45})["gather"] == pytest.approx(255 / 256 * 140 / 270)


def test_sliders_are_logarithmic_over_a_ratio_of_a_thousand_only() -> None:
    sheet, _ = _read(SHEET)
    assert sheet is not None
    # 1e12 / 1e9 is a thousand, not over it; 8,960 / 8 is 1,120.
    assert [item.is_logarithmic for item in sheet.inputs] == [False, True, False]
    assert [item.is_adjustable for item in sheet.inputs] == [True, True, False]


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("weights / chips", "weights + chips", "9: result shard: + mixes byte and a plain number"),
        ("show: MB", "show: ms", "9: result shard: is byte, but `show` says s"),
        ("2 byte/param", "2 byte", "8: result weights: is byte*param, but `show` says byte"),
        (
            "weights / chips",
            "log2(weights)",
            "9: result shard: log2 takes a plain number, not byte",
        ),
        ("weights / chips", "ceil(weights)", "9: result shard: ceil takes a count, not byte"),
        (
            "weights / chips",
            "2^(weights * 1e-12) * weights",
            "9: result shard: an exponent must be a plain",
        ),
        (
            "weights / chips",
            "weights^(chips / chips)",
            "9: result shard: the power of byte must be a number",
        ),
        ("weights / chips", "weight / chips", "9: result shard: formula: 'weight' is neither"),
        ("weights / chips", "gather * 1 byte/s", "9: result shard: formula: 'gather' is neither"),
        ("weights / chips", "weights / (chips - 256)", "9: result shard: has no finite value"),
        ("  shard:", "  chips:", "9: 'chips' is an input and a result"),
        ("  shard:", "  token:", "9: 'token' is a unit or a function"),
        ("  shard:", "  Shard:", "9: 'Shard' is no name"),
        ("show: MB", "show: MB, digits: 0", "9: result shard: digits: must be a whole number"),
        ("show: MB", "show: MBs", "9: result shard: show: unit 'MBs' is unknown"),
        (
            "label: Chips",
            "label: 'Over :ax[fdsp]'",
            "5: input chips: label: axis 'fdsp' is unknown",
        ),
        ("max: 8960", "max: 8960, step: 0", "5: input chips: step: must be over 0"),
        ("label: Chips", "lable: Chips", "5: input chips: field 'label' is missing"),
        ("min: 8, ", "", "5: input chips: give min and max together"),
        ("min: 8, ", "min: 300, ", "5: input chips: value, min and max must be in order"),
        ("v5p.ici_link_one_way", "v5p.ici", "6: input ici: fact: 'v5p.ici' is not in facts.yaml"),
        ("value: 256", "value: many", "5: input chips: value: must be a number"),
    ],
)
def test_a_mistake_in_a_sheet_is_told_on_its_line(change: str, to: str, message: str) -> None:
    assert change in SHEET
    _, told = _read(SHEET.replace(change, to, 1))
    assert any(line.startswith(message) for line in told), told


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("10 - 3 - 2", 5),
        ("12 / 3 / 2", 2),
        ("2 * -3", -6),
        ("min(3, 1, 2) + max(3, 1, 2)", 4),
        ("ceil(2.1) + floor(2.9) + round(2.5) + round(-2.5)", 3 + 2 + 3 - 2),
        ("sqrt(16) + log2(8) + exp(0)", 8),
        ("1 KiB / 1 kB", 1.024),
        ("8 bit / 1 byte", 1),
        ("3 GB/s * 2 s", 6e9),
        ("6 FLOP/param/token * 2 param * 3 token", 36),
        ("1e3 + 1.5E-1", 1000.15),
        ("5 percent * 200", 10),
        ("5 % * 200", 10),
        ("2 byte^2 / 1 byte", 2),
    ],
)
def test_a_formula_has_the_value_that_arithmetic_gives(formula: str, value: float) -> None:
    assert evaluate(parse_formula(formula), {}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "formula",
    ["", "1 +", "(1", "1)", "1 2", "min(1)", "sqrt(1, 2)", "GB", "2 * GB", "a b", "1 $ 2",
     "__import__('os')",
     "a.b", "a[0]", "1 GB^x", "lambda: 1", "1 if 1 else 2", "+".join(["1"] * 200)],
)  # fmt: skip
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError):
        parse_formula(formula)


def test_deep_nesting_ends_in_an_answer_not_in_a_crash() -> None:
    assert evaluate(parse_formula("(" * 140 + "1" + ")" * 140), {}) == 1


def test_a_formula_compiles_to_base_units() -> None:
    formula = parse_formula("params * 2 byte/param + 1 MB")
    assert compiled(formula) == ["+", ["*", ["var", "params"], 2.0], 1e6]


@pytest.mark.parametrize("name", sorted(UNITS.keys() - {"%"}))
def test_each_factor_is_the_one_that_pint_converts_by(name: str) -> None:
    unit = registry().Unit(name)
    assert registry().Quantity(1.0, unit).to_base_units().magnitude == pytest.approx(
        parse_unit(name).factor, rel=1e-12
    )


def test_a_negative_power_lowers_the_dimension() -> None:
    _, told = _read(SHEET.replace("weights / chips", "weights ^ -2 * 1 byte^3 + weights"))
    assert told == []


def test_units_of_one_kind_have_one_dimension() -> None:
    assert dimension_of(parse_unit("Gbit/s")) == dimension_of(parse_unit("byte Hz"))
    assert dimension_of(parse_unit("kWh")) == dimension_of(parse_unit("W hour"))
    assert dimension_of(parse_unit("param")) != dimension_of(parse_unit("token"))
