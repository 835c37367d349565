"""What one field of a rubric demands of another."""

import math
from collections.abc import Iterable, Iterator

from grader.core.rubric.checks import (
    Answer,
    Collectives,
    Compilations,
    Memory,
    OutputSharding,
    Overlap,
    Pattern,
    ProgramCheck,
    Time,
    Traffic,
    Values,
)
from grader.core.rubric.documents import (
    DataRubric,
    Input,
    Mesh,
    MeshAnswer,
    PlacementAnswer,
    ProgramRubric,
    ProgramSetRubric,
    Rubric,
)
from grader.core.rubric.drawing import Draw, Edge
from grader.core.rubric.plain import Place
from grader.core.rubric.vocabulary import Dtype, Spec
from tpu_runner.protocol import Backend

type Finding = tuple[Place, str]

_WHOLE = frozenset({Dtype.INT8, Dtype.INT16, Dtype.INT32, Dtype.UINT8, Dtype.UINT32})
_FOR_FLAGS = frozenset({Edge.ALL_FALSE, Edge.ALL_TRUE})


def inconsistencies(rubric: Rubric) -> Iterator[Finding]:
    """Yield the place and the message of everything that does not fit together."""
    if isinstance(rubric, DataRubric):
        yield from _of_data(rubric)
        return
    yield from _of_mesh(rubric.mesh)
    symbols = {rubric.calls.name} if isinstance(rubric, ProgramSetRubric) else set()
    for name, wanted in rubric.outputs.items():
        place: Place = ("outputs", name)
        yield from _of_tensor(place, wanted.shape, wanted.sharding, rubric.mesh, symbols)
    for name, given in rubric.inputs.items():
        place = ("inputs", name)
        yield from _of_tensor(place, given.shape, given.sharding, rubric.mesh, symbols)
        yield from _of_draw(("inputs", name, "draw"), given.draw, given)
        if given.sharding is None and _learner_chooses(rubric) is False:
            yield ("inputs", name), "sharding is missing; [null, …] is an array on every device"
    yield from _of_cases(rubric)
    for index, check in enumerate(rubric.checks):
        yield from _of_check(("checks", index), check, rubric)
    if isinstance(rubric, ProgramSetRubric):
        yield from _of_calls(rubric)


def _learner_chooses(rubric: ProgramRubric | ProgramSetRubric) -> bool:
    return isinstance(rubric, ProgramRubric) and rubric.input_shardings.value == "learner"


def _of_mesh(mesh: Mesh) -> Iterator[Finding]:
    for name, size in mesh.axes.items():
        if not name.isidentifier() or size < 1:
            yield ("mesh", "axes", name), f"axis {name!r}: a name and a size of at least 1"
    if isinstance(mesh.types, dict) and set(mesh.types) != set(mesh.axes):
        yield ("mesh", "types"), "types have to name every axis, or be one word for all"


def _of_tensor(
    place: Place,
    shape: tuple[int | str, ...],
    sharding: Spec | None,
    mesh: Mesh,
    symbols: Iterable[str],
) -> Iterator[Finding]:
    for size in shape:
        if isinstance(size, str) and size not in symbols:
            yield (*place, "shape"), f"{size!r} is no size; only a program_set has a named length"
        elif isinstance(size, int) and size < 1:
            yield (*place, "shape"), f"{size} is no size"
    if sharding is None:
        return
    yield from _of_spec((*place, "sharding"), sharding, mesh)
    if len(sharding) != len(shape):
        yield (
            (*place, "sharding"),
            f"names {len(sharding)} dimensions of {len(shape)}; write null for an unsplit one",
        )
        return
    for size, part in zip(shape, sharding, strict=True):
        parts = math.prod(mesh.axes.get(axis, 1) for axis in axes_of(part))
        if isinstance(size, int) and size % parts:
            yield (*place, "sharding"), f"{size} does not divide over {parts} devices"


def axes_of(part: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the mesh axes that split one dimension, major first."""
    return (part,) if isinstance(part, str) else part or ()


def _of_spec(place: Place, spec: Spec, mesh: Mesh) -> Iterator[Finding]:
    named = [axis for part in spec for axis in axes_of(part)]
    for axis in sorted(set(named) - set(mesh.axes)):
        yield place, f"the mesh has no axis {axis!r}; it has {', '.join(mesh.axes)}"
    if len(named) != len(set(named)):
        yield place, "an axis can split one dimension only, once"


def _of_draw(place: Place, draw: Draw | Edge, given: Input) -> Iterator[Finding]:
    whole, flags = given.dtype in _WHOLE, given.dtype is Dtype.BOOL
    if isinstance(draw, Edge):
        if (draw in _FOR_FLAGS) and not flags:
            yield place, f"{draw.value} is for bool, and this is {given.dtype.value}"
        elif flags and draw in {Edge.MIXED_MAGNITUDES, Edge.RAGGED, Edge.SORTED}:
            yield place, f"{draw.value} is not for bool; all_false, all_true, one_hot are"
        elif draw is Edge.RAGGED and not whole:
            yield place, "ragged fills lengths, which are whole numbers"
        elif draw is Edge.MIXED_MAGNITUDES and whole:
            yield place, "mixed_magnitudes is for floating point"
    elif flags and draw.bernoulli is None and draw.constant is None:
        yield place, "bool is drawn by bernoulli or constant"
    elif draw.bernoulli is not None and not flags:
        yield place, "bernoulli draws bool"
    elif whole and (draw.normal is not None or draw.uniform is not None):
        yield place, "whole numbers are drawn by integers or constant"
    elif draw.integers is not None and not whole:
        yield place, "integers draws whole numbers; uniform or normal draw floating point"


def _of_cases(rubric: ProgramRubric | ProgramSetRubric) -> Iterator[Finding]:
    if sum(case == "random" for case in rubric.cases) < 3:
        yield ("cases",), "at least three cases have to be `random`"
    seen: list[object] = []
    for index, case in enumerate(rubric.cases):
        if isinstance(case, str):
            continue
        if case in seen or not case:
            yield ("cases", index), "is empty or there already"
        seen.append(case)
        for name, filling in case.items():
            if name not in rubric.inputs:
                yield ("cases", index, name), f"there is no input {name!r}"
            else:
                yield from _of_draw(("cases", index, name), filling, rubric.inputs[name])


def _of_check(
    place: Place, check: ProgramCheck, rubric: ProgramRubric | ProgramSetRubric
) -> Iterator[Finding]:
    no_tpu = rubric.backends.tpu_compile is None
    if Backend.TPU_COMPILE in check.on and no_tpu:
        yield (*place, "on"), "the rubric has no backend tpu-compile"
    if isinstance(check, Overlap | Time) and (no_tpu or Backend.CPU in check.on):
        yield place, "is judged on tpu-compile only"
    if isinstance(check, Values) and Backend.TPU_COMPILE in check.on:
        yield (*place, "on"), "values come from cpu: tpu-compile runs nothing"
    if isinstance(check, Answer):
        yield place, "answer is for the kind data"
    if isinstance(check, Compilations) and not isinstance(rubric, ProgramSetRubric):
        yield place, "compilations counts the programs of a program_set"
    if isinstance(check, Memory) and not _is_bounded(check):
        yield place, "needs a bound: at_most, at_least, at_most_bytes or at_least_bytes"
    if isinstance(check, Values | OutputSharding):
        yield from _of_outputs(place, check, rubric)
    for axis in _axes_named(check):
        if axis not in rubric.mesh.axes:
            yield place, f"the mesh has no axis {axis!r}; it has {', '.join(rubric.mesh.axes)}"


def _is_bounded(check: Memory) -> bool:
    bounds = (check.at_most, check.at_least, check.at_most_bytes, check.at_least_bytes)
    return any(bound is not None for bound in bounds)


def _of_outputs(
    place: Place, check: Values | OutputSharding, rubric: ProgramRubric | ProgramSetRubric
) -> Iterator[Finding]:
    for name in check.outputs:
        if name not in rubric.outputs:
            yield (*place, "outputs", name), f"there is no output {name!r}"
    if isinstance(check, OutputSharding):
        for name, spec in check.outputs.items():
            yield from _of_spec((*place, "outputs", name), spec, rubric.mesh)
        if not check.outputs and all(one.sharding is None for one in rubric.outputs.values()):
            yield place, "no output states a sharding"


def _axes_named(check: ProgramCheck) -> Iterator[str]:
    patterns: tuple[Pattern, ...] = ()
    if isinstance(check, Collectives):
        patterns = (*check.require, *check.forbid)
    elif isinstance(check, Overlap):
        patterns = (check.of,)
    elif isinstance(check, Traffic):
        for theory in check.theory:
            yield from theory.axes
    for pattern in patterns:
        yield from pattern.axes or ()
        if pattern.touches:
            yield pattern.touches


def _of_calls(rubric: ProgramSetRubric) -> Iterator[Finding]:
    calls = rubric.calls
    if calls.least > calls.greatest:
        yield ("calls", "least"), "is above the greatest"
    held = rubric.inputs.get(calls.length)
    if held is None or held.shape or held.dtype is not Dtype.INT32:
        yield ("calls", "length"), "has to name an int32 input of shape []"
    for name, output in rubric.outputs.items():
        if any(isinstance(size, str) for size in output.shape):
            yield ("outputs", name), "a result cannot have the call's length: reduce it"
    for name, padding in rubric.padding.items():
        given = rubric.inputs.get(name)
        if given is None:
            yield ("padding", name), f"there is no input {name!r}"
        elif calls.name not in given.shape[padding.dimension : padding.dimension + 1]:
            yield ("padding", name), f"dimension {padding.dimension} is not {calls.name!r} long"
    for name, given in rubric.inputs.items():
        if calls.name in given.shape and name not in rubric.padding:
            yield (
                ("inputs", name),
                f"its size is {calls.name!r}, so padding has to say how it grows",
            )


def _of_data(rubric: DataRubric) -> Iterator[Finding]:
    if not rubric.function.isidentifier():
        yield ("function",), f"{rubric.function!r} is no name of a function"
    for index, check in enumerate(rubric.checks):
        if not isinstance(check, Answer):
            yield ("checks", index), "a data exercise has the check answer only"
    answer = rubric.answer
    if isinstance(answer, MeshAnswer):
        yield from _of_mesh(Mesh(axes=answer.axes, types=answer.types))
        if math.prod(answer.axes.values()) != rubric.devices:
            yield ("answer", "axes"), f"do not make up {rubric.devices} devices"
    elif isinstance(answer, PlacementAnswer):
        yield from _of_mesh(Mesh(axes=answer.axes))
        if math.prod(answer.axes.values()) != answer.slices * math.prod(answer.torus):
            yield ("answer", "axes"), "do not make up the chips of all slices"
        for axis in sorted({answer.crosses, *answer.neighbours} - set(answer.axes)):
            yield ("answer",), f"there is no axis {axis!r}"
