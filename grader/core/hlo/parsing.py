"""From HLO text to a `Module`, in one pass over the lines."""

import dataclasses
import re

from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Frame, Instruction, Module, Unparsed
from grader.core.hlo.text import closing_bracket, unquoted

# Anchored on the assignment: metadata={op_name=…} carries names that the learner chose. A tuple
# shape ends at the first `) opcode(`: inside it a bracket is followed by a comma or a bracket.
_INSTRUCTION = re.compile(
    r"\s*(ROOT )?%?([\w.\-]+) = (\(.*?\)|[^\s(]\S*) ([a-z][a-z0-9\-]*)\(", re.DOTALL
)
_STARTS_INSTRUCTION = re.compile(r"\s*(?:ROOT )?%?([\w.\-]+) = ")
_COMPUTATION = re.compile(r"(ENTRY )?%?([\w.\-]+)(?: \(.*)? \{\s*", re.DOTALL)
_TABLE_ROW = re.compile(r"(\d{1,9}) (.*)", re.DOTALL)
_FIELD = re.compile(r"(\w+)=(\d{1,9})")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")


def parse_module(text: str) -> Module:
    """Parse the text of one compiled module; linear in its length.

    A line inside a computation that cannot be read is kept as `Unparsed`. Raises `HloError`, and
    nothing else, where the text as a whole is not an HLO module with an entry computation.
    """
    if not text.startswith("HloModule "):
        raise HloError("this is not HLO text: it does not begin with 'HloModule'")
    reader = _Reader()
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], start=2):
        reader.read(line, number)
    return reader.finish(lines[0])


@dataclasses.dataclass(slots=True)
class _Body:
    """A computation while its lines arrive."""

    name: str
    is_entry: bool
    instructions: list[Instruction] = dataclasses.field(default_factory=list)
    unparsed: list[Unparsed] = dataclasses.field(default_factory=list)
    pending: list[str] = dataclasses.field(default_factory=list)
    pending_line: int = 0


class _Reader:
    """Holds what has been read so far; `read` takes one line at a time."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[int, str]] = {name: {} for name in _TABLES}
        self._table: dict[int, str] | None = None
        self._body: _Body | None = None
        self._computations: dict[str, Computation] = {}
        self._entry: Computation | None = None

    def read(self, line: str, number: int) -> None:
        """Take the next line of the text."""
        if self._body is not None:
            self._read_body_line(self._body, line, number)
        elif not line or line.isspace():
            self._table = None
        elif line in self._tables:
            self._table = self._tables[line]
        elif self._table is not None:
            if (row := _TABLE_ROW.fullmatch(line)) is not None:
                self._table[int(row.group(1))] = row.group(2)
        elif (opened := _COMPUTATION.fullmatch(line)) is not None:
            self._body = _Body(opened.group(2), is_entry=opened.group(1) is not None)
        else:
            raise HloError(f"line {number} belongs to no computation: {line[:80]!r}")

    def _read_body_line(self, body: _Body, line: str, number: int) -> None:
        if line.startswith("}"):
            self._close(body)
        elif _STARTS_INSTRUCTION.match(line) is not None or not body.pending:
            _flush(body)
            body.pending, body.pending_line = [line], number
        else:
            body.pending.append(line)  # a literal or a string that goes on

    def _close(self, body: _Body) -> None:
        _flush(body)
        if body.name in self._computations:
            raise HloError(f"computation {body.name!r} is defined twice")
        if len({one.name for one in body.instructions}) != len(body.instructions):
            raise HloError(f"computation {body.name!r} defines a name twice")
        computation = Computation(body.name, tuple(body.instructions), tuple(body.unparsed))
        self._computations[body.name] = computation
        if body.is_entry:
            if self._entry is not None:
                raise HloError("the module has two ENTRY computations")
            self._entry = computation
        self._body = None

    def finish(self, first_line: str) -> Module:
        """Return the module, once every line has been read."""
        if self._body is not None:
            raise HloError(f"the text ends inside computation {self._body.name!r}")
        if self._entry is None:
            raise HloError("the module has no ENTRY computation")
        name, _, header = first_line.removeprefix("HloModule ").partition(",")
        return Module(
            name=name.strip(),
            header=header,
            computations=self._computations,
            entry=self._entry,
            frames=_frames(self._tables),
        )


def _flush(body: _Body) -> None:
    """Turn the lines gathered so far into an instruction."""
    if not body.pending:
        return
    text = body.pending[0] if len(body.pending) == 1 else "\n".join(body.pending)
    body.pending = []
    if not text or text.isspace():
        return
    instruction = _parse_instruction(text, len(body.instructions))
    if instruction is not None:
        body.instructions.append(instruction)
        return
    named = _STARTS_INSTRUCTION.match(text)
    name = named.group(1) if named else ""
    body.unparsed.append(Unparsed(body.pending_line, text.strip()[:200], name))


def _parse_instruction(text: str, position: int) -> Instruction | None:
    match = _INSTRUCTION.match(text)
    if match is None:
        return None
    start = match.end()
    end = text.find(")", start)
    if end == -1:
        return None
    operands = text[start:end]
    if "(" in operands or '"' in operands or "{" in operands:
        try:
            end = closing_bracket(text, start - 1)
        except HloError:
            return None
        operands = text[start:end]
    root, name, shape, opcode = match.groups()
    return Instruction(
        name=name,
        opcode=opcode,
        shape_text=shape,
        operand_text=operands.strip(),
        attributes=text[end + 1 :].lstrip(", "),
        position=position,
        is_root=root is not None,
    )


def _frames(tables: dict[str, dict[int, str]]) -> dict[int, Frame]:
    """Join the four tables of the header into frames by their number."""
    files = {number: unquoted(text) for number, text in tables["FileNames"].items()}
    functions = {number: unquoted(text) for number, text in tables["FunctionNames"].items()}
    locations = {number: _fields(text) for number, text in tables["FileLocations"].items()}
    stack = {number: _fields(text) for number, text in tables["StackFrames"].items()}
    # XLA prints parent_frame_id one too high (an outermost frame says 1), which is seen from an
    # outermost frame: printed as it is meant, it would say 0 or nothing.
    shift = 0 if any(fields.get("parent_frame_id", 0) == 0 for fields in stack.values()) else 1
    frames = {}
    for number, fields in stack.items():
        location = locations.get(fields.get("file_location_id", 0), {})
        frames[number] = Frame(
            file=files.get(location.get("file_name_id", 0), ""),
            function=functions.get(location.get("function_name_id", 0), ""),
            line=location.get("line", 0),
            parent=max(fields.get("parent_frame_id", 0) - shift, 0),
        )
    return frames


def _fields(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in _FIELD.findall(text)}
