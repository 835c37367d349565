"""One place where a program communicates, whatever it looks like there; rows are made of these."""

import dataclasses

from grader.core.collectives.mesh import Placement
from grader.core.collectives.rows import Kind
from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction
from grader.core.hlo.shapes import ArrayShape, array_leaves

_KIND_BY_OPCODE = {kind.value: kind for kind in Kind}
# An opcode that begins like these and is not known is reported, not passed over.
_SOUNDS_LIKE_A_COLLECTIVE = ("all-", "collective-", "reduce-scatter", "ragged-all-to-all")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A collective before its axes are put into the row.

    `instruction` stands in the schedule of `computation` (it may be the fusion around the
    collective); `core` carries the attributes; `done` ends an asynchronous one.
    `steps` are the starts and ends of the permutes of a decomposed one.
    """

    kind: Kind
    computation: Computation
    instruction: Instruction
    core: Instruction
    operands: tuple[ArrayShape, ...]
    result: tuple[ArrayShape, ...]
    is_async: bool = False
    done: Instruction | None = None
    is_decomposed: bool = False
    placement: Placement | None = None
    hidden_in: Computation | None = None
    steps: tuple[tuple[Instruction, Instruction], ...] = ()
    notes: tuple[str, ...] = ()


def collective_kind(opcode: str) -> Kind | None:
    """Return the kind of `all-gather` or `all-gather-start`; None for others, `-done` included.

    Raises `HloError` for an opcode that sounds like a collective and is none that we know.
    """
    kind = _KIND_BY_OPCODE.get(opcode) or _KIND_BY_OPCODE.get(opcode.removesuffix("-start"))
    if kind is not None or not opcode.startswith(_SOUNDS_LIKE_A_COLLECTIVE):
        return kind
    if opcode.removesuffix("-done").removesuffix("-update") in _KIND_BY_OPCODE:
        return None
    raise HloError(f"{opcode!r} is a collective that we do not know")


def operand_shapes(computation: Computation, instruction: Instruction) -> tuple[ArrayShape, ...]:
    """Return the arrays that an instruction takes; `HloError` where an operand is not defined."""
    found: list[ArrayShape] = []
    for name in instruction.operands:
        operand = computation.by_name.get(name)
        if operand is None:
            raise HloError(f"{instruction.name!r} takes {name!r}, which is not defined")
        found.extend(array_leaves(operand.shape))
    return tuple(found)


def total_bytes(shapes: tuple[ArrayShape, ...]) -> int:
    """Return the bytes of several arrays together."""
    return sum(shape.bytes for shape in shapes)


def dtype_of(shapes: tuple[ArrayShape, ...]) -> str:
    """Return the element type, or several joined by `+`, in the order in which they appear."""
    return "+".join(dict.fromkeys(shape.dtype for shape in shapes))


def done_of(computation: Computation, start: Instruction) -> Instruction | None:
    """Return the `-done` that ends `start`, through any `-update`; None if it stands elsewhere."""
    name = start.name
    for _ in range(len(computation.instructions)):
        users = computation.users.get(name, ())
        if done := next((user for user in users if user.opcode.endswith("-done")), None):
            return done
        update = next((user for user in users if user.opcode.endswith("-update")), None)
        if update is None:
            return None
        name = update.name
    return None


def begin_of(computation: Computation, start: Instruction) -> Instruction:
    """Return where `start` gets what it sends: itself, or the `-update` that hands it over."""
    one, name = start, start.name
    while not set(one.operands) - {name}:
        name = one.name
        users = computation.users.get(name, ())
        update = next((user for user in users if user.opcode.endswith("-update")), None)
        if update is None or update.position <= one.position:
            return start
        one = update
    return one
