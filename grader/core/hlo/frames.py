"""From an instruction to the learner's source line."""

import dataclasses
from collections.abc import Mapping

from grader.core.hlo.module import Computation, Frame, Instruction, Module

_MAX_DEPTH = 1000  # a chain of frames this long goes round in a circle


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

    `handed_to` names values that arrive elsewhere without being an operand: what a `send` sends is
    received by a `recv`. It stays inside the computation: what happens to a value beyond it is
    another question.
    """
    waiting, seen = [instruction.name], {instruction.name}
    while waiting:
        found: list[Instruction] = []
        for name in waiting:
            receiver = (handed_to[name],) if name in handed_to else ()
            for user in (*computation.users.get(name, ()), *receiver):
                if user.name not in seen:
                    seen.add(user.name)
                    found.append(user)
        found.sort(key=lambda user: user.position)
        for user in found:
            if (line := own_line(module, user, file=file)) is not None:
                return line
        waiting = [user.name for user in found]
    return None


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
