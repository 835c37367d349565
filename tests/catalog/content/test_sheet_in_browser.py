"""The browser computes what the build computed: the same values, the same characters."""

import math
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from questionbank.catalog.content.documents import Bank
from questionbank.catalog.content.errors import ContentError, Problems
from questionbank.catalog.content.expressions import (
    Expression,
    Name,
    Operation,
    Quantity,
    compiled,
    evaluate,
)
from questionbank.catalog.content.numbers import Shown, written
from questionbank.catalog.content.sheets import Sheet, parse_sheet, sheets_in
from tests.catalog.content.conftest import Browser

ROUNDS = 25

_in_turn = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_every_committed_sheet_agrees_as_given_and_at_random_inputs(
    committed: tuple[Bank, list[ContentError]], in_browser: Browser
) -> None:
    bank, _ = committed
    facts = {fact.name: fact for fact in bank.facts}
    sheets = [
        sheet
        for document in bank.documents
        for sheet in sheets_in(document.body, facts, Problems(document.origin.path))
    ]
    draw = random.Random(20261201)  # noqa: S311 - draws inputs of a test
    for sheet in sheets:
        for inputs in [{}, *(_drawn(sheet, draw) for _ in range(ROUNDS))]:
            _assert_same(sheet, inputs, in_browser)


def test_a_sheet_with_every_operation_agrees(in_browser: Browser) -> None:
    sheet = parse_sheet(
        """
title: Everything
inputs:
  a: {value: 3.7, label: a, min: 0.001, max: 5000}
  b: {value: 12, label: b, min: 1, max: 100}
  size: {value: 70e9, unit: param, label: size, min: 1e6, max: 1e13}
results:
  total: {formula: (a + b) * 2 - a / b}
  bytes: {formula: size * 2 byte/param, show: GB}
  least: {formula: "min(a, b, 5)"}
  most: {formula: "max(a, b)"}
  steps: {formula: ceil(a) + floor(a) + round(b / 3)}
  root: {formula: sqrt(a * b), digits: 6}
  logs: {formula: log2(a) * exp(-b / 10)}
  powers: {formula: a^3 + b^-2 + a^0.5 - -b^2}
  share: {formula: a / (a + b), show: percent, digits: 3}
""",
        {},
        Problems("sheet"),
    )
    assert sheet is not None
    draw = random.Random(7)  # noqa: S311 - draws inputs of a test
    for inputs in [{}, *(_drawn(sheet, draw) for _ in range(200))]:
        _assert_same(sheet, inputs, in_browser)


_names = st.sampled_from("abc")
_leaves = st.one_of(
    st.builds(Name, _names),
    st.builds(Quantity, st.floats(0, 1e9, allow_nan=False).map(lambda v: round(v, 3))),
)


def _operations(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    two = st.tuples(st.sampled_from(["+", "-", "*", "/", "min", "max"]), st.tuples(inner, inner))
    one = st.tuples(st.sampled_from(["neg", "ceil", "floor", "round", "sqrt"]), st.tuples(inner))
    whole = st.integers(-6, 6).map(lambda n: Quantity(float(n)))
    power = st.tuples(st.just("^"), st.tuples(inner, whole))
    return st.one_of(two, one, power).map(lambda parts: Operation(*parts))


@_in_turn
@given(
    expression=st.recursive(_leaves, _operations, max_leaves=12),
    values=st.fixed_dictionaries(dict.fromkeys("abc", st.floats(-1e12, 1e12))),
)
def test_any_formula_of_exact_operations_gives_the_very_same_float(
    expression: Expression, values: dict[str, float], in_browser: Browser
) -> None:
    here = evaluate(expression, values)
    there = in_browser("evaluate", compiled(expression), values)
    assert there == ("NaN" if math.isnan(here) else here)


@_in_turn
@given(
    value=st.one_of(
        st.floats(allow_nan=True, allow_infinity=True),
        st.floats(-1e16, 1e16),
        st.integers(-(10**16), 10**16).map(float),
        # Values that lie exactly between two roundings.
        st.integers(0, 10**6).map(lambda n: n + 0.5),
        st.integers(0, 10**5).map(lambda n: n / 8),
    ),
    digits=st.integers(1, 12),
    factor=st.sampled_from([1.0, 1e9, 1e-3, 0.01, 1024.0**3]),
    words=st.booleans(),
)
def test_any_number_is_written_with_the_same_characters(
    *, value: float, digits: int, factor: float, words: bool, in_browser: Browser
) -> None:
    shown = Shown(factor=factor, one=" thing", many=" things", digits=digits, words=words)
    if not math.isfinite(value):
        assert written(value, shown) == "—"
        return
    assert in_browser("written", value, _plain(shown)) == written(value, shown)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,000", 1000),
        ("70e9", 70e9),
        ("70 billion", 70e9),
        (" 1.5 Million ", 1.5e6),
        ("−3", -3),
        (".5", 0.5),
        ("seventy", "NaN"),
        ("70 GB", "NaN"),
        ("", "NaN"),
    ],
)
def test_a_typed_number_is_read_as_readers_write_it(
    text: str, number: object, in_browser: Browser
) -> None:
    assert in_browser("typed", text) == number


@pytest.mark.parametrize("log", [False, True])
def test_a_slider_keeps_to_the_range_and_comes_back_to_its_position(
    *, log: bool, in_browser: Browser
) -> None:
    item = {"min": 1.0, "max": 5000.0, "step": 0.0, "log": log}
    values = [_number(in_browser("valueAt", position, item)) for position in range(0, 401, 20)]
    assert values[0] == 1
    assert values[-1] == 5000
    assert values == sorted(values)
    for position in range(0, 401, 20):
        back = _number(in_browser("positionOf", in_browser("valueAt", position, item), item))
        assert abs(back - position) <= 1


def test_a_slider_of_whole_numbers_gives_whole_numbers(in_browser: Browser) -> None:
    item = {"min": 8.0, "max": 8960.0, "step": 1.0, "log": True}
    values = [_number(in_browser("valueAt", position, item)) for position in range(401)]
    assert all(value.is_integer() for value in values)


def test_a_value_off_its_step_is_brought_onto_it(in_browser: Browser) -> None:
    item = {"min": 0.1, "max": 2.0, "step": 0.1, "log": False}
    assert in_browser("fitted", 0.33, item) == 0.3
    assert in_browser("fitted", 9, item) == 2.0


def _number(answer: object) -> float:
    assert isinstance(answer, float)
    return answer


def _drawn(sheet: Sheet, draw: random.Random) -> dict[str, float]:
    inputs = {}
    for item in sheet.inputs:
        if item.minimum is None or item.maximum is None:
            continue
        value = draw.uniform(item.minimum, item.maximum)
        if item.is_logarithmic:
            value = item.minimum * (item.maximum / item.minimum) ** draw.random()
        inputs[item.name] = float(round(value)) if item.step == 1 else value
    return inputs


def _assert_same(sheet: Sheet, inputs: dict[str, float], in_browser: Browser) -> None:
    data: Any = sheet.data()
    given = {item.name: inputs.get(item.name, item.value) for item in sheet.inputs}
    here = sheet.values(inputs)
    there = in_browser("valuesOf", data, given)
    assert isinstance(there, dict)
    shown = {item["name"]: item["shown"] for item in [*data["inputs"], *data["results"]]}
    for name, text in sheet.written(inputs).items():
        if math.isnan(here[name]):
            assert there[name] == "NaN"
            continue
        # log2 and exp are not exactly rounded by either library: one part in 1e12 is allowed.
        assert there[name] == pytest.approx(here[name], rel=1e-12, abs=0), name
        assert in_browser("written", there[name], shown[name]) == text, name


def _plain(shown: Shown) -> dict[str, object]:
    return {
        "factor": shown.factor,
        "one": shown.one,
        "many": shown.many,
        "digits": shown.digits,
        "words": shown.words,
    }
