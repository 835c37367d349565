"""Facts as a compiler's text would give them, made by hand, for checks to judge."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from grader.core.arrays import block_at, part_of
from grader.core.collectives import Collective, Kind
from grader.core.collectives.rows import Link, NotUnderstood
from grader.core.evidence import (
    Array,
    CaseRun,
    Evidence,
    OutputValue,
    ProgramEvidence,
    Reference,
    RunEvidence,
    ShardValue,
)
from grader.core.hlo.times import ONCE, Times
from grader.core.inspection import Inspection, Reading
from grader.core.judging import judge
from grader.core.products import Product, Products
from grader.core.rubric import read_rubric
from grader.core.rubric.vocabulary import Spec
from grader.core.verdict import CheckResult, Verdict
from tpu_runner.protocol import (
    AxisType,
    Backend,
    BackendStatus,
    MemoryBytes,
    MeshAxis,
    MeshSpec,
    Shard,
    TensorLayout,
    Versions,
)

AXES = {"x": 4, "y": 2}
SHAPE = (8, 6)
MESH = MeshSpec(
    axes=tuple(MeshAxis(name=name, size=size, type=AxisType.AUTO) for name, size in AXES.items())
)
VERSIONS = Versions(python="3.13", jax="0", jaxlib="0", libtpu="0")
RUBRIC = """\
kind: program
version: 1
mesh: {axes: {x: 4, y: 2}}
backends: {cpu: {}, tpu-compile: {topology: "v5e:2x4"}}
inputs:
  a: {dtype: float32, shape: [8, 6], sharding: [x, null], draw: {normal: 1}}
outputs:
  c: {dtype: float32, shape: [8, 6], sharding: [x, null]}
checks:
"""
RUNS = tuple(CaseRun(f"random-{number}", number) for number in (1, 2, 3))


def row(
    kind: Kind = Kind.ALL_REDUCE,
    axes: tuple[str, ...] = ("x",),
    *,
    sent: int = 1000,
    times: Times = ONCE,
    **changed: object,
) -> Collective:
    """One collective; what is not said is unremarkable."""
    usual = Collective(
        kind=kind,
        axes=axes,
        groups=None if axes else ((0, 1), (2, 3)),
        part_of=(),
        group_size=4,
        steps=None,
        pairs=(),
        dtype="f32",
        operand_bytes=sent,
        result_bytes=sent,
        sent_bytes_per_device=sent,
        times=times,
        link=Link.ICI,
        is_async=False,
        is_decomposed=False,
        overlapped_by=(),
        algorithm=None,
        line=7,
        feeds_line=None,
        function="step",
        hlo_name="op.1",
        computation="main",
        notes=(),
    )
    return dataclasses.replace(usual, **changed)  # type: ignore[arg-type]  # named as the fields are


def product(flops: int, times: Times = ONCE, *, line: int = 3) -> Product:
    """One product."""
    return Product(
        hlo_name="dot.1",
        computation="main",
        dtype="f32",
        flops=flops,
        bytes=1,
        passes=1,
        times=times,
        line=line,
    )


def layout(spec: Spec, *, shape: tuple[int, ...] = SHAPE, listed: bool = True) -> TensorLayout:
    """The layout of an output that is split as the spec says."""
    blocks = tuple(
        block_at(position, axes=AXES, spec=spec, shape=shape) for position in range(MESH.devices)
    )
    first = blocks[0]
    return TensorLayout(
        dtype="float32",
        shape=shape,
        spec=tuple((part,) if isinstance(part, str) else part or () for part in spec),
        shard_shape=tuple(
            stop - start for start, stop in zip(first.start, first.stop, strict=True)
        ),
        memory_kind="device",
        kept=True,
        donated=False,
        shards=blocks if listed else None,
    )


def inspection(
    backend: Backend = Backend.CPU,
    *,
    rows: Sequence[Collective] = (),
    products: Products | None = None,
    unread: str = "",
    memory: MemoryBytes | None = None,
    outputs: tuple[TensorLayout, ...] = (layout(("x", None)),),
    status: BackendStatus = BackendStatus.COMPILED,
    message: str = "",
) -> Inspection:
    """What one backend made of a program."""
    reading = Reading(
        collectives=tuple(rows),
        not_understood=(NotUnderstood(hlo_name="op.9", computation="main", reason=unread),)
        if unread
        else (),
        schedule=(),
        products=products or Products((), ()),
        modelled=None,
    )
    return Inspection(
        backend=backend,
        topology=None,
        slices=1,
        status=status,
        message=message,
        device_kind="",
        mesh=MESH,
        versions=VERSIONS,
        memory=memory,
        outputs=outputs,
        inputs=(),
        reading=reading if status is BackendStatus.COMPILED else None,
    )


def memory(**figures: int | None) -> MemoryBytes:
    """A memory analysis; what is not said is zero."""
    usual = MemoryBytes(argument=0, output=0, temp=0, alias=0, peak=0, generated_code=0)
    return dataclasses.replace(usual, **figures)  # type: ignore[arg-type]  # named as the fields are


def whole(run: CaseRun) -> Array:
    """What the plain program gives for a run: any numbers will do."""
    values: Array = np.random.default_rng(run.seed).normal(size=SHAPE).astype(np.float32)
    return values


def shards_of(array: Array, spec: Spec = ("x", None)) -> tuple[ShardValue, ...]:
    """An array as devices hold it."""
    found = []
    for position in range(MESH.devices):
        block = block_at(position, axes=AXES, spec=spec, shape=array.shape)
        found.append(ShardValue(position=position, block=block, array=part_of(array, block)))
    return tuple(found)


def output(array: Array, shards: tuple[ShardValue, ...] | None = None) -> OutputValue:
    """An output, split by its rows."""
    return OutputValue(
        dtype=array.dtype.name,
        shape=array.shape,
        shards=shards_of(array) if shards is None else shards,
    )


def right_runs() -> tuple[RunEvidence, ...]:
    """Every run with the right values."""
    return tuple(RunEvidence(case=run, outputs=(output(whole(run)),)) for run in RUNS)


def verdict(
    check: str,
    *programs: Inspection,
    reference: Sequence[Inspection] = (),
    runs: tuple[RunEvidence, ...] | None = None,
) -> Verdict:
    """The verdict of one check, written as YAML, on these facts."""
    rubric, problems = read_rubric(f"{RUBRIC}  - {check}\n")
    assert rubric is not None, problems
    return judge(
        exercise="e",
        rubric=rubric,
        evidence=Evidence(
            programs=(ProgramEvidence(backends=programs),),
            runs=right_runs() if runs is None else runs,
            versions=VERSIONS,
        ),
        reference=Reference(
            programs=(ProgramEvidence(backends=tuple(reference)),),
            expected={run: (whole(run),) for run in RUNS},
        ),
    )


def result(check: str, *programs: Inspection, reference: Sequence[Inspection] = ()) -> CheckResult:
    """The result of a check on the CPU."""
    return verdict(check, *programs, reference=reference).results[0]


def moved(shard: ShardValue, start: tuple[int, ...], stop: tuple[int, ...]) -> ShardValue:
    """The same bytes, said to belong elsewhere."""
    return dataclasses.replace(shard, block=Shard(start=start, stop=stop))
