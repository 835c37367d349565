"""A parsed HLO module: computations of instructions, and the tables of source positions."""

import dataclasses
import functools
import re
from collections.abc import Mapping

from grader.core.hlo.errors import HloError
from grader.core.hlo.shapes import Shape, parse_shape
from grader.core.hlo.text import attribute, without_strings

_FRAME = re.compile(r"\bstack_frame_id=(\d{1,9})\b")
_OPERAND = re.compile(r"%([\w.\-]+)")
_NAME = re.compile(r"%?([\w.\-]+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Instruction:
    """One line `%name = type opcode(operands), attributes`; shape and attributes stay text."""

    name: str
    opcode: str
    shape_text: str
    operand_text: str
    attributes: str
    position: int
    is_root: bool

    @property
    def shape(self) -> Shape:
        """The result shape; raises `HloError` where its text is not one."""
        return parse_shape(self.shape_text)

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the operands, in order; none for parameters and constants."""
        if self.opcode in ("parameter", "constant") or not self.operand_text:
            return ()
        if names := _OPERAND.findall(self.operand_text):
            return tuple(names)
        return tuple(part.strip() for part in self.operand_text.split(","))

    def attribute(self, name: str) -> str | None:
        """The raw text of one attribute, or None."""
        return attribute(self.attributes, name)

    def called(self, name: str) -> tuple[str, ...]:
        """Names of the computations that the attribute `name` calls: one, or a braced list."""
        raw = self.attribute(name)
        return tuple(_NAME.findall(raw)) if raw else ()

    @property
    def frame_id(self) -> int | None:
        """The stack frame that the instruction's metadata points at."""
        metadata = self.attribute("metadata")
        if metadata is None:
            return None
        match = _FRAME.search(without_strings(metadata))
        return int(match.group(1)) if match else None


@dataclasses.dataclass(frozen=True, slots=True)
class Unparsed:
    """A line inside a computation that is no instruction we can read. Never dropped: reported."""

    line: int
    text: str
    name: str


@dataclasses.dataclass(frozen=True)
class Computation:
    """A list of instructions, in schedule order where the module is scheduled."""

    name: str
    instructions: tuple[Instruction, ...]
    unparsed: tuple[Unparsed, ...] = ()

    @functools.cached_property
    def by_name(self) -> Mapping[str, Instruction]:
        """Instructions by their name."""
        return {instruction.name: instruction for instruction in self.instructions}

    @functools.cached_property
    def users(self) -> Mapping[str, tuple[Instruction, ...]]:
        """For each instruction's name, those that take it as operand, in order."""
        found: dict[str, list[Instruction]] = {}
        for instruction in self.instructions:
            for operand in dict.fromkeys(instruction.operands):
                found.setdefault(operand, []).append(instruction)
        return {name: tuple(users) for name, users in found.items()}

    @functools.cached_property
    def parameters(self) -> Mapping[int, Instruction]:
        """Parameters by their number."""
        return {
            int(instruction.operand_text): instruction
            for instruction in self.instructions
            if instruction.opcode == "parameter" and instruction.operand_text.isdecimal()
        }

    @functools.cached_property
    def root(self) -> Instruction:
        """The instruction whose value the computation returns."""
        for instruction in reversed(self.instructions):
            if instruction.is_root:
                return instruction
        raise HloError(f"computation {self.name!r} has no ROOT instruction")


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """One stack frame: a place in a source file, and the frame that called it (0 for none)."""

    file: str
    function: str
    line: int
    parent: int


@dataclasses.dataclass(frozen=True)
class Module:
    """A whole compiled program."""

    name: str
    header: str
    computations: Mapping[str, Computation]
    entry: Computation
    frames: Mapping[int, Frame]

    @functools.cached_property
    def partitions(self) -> int:
        """The number of devices that one program instance (one slice) spans."""
        return self._count("num_partitions") * self._count("replica_count")

    @functools.cached_property
    def is_scheduled(self) -> bool:
        """Whether instructions stand in the order in which they run."""
        return attribute(self.header, "is_scheduled") == "true"

    def _count(self, name: str) -> int:
        raw = attribute(self.header, name)
        if raw is None:
            return 1
        if not (raw.isascii() and raw.isdigit()) or len(raw) > 9:
            raise HloError(f"{name} in the module's header is not a number: {raw[:60]!r}")
        return int(raw)
