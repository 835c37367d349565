"""Dimensions of formulas, held by pint. The build alone loads it; a page never does."""

import functools
from collections.abc import Mapping
from typing import Any

import pint

from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.expressions import Expression, Name, Operation, Quantity
from questionbank.catalog.content.sheets import Sheet
from questionbank.catalog.content.units import UNITS, Unit

type Dimension = Any  # pint's UnitsContainer; pint has no usable types for it


class DimensionError(ValueError):
    """Quantities that do not go together; the message is for the author."""


@functools.cache
def registry() -> pint.UnitRegistry[Any]:
    """Give a registry that knows our units and no others."""
    units: pint.UnitRegistry[Any] = pint.UnitRegistry(None, on_redefinition="raise")
    bases = {kind.base for kind in UNITS.values()} - {"", "Hz", "W"}
    for base in sorted(bases):
        units.define(f"{base} = [{base}_dimension]")
    derived = {"Hz": "1 / s", "W": "J / s"}
    for name, kind in UNITS.items():
        if name in bases or name == "%":  # pint has no name for %; it is a plain number here
            continue
        base = derived.get(kind.base, kind.base)
        units.define(f"{name} = {kind.factor!r} * {base}" if base else f"{name} = {kind.factor!r}")
    return units


def dimension_of(unit: Unit) -> Dimension:
    """Give the dimension of a unit."""
    product = registry().dimensionless
    for name, power in unit.parts:
        if name != "%":
            product = product * registry().Unit(name) ** power
    return product.dimensionality


def check_dimensions(sheet: Sheet, problems: Problems) -> None:
    """Hold every formula and every `show` of a sheet to its dimensions.

    `problems` counts lines as the sheet's text does.
    """
    known: dict[str, Dimension] = {item.name: dimension_of(item.unit) for item in sheet.inputs}
    for result in sheet.results:
        shown = dimension_of(result.unit)
        try:
            found = dimension_in(result.expression, known)
        except DimensionError as error:
            problems.add(result.line, f"result {result.name}: {error}")
            found = shown
        if found != shown:
            problems.add(
                result.line,
                f"result {result.name}: is {_told(found)}, but `show` says {_told(shown)}",
            )
        known[result.name] = shown


def dimension_in(expression: Expression, known: Mapping[str, Dimension]) -> Dimension:
    """Give the dimension of a formula. Raises DimensionError."""
    match expression:
        case Quantity(_, unit):
            return dimension_of(unit)
        case Name(name):
            return known[name]
        case Operation("^", (base, exponent)):
            return _power(dimension_in(base, known), exponent, known)
        case Operation(operator, operands):
            return _operation(operator, [dimension_in(operand, known) for operand in operands])


def _operation(operator: str, operands: list[Dimension]) -> Dimension:
    first = operands[0]
    match operator:
        case "*":
            return first * operands[1]
        case "/":
            return first / operands[1]
        case "sqrt":
            return first**0.5
        case "log2" | "exp":
            if first:
                raise DimensionError(f"{operator} takes a plain number, not {_told(first)}")
            return first
        case "ceil" | "floor" | "round":
            if first and not _is_count(first):
                raise DimensionError(f"{operator} takes a count, not {_told(first)}")
            return first
    for other in operands[1:]:
        if other != first:
            raise DimensionError(f"{operator} mixes {_told(first)} and {_told(other)}")
    return first


def _power(base: Dimension, exponent: Expression, known: Mapping[str, Dimension]) -> Dimension:
    if dimension_in(exponent, known):
        raise DimensionError("an exponent must be a plain number")
    if not base:
        return base
    match exponent:
        case Quantity(value, _):
            return base**value
        case Operation("neg", (Quantity(value, _),)):
            return base**-value
    raise DimensionError(f"the power of {_told(base)} must be a number as written")


def _is_count(dimension: Dimension) -> bool:
    """Whether a whole number of it means something: one count unit, to the power one."""
    return any(dimension == dimension_of(Unit(((name, 1),))) for name in UNITS if _counts(name))


def _counts(name: str) -> bool:
    return Unit(((name, 1),)).is_count


def _told(dimension: Dimension) -> str:
    if not dimension:
        return "a plain number"
    over: list[str] = []
    under: list[str] = []
    for name, power in sorted(dimension.items()):
        word = name.strip("[]").removesuffix("_dimension")
        text = word if abs(power) == 1 else f"{word}^{abs(power):g}"
        (over if power > 0 else under).append(text)
    return "/".join(["*".join(over) or "1", *under])
