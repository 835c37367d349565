"""From a rubric to the runner's requests, and from its reports to evidence: pure conversion."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from grader.core.arrays import block_at, from_bytes, numpy_dtype
from grader.core.evidence import (
    Array,
    CaseRun,
    OutputValue,
    RunEvidence,
    ShardValue,
)
from grader.core.rubric.consistency import axes_of
from grader.core.rubric.documents import (
    Input,
    InputShardings,
    Mesh,
    ProgramRubric,
    ProgramSetRubric,
)
from tpu_runner.protocol import (
    Argument,
    AxisType,
    Backend,
    BackendReport,
    Limits,
    MeshAxis,
    MeshSpec,
    RunStatus,
    Shard,
    SpecsFrom,
    Target,
    TensorLayout,
    TensorSpec,
    Trial,
    TrialRun,
)

type AnyProgram = ProgramRubric | ProgramSetRubric
type Sizes = Mapping[str, int]  # of named lengths

PLAIN: Final = "\n\nbuild = plain\n"


class RunProblemError(Exception):
    """A run's report is not what the program's own layouts say: nothing can be judged from it."""


def mesh_spec(mesh: Mesh) -> MeshSpec:
    """Return the rubric's mesh as the runner takes it."""
    return MeshSpec(
        axes=tuple(
            MeshAxis(name=name, size=size, type=mesh.type_of(name))
            for name, size in mesh.axes.items()
        )
    )


def one_device(mesh: Mesh) -> MeshSpec:
    """Return a mesh with the same axes, each of size 1: what the plain program is traced for."""
    return MeshSpec(
        axes=tuple(MeshAxis(name=name, size=1, type=AxisType.AUTO) for name in mesh.axes)
    )


def targets(rubric: AnyProgram, backends: Iterable[Backend]) -> tuple[Target, ...]:
    """Return what to compile for, of the backends that are wanted. CPU is always one: it runs."""
    found = [Target(backend=Backend.CPU, topology=None, slices=_slices(rubric))]
    tpu = rubric.backends.tpu_compile
    if tpu is not None and Backend.TPU_COMPILE in tuple(backends):
        found.append(Target(backend=Backend.TPU_COMPILE, topology=tpu.topology, slices=tpu.slices))
    return tuple(found)


def arguments(
    rubric: AnyProgram, *, split: bool = True, sizes: Sizes | None = None
) -> tuple[Argument, ...]:
    """Return the arguments to trace with, in order; not split at all for the plain program."""
    learner = specs_from(rubric) is SpecsFrom.LEARNER
    return tuple(
        Argument(
            path=argument_path(name),
            tensor=_tensor(given, split=split, learner=learner, sizes=sizes or {}),
        )
        for name, given in rubric.inputs.items()
    )


def specs_from(rubric: AnyProgram) -> SpecsFrom:
    """Return who says how arguments are split."""
    chosen = isinstance(rubric, ProgramRubric) and rubric.input_shardings is InputShardings.LEARNER
    return SpecsFrom.LEARNER if chosen else SpecsFrom.REQUEST


def argument_path(name: str) -> tuple[str | int, ...]:
    """Return the key path of a dotted name: `state.0.w` is place 0 of state, key w in it."""
    first, *others = name.split(".")
    return (first, *(int(part) if part.isdigit() else part for part in others))


def flat_order(names: Sequence[str]) -> tuple[str, ...]:
    """Return names in the order in which JAX flattens them: arguments as given, keys sorted."""
    tops = list(dict.fromkeys(name.partition(".")[0] for name in names))

    def key(name: str) -> tuple[object, ...]:
        top, *others = argument_path(name)
        inner = [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in others]
        return (tops.index(str(top)), *inner)

    return tuple(sorted(names, key=key))


def input_tensors(
    rubric: AnyProgram, *, split: bool = True, sizes: Sizes | None = None
) -> tuple[TensorSpec, ...]:
    """Return the expected flat inputs of the program, in flat order."""
    learner = specs_from(rubric) is SpecsFrom.LEARNER
    return tuple(
        _tensor(rubric.inputs[name], split=split, learner=learner, sizes=sizes or {})
        for name in flat_order(tuple(rubric.inputs))
    )


def trial(run: CaseRun, inputs: Mapping[str, Array]) -> Trial:
    """Return one run's inputs as the runner takes them."""
    raw = b"".join(inputs[name].tobytes() for name in flat_order(tuple(inputs)))
    return Trial(name=run_name(run), arguments=raw)


def run_name(run: CaseRun) -> str:
    """Return the name that a run goes by in requests and reports."""
    return f"{run.name}@{run.seed}"


def walk_limits(rubric: AnyProgram) -> Limits:
    """Return what the walk over the artefact allows."""
    usual = Limits()
    given = rubric.limits
    return Limits(
        expanded_ops=given.expanded_ops or usual.expanded_ops,
        constant_bytes=(
            usual.constant_bytes if given.constant_bytes is None else given.constant_bytes
        ),
        custom_calls=rubric.custom_calls,
    )


def run_evidence(
    report: BackendReport, runs: Sequence[CaseRun], *, axes: Mapping[str, int]
) -> tuple[RunEvidence, ...]:
    """Return every run's outputs, shard by shard. Raises RunProblemError."""
    by_name = {one.name: one for one in report.runs}
    found = []
    for run in runs:
        one = by_name.get(run_name(run))
        if one is None:
            raise RunProblemError(f"case {run.name} was not run")
        found.append(RunEvidence(case=run, outputs=_outputs(one, report.outputs, axes)))
    return tuple(found)


def failed_run(report: BackendReport) -> TrialRun | None:
    """Return the first run that gave no results."""
    return next((one for one in report.runs if one.status is not RunStatus.RAN), None)


def _outputs(
    run: TrialRun, layouts: Sequence[TensorLayout], axes: Mapping[str, int]
) -> tuple[OutputValue, ...]:
    devices = math.prod(axes.values())
    left = memoryview(run.results)
    outputs = []
    for layout in layouts:
        blocks = _blocks(layout, axes)
        shards = []
        for position in range(devices):
            try:
                size = math.prod(layout.shard_shape) * numpy_dtype(layout.dtype).itemsize
                array = from_bytes(bytes(left[:size]), dtype=layout.dtype, shape=layout.shard_shape)
            except ValueError as error:
                raise RunProblemError(f"run {run.name}: {error}") from error
            left = left[size:]
            shards.append(ShardValue(position=position, block=blocks[position], array=array))
        outputs.append(OutputValue(dtype=layout.dtype, shape=layout.shape, shards=tuple(shards)))
    if left:
        raise RunProblemError(f"run {run.name} has {len(left)} bytes too many")
    return tuple(outputs)


def _blocks(layout: TensorLayout, axes: Mapping[str, int]) -> Sequence[Shard]:
    if layout.shards is not None:
        return layout.shards
    if layout.spec is None:
        raise RunProblemError("an output is split in a way that has no name")
    return [
        block_at(position, axes=axes, spec=layout.spec, shape=layout.shape)
        for position in range(math.prod(axes.values()))
    ]


def _tensor(given: Input, *, split: bool, learner: bool, sizes: Sizes) -> TensorSpec:
    shape = tuple(size if isinstance(size, int) else sizes[size] for size in given.shape)
    spec: tuple[tuple[str, ...], ...] | None = None
    if not split:
        spec = ((),) * len(shape)
    elif not learner and given.sharding is not None:
        spec = tuple(axes_of(part) for part in given.sharding)
    return TensorSpec(dtype=given.dtype.value, shape=shape, spec=spec)


def _slices(rubric: AnyProgram) -> int:
    tpu = rubric.backends.tpu_compile
    return tpu.slices if tpu is not None else 1
