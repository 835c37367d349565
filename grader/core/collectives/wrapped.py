"""Collectives in a computation that runs asynchronously: wrapped, or handed to the SparseCores.

For the seventh generation the TPU compiler hands whole collectives to the SparseCores: a
`call-start` that takes nothing, a `call-update` that hands the operands over, and a `call-done`.
"""

from collections.abc import Iterator

from grader.core.collectives.across_slices import transfer_type
from grader.core.collectives.fused import FusedCollectives
from grader.core.collectives.rows import Kind
from grader.core.collectives.sites import Site, begin_of, collective_kind, done_of, operand_shapes
from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape, array_leaves
from grader.core.hlo.times import calls_of_instruction, in_execution_order


def is_wrapper(instruction: Instruction) -> bool:
    """Whether an instruction starts a computation that runs beside those that follow."""
    return instruction.opcode.endswith("-start") and any(calls_of_instruction(instruction))


def wrapped_sites(
    module: Module, fused: FusedCollectives, computation: Computation, start: Instruction
) -> Iterator[Site]:
    """Yield the collectives in what `start` starts; `HloError` where one of them never ends."""
    for name in calls_of_instruction(start):
        inner = module.computations[name]
        for core in inner.instructions:
            if core.opcode == "fusion":
                for held in fused.inside(core):
                    yield _site(
                        computation, start, held.core, held.kind, held.operands, held.result, inner
                    )
            elif (kind := collective_kind(core.opcode)) is not None:
                operands = operand_shapes(inner, core)
                yield _site(
                    computation, start, core, kind, operands, array_leaves(core.shape), inner
                )


def _site(
    computation: Computation,
    start: Instruction,
    core: Instruction,
    kind: Kind,
    operands: tuple[ArrayShape, ...],
    result: tuple[ArrayShape, ...],
    inner: Computation,
) -> Site:
    done = done_of(computation, start)
    if done is None:
        raise HloError("an asynchronous collective that nothing ends")
    return Site(
        kind=kind,
        computation=computation,
        instruction=begin_of(computation, start),
        core=core,
        operands=operands,
        result=result,
        is_async=True,
        done=done,
        hidden_in=inner,
    )


def out_of_sight(module: Module) -> Iterator[tuple[Computation, Instruction]]:
    """Yield each collective that stands where no reader looks: what calls it is not understood.

    Readers look at what is scheduled, at what its fusions call, and at what its wrappers start.
    """
    seen = dict.fromkeys(computation.name for computation, _ in in_execution_order(module))
    waiting = [
        instruction
        for name in seen
        for instruction in module.computations[name].instructions
        if instruction.opcode == "fusion" or is_wrapper(instruction)
    ]
    while waiting:
        for name in calls_of_instruction(waiting.pop()):
            if name not in seen and (computation := module.computations.get(name)) is not None:
                seen[name] = None
                waiting += [one for one in computation.instructions if one.opcode == "fusion"]
    for name, computation in module.computations.items():
        if name not in seen:
            for instruction in computation.instructions:
                if _communicates(instruction):
                    yield computation, instruction


def _communicates(instruction: Instruction) -> bool:
    try:
        kind = collective_kind(instruction.opcode)
    except HloError:
        return True  # it sounds like a collective
    return kind is not None or transfer_type(instruction) is not None
