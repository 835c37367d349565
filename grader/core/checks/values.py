"""`values`: every shard of every output, on hidden inputs, against the plain reference."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from grader.core.arrays import part_of
from grader.core.checks.comparison import Difference, difference
from grader.core.checks.observed import Finding, Observed, failed, not_known, passed
from grader.core.evidence import Array, OutputValue, RunEvidence
from grader.core.rubric.checks import Tolerance, Values
from grader.core.rubric.documents import DataRubric

WHY: Final = (
    "Every device has to hold the right block for every input, or whoever reads the next shard "
    "computes with something else."
)
_SHOWN = 5


def judge_values(check: Values, observed: Observed) -> Finding:
    """Return whether every output is right on every shard in every run."""
    rubric = observed.rubric
    if isinstance(rubric, DataRubric):
        raise TypeError("a data exercise has no values")
    names = tuple(rubric.outputs)
    tolerances = [check.outputs.get(name, Tolerance(check.rtol, check.atol)) for name in names]
    runs, expected = observed.evidence.runs, observed.reference.expected
    wanted = f"{', '.join(names)} equal to the plain program on {len(expected)} inputs"
    if not expected or {run.case for run in runs} != set(expected) or len(runs) != len(expected):
        return not_known(wanted, "not every case was run")
    problem = _reference_problem(check, names, observed)
    if problem:
        return not_known(wanted, problem)
    devices = math.prod(rubric.mesh.axes.values())
    found = [
        f"case {run.case.name} (seed {run.case.seed}): {message}"
        for run in runs
        for message in _run_messages(run, expected[run.case], names, tolerances, devices)
    ]
    if found:
        return failed(wanted, found[0], also=tuple(found[1:_SHOWN]))
    return passed(wanted, "the same, on every shard")


def _reference_problem(check: Values, names: Sequence[str], observed: Observed) -> str:
    for run, arrays in observed.reference.expected.items():
        if len(arrays) != len(names):
            return f"the rubric names {len(names)} outputs, the reference has {len(arrays)}"
        for name, array in zip(names, arrays, strict=True):
            values = array.astype(np.float64)
            if np.isnan(values).any() and not check.allow_nan:
                return f"the reference has NaN in {name}, case {run.name}"
            if np.isinf(values).any() and not check.allow_infinite:
                return f"the reference has infinities in {name}, case {run.name}"
    return ""


def _run_messages(
    run: RunEvidence,
    expected: Sequence[Array],
    names: Sequence[str],
    tolerances: Sequence[Tolerance],
    devices: int,
) -> Iterator[str]:
    if len(run.outputs) != len(expected):
        yield f"{len(run.outputs)} outputs, not {len(expected)}"
        return
    for name, output, whole, tolerance in zip(
        names, run.outputs, expected, tolerances, strict=True
    ):
        message = _output_message(output, whole, tolerance, devices)
        if message:
            yield f"{name}: {message}"


def _output_message(output: OutputValue, whole: Array, tolerance: Tolerance, devices: int) -> str:
    if output.dtype != whole.dtype.name:
        return f"dtype {output.dtype}, not {whole.dtype.name}"
    if output.shape != whole.shape:
        return f"shape {list(output.shape)}, not {list(whole.shape)}"
    if sorted(shard.position for shard in output.shards) != list(range(devices)):
        return f"there are {len(output.shards)} shards on {devices} devices"
    for shard in output.shards:
        if not _lies_within(shard.block.start, shard.block.stop, whole.shape):
            return f"device {shard.position} holds no block of it"
    return _shards_message(output, whole, tolerance)


def _shards_message(output: OutputValue, whole: Array, tolerance: Tolerance) -> str:
    wrong: dict[int, Difference] = {}
    seen = np.zeros(whole.shape, np.bool_)
    for shard in output.shards:
        part_of(seen, shard.block)[...] = True
        apart = difference(
            shard.array, part_of(whole, shard.block), rtol=tolerance.rtol, atol=tolerance.atol
        )
        if apart is not None:
            wrong[shard.position] = apart
    if wrong:
        first = next(iter(wrong))
        block = next(shard.block for shard in output.shards if shard.position == first)
        return _said(wrong[first], first, block.start, wrong=list(wrong), of=len(output.shards))
    if not seen.all():
        return f"{int(np.count_nonzero(~seen))} of {seen.size} elements are on no device"
    return ""


def _lies_within(start: Sequence[int], stop: Sequence[int], shape: Sequence[int]) -> bool:
    return len(start) == len(stop) == len(shape) and all(
        0 <= first < last <= size for first, last, size in zip(start, stop, shape, strict=True)
    )


def _said(
    apart: Difference, position: int, start: Sequence[int], *, wrong: list[int], of: int
) -> str:
    where = (
        f"wrong on all {of} devices" if len(wrong) == of else f"wrong on devices {wrong} of {of}"
    )
    if apart.index is None:
        return f"{where}; device {position} holds {apart.what}"
    place = [first + inner for first, inner in zip(start, apart.index, strict=True)]
    return (
        f"{where}; {apart.what}: {apart.wrong} of {apart.size} elements on device {position}, "
        f"at {place} wanted {apart.wanted:.6g}, found {apart.found:.6g}"
    )
