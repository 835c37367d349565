"""The schedule as data: what runs between the start and the end of what is asynchronous."""

import dataclasses

from grader.core.hlo.module import Computation, Instruction
from grader.core.hlo.shapes import array_leaves

# These move values or name them; they compute nothing that could hide traffic.
_NO_COMPUTE = frozenset(
    {
        "add-dependency", "after-all", "bitcast", "broadcast", "constant", "convert", "copy",
        "copy-done", "copy-start", "domain", "get-tuple-element", "infeed", "iota",
        "optimization-barrier", "outfeed", "parameter", "partition-id", "recv", "recv-done",
        "replica-id", "reshape", "send", "send-done", "slice", "transpose", "tuple",
    }
)  # fmt: skip
_CONTROL = frozenset({"call", "conditional", "while"})
_BUFFER_CALLS = frozenset({'"AllocateBuffer"', '"ConcatBitcast"', '"SliceBitcast"', '"Sharding"'})


@dataclasses.dataclass(frozen=True, slots=True)
class AsyncPair:
    """An asynchronous operation and the instructions scheduled between its start and its end."""

    computation: str
    start: str
    done: str
    between: tuple[str, ...]


def between(
    computation: Computation, start: Instruction, done: Instruction | None
) -> tuple[Instruction, ...]:
    """Return what is scheduled after `start` and before `done`, or to the end without one."""
    end = len(computation.instructions) if done is None else done.position
    return computation.instructions[start.position + 1 : end]


def computes(instruction: Instruction) -> bool:
    """Whether an instruction does arithmetic on arrays: scalars and data movement hide nothing."""
    opcode = instruction.opcode
    if opcode in _CONTROL:
        return True
    if opcode in _NO_COMPUTE or opcode.endswith(("-start", "-done", "-update")):
        return False
    if opcode == "custom-call" and instruction.attribute("custom_call_target") in _BUFFER_CALLS:
        return False
    return any(leaf.elements > 1 for leaf in array_leaves(instruction.shape))


def async_pairs(computation: Computation) -> tuple[AsyncPair, ...]:
    """Return every `-start`/`-done` pair of one computation, copies and transfers included."""
    pairs = []
    for done in computation.instructions:
        if not done.opcode.endswith("-done") or not done.operands:
            continue
        start = computation.by_name.get(done.operands[0])
        if start is not None and start.position < done.position:
            pairs.append(async_pair(computation, start, done))
    return tuple(pairs)


def async_pair(computation: Computation, start: Instruction, done: Instruction) -> AsyncPair:
    """Return one pair with what is scheduled between its ends."""
    names = tuple(inner.name for inner in between(computation, start, done))
    return AsyncPair(computation.name, start.name, done.name, names)
