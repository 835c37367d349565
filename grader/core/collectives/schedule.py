"""The schedule as data: what runs between the start and the end of what is asynchronous."""

import dataclasses

from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape, array_leaves
from grader.core.hlo.times import calls_of_instruction

# These move values or name them; they compute nothing that could hide traffic.
_NO_COMPUTE = frozenset(
    {
        "add-dependency", "after-all", "bitcast", "bitcast-convert", "broadcast", "concatenate",
        "constant", "convert", "copy", "domain", "dynamic-slice", "dynamic-update-slice",
        "get-tuple-element", "infeed", "iota", "optimization-barrier", "outfeed", "pad",
        "parameter", "partition-id", "recv", "replica-id", "reshape", "reverse", "send", "slice",
        "transpose", "tuple",
    }
)  # fmt: skip
# Collectives compete for the links; they hide nothing. Nor does the start or end of anything.
_COMMUNICATES = ("all-", "async-", "collective-", "ragged-", "reduce-scatter")
_ENDS = ("-start", "-done", "-update")
# Compilers compute and check indices as short vectors of integers; 128 is one row of TPU lanes.
_LONGEST_INDEX = 128
_RUNS_OTHERS = frozenset({"call", "conditional", "fusion", "while"})
_IDLE_CALLS = frozenset(
    {
        '"AllocateBuffer"', '"AsyncCollectiveDone"', '"AsyncCollectiveStart"', '"ConcatBitcast"',
        '"Sharding"', '"SliceBitcast"',
    }
)  # fmt: skip


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


def _is_worth_counting(shape: ArrayShape) -> bool:
    is_index = shape.dtype == "pred" or shape.dtype[0] in "su"
    return shape.elements > (_LONGEST_INDEX if is_index else 1)


class Arithmetic:
    """Knows which instructions of a module do arithmetic on arrays, inside fusions and loops too.

    Scalars, indices and the movement of data hide nothing. What cannot be read raises `HloError`.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._found: dict[str, bool] = {}

    def is_done_by(self, instruction: Instruction) -> bool:
        """Whether an instruction, or anything that it runs, does arithmetic on arrays."""
        opcode = instruction.opcode
        if opcode in _RUNS_OTHERS:
            return any(self._is_done_in(name) for name in calls_of_instruction(instruction))
        if opcode in _NO_COMPUTE or opcode.startswith(_COMMUNICATES) or opcode.endswith(_ENDS):
            return False
        if opcode == "custom-call" and instruction.attribute("custom_call_target") in _IDLE_CALLS:
            return False
        return any(map(_is_worth_counting, array_leaves(instruction.shape)))

    def _is_done_in(self, name: str) -> bool:
        if name not in self._found:
            self._found[name] = False  # a computation that calls itself finds nothing new there
            computation = self._module.computations.get(name)
            instructions = computation.instructions if computation is not None else ()
            self._found[name] = any(map(self.is_done_by, instructions))
        return self._found[name]


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
