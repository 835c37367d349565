"""Whether an all-reduce is followed by each device keeping only its slice of the result."""

from grader.core.hlo.module import Computation, Instruction, Module

_VIEWS = frozenset({"bitcast", "copy", "get-tuple-element", "reshape", "convert"})


def keeps_only_a_slice(module: Module, computation: Computation, result: Instruction) -> bool:
    """Whether every use of `result` is a dynamic-slice: a reduce-scatter would have done.

    XLA:CPU forms no reduce-scatter from automatic sharding, and the TPU compiler not always.
    """
    return _only_sliced(module, computation, result, may_enter=True)


def _only_sliced(
    module: Module, computation: Computation, value: Instruction, *, may_enter: bool
) -> bool:
    waiting, seen, slices = [value], {value.name}, 0
    while waiting:
        current = waiting.pop()
        if current.is_root:
            return False
        for user in computation.users.get(current.name, ()):
            if user.name in seen:
                continue
            seen.add(user.name)
            if user.opcode == "dynamic-slice":
                slices += user.operands[0] == current.name
            elif may_enter and _slices_inside(module, user, current):
                slices += 1
            elif user.opcode in _VIEWS or (may_enter and _is_view(module, user)):
                waiting.append(user)
            else:
                return False
    return slices > 0


def _slices_inside(module: Module, fusion: Instruction, value: Instruction) -> bool:
    """Whether a fusion takes `value` only to slice it."""
    called = fusion.called("calls") if fusion.opcode == "fusion" else ()
    inner = module.computations.get(called[0]) if called else None
    if inner is None:
        return False
    numbers = [number for number, name in enumerate(fusion.operands) if name == value.name]
    parameters = [inner.parameters.get(number) for number in numbers]
    return all(
        parameter is not None and _only_sliced(module, inner, parameter, may_enter=False)
        for parameter in parameters
    )


def _is_view(module: Module, fusion: Instruction) -> bool:
    """Whether a fusion only converts or reshapes its one operand."""
    called = fusion.called("calls") if fusion.opcode == "fusion" else ()
    inner = module.computations.get(called[0]) if called else None
    return inner is not None and all(
        instruction.opcode in (*_VIEWS, "parameter") for instruction in inner.instructions
    )
