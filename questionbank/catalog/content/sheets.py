"""Worked sheets: named inputs and formulas, evaluated by the build and again in the browser."""

import math
import re
from collections.abc import Mapping

import msgspec
import yaml

from questionbank.catalog.content.blocks import outline
from questionbank.catalog.content.documents import Fact
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.expressions import (
    FUNCTIONS,
    Expression,
    FormulaError,
    Quantity,
    compiled,
    evaluate,
    names_in,
    parse_formula,
)
from questionbank.catalog.content.numbers import (
    DEFAULT_DIGITS,
    INPUT_DIGITS,
    Shown,
    shown_in,
    written,
)
from questionbank.catalog.content.prose import AXES, AXIS
from questionbank.catalog.content.units import PLAIN, UNITS, Unit, parse_unit
from questionbank.catalog.content.yaml_fields import Fields, compose

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_LOG_RATIO = 1000


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A named figure. `value`, `minimum` and `maximum` are in `unit`; `step` 0 means any value."""

    name: str
    label: str
    value: float
    unit: Unit
    minimum: float | None = None
    maximum: float | None = None
    step: float = 0.0
    fact: Fact | None = None
    line: int = 1

    @property
    def is_adjustable(self) -> bool:
        """Whether readers can change it."""
        return self.minimum is not None and self.maximum is not None

    @property
    def is_logarithmic(self) -> bool:
        """Whether its slider moves on a scale of logarithms."""
        if self.minimum is None or self.maximum is None or self.minimum <= 0:
            return False
        return self.maximum / self.minimum > _LOG_RATIO

    @property
    def shown(self) -> Shown:
        """How its value is written."""
        return shown_in(self.unit, INPUT_DIGITS)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A named formula and how its value is shown."""

    name: str
    label: str
    formula: str
    expression: Expression
    unit: Unit
    digits: int = DEFAULT_DIGITS
    line: int = 1

    @property
    def shown(self) -> Shown:
        """How its value is written."""
        return shown_in(self.unit, self.digits)


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """One sheet. A formula uses only what stands above it. `line` is that of its fence."""

    title: str
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]
    line: int = 1

    def values(self, inputs: Mapping[str, float] | None = None) -> dict[str, float]:
        """Give every value in base units; `inputs` replaces given values, each in its own unit."""
        given = inputs or {}
        values = {
            item.name: given.get(item.name, item.value) * item.unit.factor for item in self.inputs
        }
        for result in self.results:
            values[result.name] = evaluate(result.expression, values)
        return values

    def written(self, inputs: Mapping[str, float] | None = None) -> dict[str, str]:
        """Give every value as readers see it."""
        values = self.values(inputs)
        return {item.name: written(values[item.name], item.shown) for item in self.entries}

    @property
    def entries(self) -> tuple[Input | Result, ...]:
        """Inputs and results, in order."""
        return (*self.inputs, *self.results)

    def data(self) -> dict[str, object]:
        """Give what the browser needs, in the shape that FORMAT.md states."""
        return {
            "inputs": [
                {
                    "name": item.name,
                    "value": item.value,
                    "min": item.minimum,
                    "max": item.maximum,
                    "step": item.step,
                    "log": item.is_logarithmic,
                    "shown": msgspec.to_builtins(item.shown),
                }
                for item in self.inputs
            ],
            "results": [
                {
                    "name": result.name,
                    "ast": compiled(result.expression),
                    "shown": msgspec.to_builtins(result.shown),
                }
                for result in self.results
            ],
        }


def sheets_in(body: str, facts: Mapping[str, Fact], problems: Problems) -> tuple[Sheet, ...]:
    """Read every sheet of a body. Names are unique in the whole body."""
    sheets: list[Sheet] = []
    taken: set[str] = set()
    for fence in outline(body).fences:
        if fence.words[:1] != ["sheet"]:
            continue
        sheet = parse_sheet(fence.text, facts, problems.within(fence.line + 1))
        if sheet is None:
            continue
        for entry in sheet.entries:
            if entry.name in taken:
                problems.add(
                    fence.line + entry.line, f"{entry.name!r} is already a name in this text"
                )
            taken.add(entry.name)
        sheets.append(msgspec.structs.replace(sheet, line=fence.line))
    return tuple(sheets)


def parse_sheet(text: str, facts: Mapping[str, Fact], problems: Problems) -> Sheet | None:
    """Read the text of one sheet; None where it is wrong. Lines are those of the text."""
    before = len(problems.found)
    node = compose(text, problems)
    if node is None:
        return None
    fields = Fields(node, problems, "sheet")
    title = fields.text("title")
    inputs = [_input(*entry, facts, problems) for entry in fields.mapping("inputs")]
    known = {item.name for item in inputs if item}
    results = []
    for entry in fields.mapping("results"):
        result = _result(*entry, known, problems)
        if result:
            known.add(result.name)
            results.append(result)
    fields.finish()
    if len(problems.found) > before:
        return None
    sheet = Sheet(title=title, inputs=tuple(filter(None, inputs)), results=tuple(results))
    _check_values(sheet, problems)
    return sheet if len(problems.found) == before else None


def _check_values(sheet: Sheet, problems: Problems) -> None:
    names = [entry.name for entry in sheet.entries]
    for entry in sheet.results:
        if names.count(entry.name) > 1:
            problems.add(entry.line, f"{entry.name!r} is an input and a result")
            return
    values = sheet.values()
    for result in sheet.results:
        if not math.isfinite(values[result.name]):
            problems.add(result.line, f"result {result.name}: has no finite value")


def _input(
    name: str, line: int, node: yaml.Node, facts: Mapping[str, Fact], problems: Problems
) -> Input | None:
    fields = Fields(node, problems, f"input {name}")
    _check_name(name, line, problems)
    fact = _fact(fields, facts) if "fact" in fields else None
    if "fact" in fields:
        value: float | None = fact.value if fact else 0.0
        unit = parse_unit(fact.unit) if fact else PLAIN
    else:
        value, unit = fields.number("value"), _unit(fields, "unit")
    low, high = fields.number("min", required=False), fields.number("max", required=False)
    label = _label(fields, required=fact is None and "fact" not in fields)
    step = fields.number("step", required=False)
    fields.finish()
    if value is None:
        return None
    if (low is None) != (high is None):
        fields.problems.add(line, f"input {name}: give min and max together, or neither")
    elif low is not None and high is not None and not low <= value <= high:
        fields.problems.add(line, f"input {name}: value, min and max must be in order")
    if step is not None and step <= 0:
        fields.fail("step", "must be over 0")
    return Input(
        name=name,
        label=label or (fact.label if fact else ""),
        value=value,
        unit=unit,
        minimum=low,
        maximum=high,
        step=_default_step(value, low, high) if step is None else step,
        fact=fact,
        line=line,
    )


def _default_step(*numbers: float | None) -> float:
    whole = all(number is not None and number == math.floor(number) for number in numbers)
    return 1.0 if whole else 0.0


def _fact(fields: Fields, facts: Mapping[str, Fact]) -> Fact | None:
    name = fields.text("fact")
    if name and name not in facts:
        fields.fail("fact", f"{name!r} is not in facts.yaml")
    return facts.get(name)


def _result(
    name: str, line: int, node: yaml.Node, known: set[str], problems: Problems
) -> Result | None:
    fields = Fields(node, problems, f"result {name}")
    _check_name(name, line, problems)
    formula = fields.text("formula")
    unit = _unit(fields, "show")
    label = _label(fields, required=False) or name
    digits = fields.number("digits", required=False)
    fields.finish()
    if digits is not None and (digits != math.floor(digits) or not 1 <= digits <= 12):
        fields.fail("digits", "must be a whole number from 1 to 12")
        digits = None
    try:
        expression = parse_formula(formula) if formula else Quantity(1.0)
    except FormulaError as error:
        fields.fail("formula", str(error))
        return None
    if unknown := sorted(names_in(expression) - known):
        fields.fail("formula", f"{unknown[0]!r} is neither an input nor a result above this one")
        return None
    return Result(
        name=name,
        label=label,
        formula=formula,
        expression=expression,
        unit=unit,
        digits=int(digits or DEFAULT_DIGITS),
        line=line,
    )


def _label(fields: Fields, *, required: bool) -> str:
    label = fields.text("label", required=required)
    if unknown := [axis for axis in re.findall(AXIS, label) if axis not in AXES]:
        fields.fail("label", f"axis {unknown[0]!r} is unknown; one of {', '.join(AXES)}")
    return label


def _unit(fields: Fields, key: str) -> Unit:
    try:
        return parse_unit(fields.text(key, required=False))
    except ValueError as error:
        fields.fail(key, str(error))
        return PLAIN


def _check_name(name: str, line: int, problems: Problems) -> None:
    if not _NAME.fullmatch(name):
        problems.add(line, f"{name!r} is no name: a lower-case letter, then letters, digits, _")
    elif name in UNITS or name in FUNCTIONS or name in {"fact", "lit"}:
        problems.add(line, f"{name!r} is a unit or a function: choose another name")
