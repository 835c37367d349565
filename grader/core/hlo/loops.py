"""How often a `while` runs, from what the compiler states or from its condition and its counter."""

import dataclasses
import json

from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape

_MAX_STEPS = 10_000  # of one evaluation: a guard against circles in hostile text
_PASS_THROUGH = frozenset(
    {"copy", "bitcast", "reshape", "copy-start", "copy-done", "optimization-barrier", "broadcast"}
)
_INTEGER_DTYPES = frozenset({"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"})


@dataclasses.dataclass(frozen=True, slots=True)
class Linear:
    """`offset`, or `offset` + the loop-carried element `element`."""

    offset: int
    element: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """A computation, how it was reached, and what its parameters stand for.

    `site` is the instruction that calls `computation`, in `outer`. Within the condition or the body
    of the loop under study `is_studied` is set, and elements of the parameter stay symbolic.
    """

    computation: Computation
    site: Instruction | None = None
    outer: "Scope | None" = None
    is_studied: bool = False


def trip_count(module: Module, loop: Instruction, scope: Scope) -> int | None:
    """Return how often the body of `loop` runs, or None where that cannot be known.

    `scope` is the computation that holds the loop, with the chain of callers that leads to it.
    """
    stated = _stated_trip_count(loop)
    if stated is not None:
        return stated
    try:
        return _Evaluation(module).trips(loop, scope)
    except (HloError, RecursionError):
        return None


def _stated_trip_count(loop: Instruction) -> int | None:
    """Read XLA:CPU's `known_trip_count`; TPU programs do not carry one."""
    raw = loop.attribute("backend_config")
    if raw is None or "known_trip_count" not in raw:
        return None
    try:
        config = json.loads(raw)
        count = int(config["known_trip_count"]["n"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return count if count >= 0 else None


class _Evaluation:
    """Evaluates integer scalars as far as they are constants or count with the loop."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._steps = 0

    def trips(self, loop: Instruction, scope: Scope) -> int | None:
        condition, body = self._called(loop, "condition"), self._called(loop, "body")
        test = Scope(condition, site=loop, outer=scope, is_studied=True)
        comparison, test = self._through_fusions(condition.root, test)
        if comparison.opcode != "compare" or len(comparison.operands) != 2:
            return None
        left = self._value(comparison.operands[0], test)
        right = self._value(comparison.operands[1], test)
        direction = comparison.attribute("direction")
        if left is None or right is None or direction is None:
            return None
        turn = Scope(body, site=loop, outer=scope, is_studied=True)
        left, right = self._fixed(left, turn), self._fixed(right, turn)
        if left.element is None and right.element is not None:
            left, right, direction = right, left, _MIRRORED.get(direction, direction)
        if left.element is None or right.element is not None:
            return None
        start = self._operand_element(loop, left.element, scope)
        step = self._step(turn, left.element)
        if start is None or start.element is not None or step is None:
            return None
        first = start.offset + left.offset
        return _count(first, step, right.offset, direction)

    def _called(self, instruction: Instruction, attribute: str) -> Computation:
        names = instruction.called(attribute)
        computation = self._module.computations.get(names[0]) if len(names) == 1 else None
        if computation is None:
            raise HloError(f"{instruction.name!r} has no {attribute} that exists")
        return computation

    def _through_fusions(self, instruction: Instruction, scope: Scope) -> tuple[Instruction, Scope]:
        while instruction.opcode in ("fusion", "call") or instruction.opcode in _PASS_THROUGH:
            self._spend()
            if instruction.opcode in _PASS_THROUGH:
                instruction = self._first_operand(instruction, scope)
                continue
            inner = self._called(
                instruction, "calls" if instruction.opcode == "fusion" else "to_apply"
            )
            scope = Scope(inner, site=instruction, outer=scope)
            instruction = inner.root
        return instruction, scope

    def _first_operand(self, instruction: Instruction, scope: Scope) -> Instruction:
        name = next(iter(instruction.operands), "")
        operand = scope.computation.by_name.get(name)
        if operand is None:
            raise HloError(f"{instruction.name!r} takes {name!r}, which is not defined")
        return operand

    def _spend(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise HloError("the loop's counter takes too long to follow")

    def _step(self, turn: Scope, element: int) -> int | None:
        """Return by how much the body changes its carried element, or None."""
        root = turn.computation.root
        if root.opcode != "tuple" or element >= len(root.operands):
            return None
        value = self._value(root.operands[element], turn)
        if value is None or value.element != element:
            return None
        return value.offset

    def _fixed(self, value: Linear, turn: Scope) -> Linear:
        """Replace a carried element that the body hands on unchanged by its value at the start."""
        if value.element is None or self._step(turn, value.element) != 0:
            return value
        assert turn.site is not None and turn.outer is not None  # noqa: S101, PT018  how trips() builds it
        start = self._operand_element(turn.site, value.element, turn.outer)
        if start is None or start.element is not None:
            return value
        return Linear(start.offset + value.offset)

    def _operand_element(self, loop: Instruction, element: int, scope: Scope) -> Linear | None:
        if len(loop.operands) != 1:
            return None
        return self._element(loop.operands[0], element, scope)

    def _element(self, name: str, element: int, scope: Scope) -> Linear | None:
        """Evaluate one element of the tuple `name`."""
        self._spend()
        instruction = scope.computation.by_name.get(name)
        if instruction is None:
            return None
        if instruction.opcode == "tuple":
            operands = instruction.operands
            return self._value(operands[element], scope) if element < len(operands) else None
        if instruction.opcode in ("copy", "optimization-barrier") and instruction.operands:
            return self._element(instruction.operands[0], element, scope)
        if instruction.opcode == "while":
            return self._carried(instruction, element, scope)
        if instruction.opcode == "parameter":
            return self._parameter_element(element, scope)
        return None

    def _parameter_element(self, element: int, scope: Scope) -> Linear | None:
        if scope.is_studied:
            return Linear(0, element)
        if scope.site is None or scope.outer is None or scope.site.opcode != "while":
            return None
        return self._carried(scope.site, element, scope.outer)

    def _carried(self, loop: Instruction, element: int, scope: Scope) -> Linear | None:
        """Evaluate what another loop carries, where its body hands it on unchanged."""
        body = Scope(self._called(loop, "body"), site=loop, outer=scope, is_studied=True)
        if self._step(body, element) != 0:
            return None
        return self._operand_element(loop, element, scope)

    def _value(self, name: str, scope: Scope) -> Linear | None:
        """Evaluate an integer scalar."""
        self._spend()
        instruction = scope.computation.by_name.get(name)
        if instruction is None:
            return None
        match instruction.opcode:
            case "constant":
                return _constant(instruction)
            case "parameter":
                return self._argument(instruction, scope)
            case "fusion" | "call":
                root, inner = self._through_fusions(instruction, scope)
                return self._value(root.name, inner)
            case "get-tuple-element":
                return self._taken(instruction, scope)
            case _:
                return self._arithmetic(instruction, scope)

    def _taken(self, instruction: Instruction, scope: Scope) -> Linear | None:
        index = instruction.attribute("index") or ""
        if len(instruction.operands) != 1 or not index.isdecimal():
            return None
        return self._element(instruction.operands[0], int(index), scope)

    def _arithmetic(self, instruction: Instruction, scope: Scope) -> Linear | None:
        opcode = instruction.opcode
        values = [self._value(name, scope) for name in instruction.operands[:2]]
        if opcode in ("add", "subtract") and len(values) == 2:
            return _combined(opcode, values[0], values[1])
        is_kept = opcode in _PASS_THROUGH or (opcode == "convert" and _is_integer(instruction))
        return values[0] if is_kept and values else None

    def _argument(self, parameter: Instruction, scope: Scope) -> Linear | None:
        """Evaluate what the caller passes for a parameter of a fusion or a call."""
        site, outer = scope.site, scope.outer
        if site is None or outer is None or site.opcode not in ("fusion", "call"):
            return None
        number = parameter.operand_text
        if not number.isdecimal() or int(number) >= len(site.operands):
            return None
        return self._value(site.operands[int(number)], outer)


_MIRRORED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}


def _is_integer(instruction: Instruction) -> bool:
    shape = instruction.shape
    return isinstance(shape, ArrayShape) and shape.dtype in _INTEGER_DTYPES


def _constant(instruction: Instruction) -> Linear | None:
    text = instruction.operand_text
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return None
    shape = instruction.shape
    is_scalar = isinstance(shape, ArrayShape) and not shape.dims and _is_integer(instruction)
    return Linear(int(text)) if is_scalar else None


def _combined(opcode: str, left: Linear | None, right: Linear | None) -> Linear | None:
    if left is None or right is None:
        return None
    if opcode == "add" and left.element is None:
        left, right = right, left
    if right.element is not None:
        return None
    sign = 1 if opcode == "add" else -1
    return Linear(left.offset + sign * right.offset, left.element)


def _count(first: int, step: int, bound: int, direction: str) -> int | None:
    """Count the turns of `for (i = first; i DIRECTION bound; i += step)`; None if it never ends."""
    if direction in ("GT", "GE"):
        first, step, bound = -first, -step, -bound
        direction = {"GT": "LT", "GE": "LE"}[direction]
    if direction == "NE":
        distance = bound - first
        reached = step != 0 and distance % step == 0 and distance // step >= 0
        return 0 if distance == 0 else distance // step if reached else None
    if direction not in ("LT", "LE"):
        return None
    last = bound if direction == "LE" else bound - 1
    if first > last:
        return 0
    return (last - first) // step + 1 if step > 0 else None
