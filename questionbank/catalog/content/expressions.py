"""The formula language of sheets: tokens, a Pratt parser, an evaluator on plain floats.

The browser evaluates the compiled form with the same operations in the same order.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping

from questionbank.catalog.content.units import PLAIN, UNITS, Unit

FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "min": (2, 8), "max": (2, 8), "ceil": (1, 1), "floor": (1, 1), "round": (1, 1),
    "sqrt": (1, 1), "log2": (1, 1), "exp": (1, 1),
}  # fmt: skip
LONGEST = 300
_MOST_SQUARINGS = 64

type Compiled = float | list[Compiled | str]


@dataclasses.dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, with its unit."""

    value: float
    unit: Unit = PLAIN


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """An input or an earlier result."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """`operator` is one of + - * / ^ neg or a function's name."""

    operator: str
    operands: tuple["Expression", ...]


type Expression = Quantity | Name | Operation


class FormulaError(ValueError):
    """A formula that is not one; the message is for its author."""


_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*|%)|(?P<mark>[-+*/^(),]))"
)
_BINDING = {"+": 10, "-": 10, "*": 20, "/": 20, "^": 40}
_SIGN_BINDING = 30


def parse_formula(text: str) -> Expression:
    """Read a formula. Raises FormulaError."""
    if len(text) > LONGEST:
        raise FormulaError(f"is longer than {LONGEST} characters: split it into named results")
    parser = _Parser(_tokens(text))
    expression = parser.expression(0)
    if parser.kind != "end":
        raise FormulaError(f"{parser.text!r} is not expected here")
    return expression


def names_in(expression: Expression) -> set[str]:
    """Names that a formula uses."""
    match expression:
        case Name(name):
            return {name}
        case Operation(_, operands):
            return set().union(*(names_in(operand) for operand in operands))
    return set()


def compiled(expression: Expression) -> Compiled:
    """Give the JSON form: a number in base units, `["var", name]`, or `[operator, operand, …]`."""
    match expression:
        case Quantity(value, unit):
            return value * unit.factor
        case Name(name):
            return ["var", name]
        case Operation(operator, operands):
            return [operator, *(compiled(operand) for operand in operands)]


def evaluate(expression: Expression, values: Mapping[str, float]) -> float:
    """Give the value in base units; NaN for what has no finite value, never an exception."""
    match expression:
        case Quantity(value, unit):
            return value * unit.factor
        case Name(name):
            return values[name]
        case Operation(operator, operands):
            numbers = [evaluate(operand, values) for operand in operands]
            try:
                value = _OPERATIONS[operator](*numbers)
            except (OverflowError, ValueError):
                return math.nan
            return value if math.isfinite(value) else math.nan


def _divide(a: float, b: float) -> float:
    return a / b if b else math.nan


def _power(a: float, b: float) -> float:
    """Whole exponents by squaring, so that the browser gets the very same float."""
    if b != math.floor(b) or abs(b) > _MOST_SQUARINGS:
        return math.pow(a, b)
    product, square, left = 1.0, a, int(abs(b))
    while left:
        if left % 2:
            product *= square
        square *= square
        left //= 2
    return product if b >= 0 else _divide(1.0, product)


def _least(*numbers: float) -> float:
    return math.nan if any(math.isnan(number) for number in numbers) else min(numbers)


def _greatest(*numbers: float) -> float:
    return math.nan if any(math.isnan(number) for number in numbers) else max(numbers)


_OPERATIONS: Mapping[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "^": _power,
    "neg": lambda a: -a,
    "min": _least,
    "max": _greatest,
    "ceil": lambda a: float(math.ceil(a)),
    "floor": lambda a: float(math.floor(a)),
    "round": lambda a: float(math.floor(a + 0.5)),
    "sqrt": math.sqrt,
    "log2": math.log2,
    "exp": math.exp,
}


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"{text[at]!r} is not part of the formula language")
        tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return [*tokens, ("end", "the end")]


class _Parser:
    """A Pratt parser: each operator binds its operands by its strength in `_BINDING`."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def kind(self) -> str:
        return self._tokens[self._at][0]

    @property
    def text(self) -> str:
        return self._tokens[self._at][1]

    def take(self) -> str:
        text = self.text
        self._at += 1
        return text

    def expect(self, text: str) -> None:
        if self.text != text:
            raise FormulaError(f"{text!r} is expected before {self.text!r}")
        self.take()

    def expression(self, strength: int) -> Expression:
        left = self.operand()
        while self.kind == "mark" and _BINDING.get(self.text, 0) > strength:
            operator = self.take()
            # ^ groups to the right: its right side may hold another ^.
            right = _BINDING[operator] - (operator == "^")
            left = Operation(operator, (left, self.expression(right)))
        return left

    def operand(self) -> Expression:
        kind, text = self.kind, self.take()
        if kind == "number":
            return Quantity(float(text), self.unit())
        if kind == "name":
            if text in FUNCTIONS:
                return self.call(text)
            if text in UNITS:
                raise FormulaError(f"unit {text!r} must follow a number: 1 {text}")
            return Name(text)
        if text == "(":
            inner = self.expression(0)
            self.expect(")")
            return inner
        if text in {"-", "+"} and kind == "mark":
            operand = self.expression(_SIGN_BINDING)
            return Operation("neg", (operand,)) if text == "-" else operand
        raise FormulaError(f"a number, a name or '(' is expected before {text!r}")

    def call(self, function: str) -> Expression:
        self.expect("(")
        arguments = [self.expression(0)]
        while self.text == ",":
            self.take()
            arguments.append(self.expression(0))
        self.expect(")")
        fewest, most = FUNCTIONS[function]
        if not fewest <= len(arguments) <= most:
            raise FormulaError(f"{function} takes {fewest} to {most} arguments")
        return Operation(function, tuple(arguments))

    def unit(self) -> Unit:
        """Take the units that follow a number, as far as they reach."""
        parts: list[tuple[str, int]] = []
        sign = 1
        while True:
            skip = 0
            if parts and self.text in {"*", "/"}:
                sign, skip = (-1 if self.text == "/" else 1), 1
            else:
                sign = 1
            kind, name = self._tokens[min(self._at + skip, len(self._tokens) - 1)]
            if kind != "name" or name not in UNITS:
                return Unit(tuple(parts))
            self._at += skip + 1
            parts.append((name, sign * self.unit_power()))

    def unit_power(self) -> int:
        """Take `^n` after a unit."""
        if self.text != "^":
            return 1
        self.take()
        sign = -1 if self.text == "-" else 1
        if sign < 0:
            self.take()
        if self.kind != "number" or not self.text.isdigit():
            raise FormulaError("the power of a unit must be a whole number")
        return sign * int(self.take())
