"""From an instruction to the learner's source line."""

import dataclasses
from collections.abc import Mapping

from grader.core.hlo.module import Computation, Frame, Instruction, Module

_MAX_DEPTH = 1000  # a chain of frames this long goes round in a circle
_MAX_NESTING = 50  # of fusions in fusions; real programs have three


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the learner's file and the function that it stands in."""

    line: int
    function: str


def own_line(module: Module, instruction: Instruction, *, file: str) -> SourceLine | None:
    """Return the innermost line of `file` on the instruction's own stack, or None."""
    return _innermost(module.frames, instruction.frame_id, file)


def consumer_line(
    module: Module,
    computation: Computation,
    instruction: Instruction,
    *,
    file: str,
    handed_to: Mapping[str, Instruction],
) -> SourceLine | None:
    """Return the line of the first consumer, in schedule order and transitively, that has one.

    A fusion consumes on the line of the first instruction inside it that takes the value: its own
    is that of its root, which may be several products later. `handed_to` names values that arrive
    elsewhere without being an operand: what a `send` sends is received by a `recv`. It stays inside
    the computation: what happens to a value beyond it is another question.
    """
    search = _Consumers(module, file, handed_to)
    return search.line(computation, instruction, depth=0)


class _Consumers:
    """One search for a consumer; each value is followed once, in fusions too."""

    def __init__(self, module: Module, file: str, handed_to: Mapping[str, Instruction]) -> None:
        self._module = module
        self._file = file
        self._handed_to = handed_to
        self._seen: set[tuple[str, str]] = set()

    def line(
        self, computation: Computation, instruction: Instruction, *, depth: int
    ) -> SourceLine | None:
        """Return the line of the first consumer of `instruction`, which stands in `computation`."""
        waiting = [instruction.name]
        self._seen.add((computation.name, instruction.name))
        while waiting:
            found: list[tuple[Instruction, str]] = []
            for name in waiting:
                receiver = (self._handed_to[name],) if name in self._handed_to and not depth else ()
                for user in (*computation.users.get(name, ()), *receiver):
                    if (computation.name, user.name) not in self._seen:
                        self._seen.add((computation.name, user.name))
                        found.append((user, name))
            found.sort(key=lambda pair: pair[0].position)
            for user, taken in found:
                inside = self._line_inside(user, taken, depth) if user.opcode == "fusion" else None
                if line := inside or own_line(self._module, user, file=self._file):
                    return line
            waiting = [user.name for user, _ in found]
        return None

    def _line_inside(self, fusion: Instruction, taken: str, depth: int) -> SourceLine | None:
        called = fusion.called("calls")
        inner = self._module.computations.get(called[0]) if called else None
        if inner is None or depth == _MAX_NESTING:
            return None
        parameters = [
            parameter
            for number, name in enumerate(fusion.operands)
            if name == taken and (parameter := inner.parameters.get(number)) is not None
        ]
        lines = (self.line(inner, parameter, depth=depth + 1) for parameter in parameters)
        return next((line for line in lines if line is not None), None)


def _innermost(frames: Mapping[int, Frame], number: int | None, file: str) -> SourceLine | None:
    for _ in range(_MAX_DEPTH):
        frame = frames.get(number or 0)
        if frame is None:
            return None
        if frame.file == file:
            return SourceLine(line=frame.line, function=_short_name(frame.function))
        number = frame.parent
    return None


def _short_name(qualified: str) -> str:
    """Return `step` for `build.<locals>.step`."""
    return qualified.rpartition(".")[2]
