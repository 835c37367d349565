"""Hidden inputs, drawn from (exercise, version, seed, case) alone: the same ones for ever.

Only Philox's raw bits come from numpy, which promises that they never change; what numpy makes of
them in its own distributions may. So the distributions are here.
"""

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from grader.core.arrays import numpy_dtype
from grader.core.evidence import Array, CaseRun
from grader.core.rubric.documents import Input, ProgramRubric, ProgramSetRubric
from grader.core.rubric.drawing import Draw, Edge

type Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

SEEDS: Final = 3
_FAR: Final = 8.0  # standard deviations: farther out than any drawn normal value of an exercise
_DECADES: Final = 4.0  # each way


def case_names(rubric: ProgramRubric | ProgramSetRubric) -> tuple[str, ...]:
    """Return the name of each case: `random-1`, or its fillings such as `mask=all_false`."""
    names, randoms = [], 0
    for case in rubric.cases:
        randoms += case == "random"
        names.append(f"random-{randoms}" if isinstance(case, str) else _name(case))
    return tuple(names)


def case_runs(
    rubric: ProgramRubric | ProgramSetRubric, seeds: Sequence[int]
) -> tuple[CaseRun, ...]:
    """Return every run that a submission has to get right. The seeds take turns over the cases.

    Raises ValueError unless there are three different seeds: right by luck on one is not right.
    """
    if len(set(seeds)) < SEEDS:
        raise ValueError(f"{SEEDS} different seeds are needed")
    return tuple(
        CaseRun(name, seeds[index % len(seeds)]) for index, name in enumerate(case_names(rubric))
    )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One run of a program with its inputs. `length` is that of a program_set's call, else 0."""

    run: CaseRun
    inputs: Mapping[str, Array]
    length: int = 0


def drawn_calls(
    rubric: ProgramRubric | ProgramSetRubric, *, exercise: str, seeds: Sequence[int]
) -> tuple[Call, ...]:
    """Return every call that a submission has to get right, with inputs of their own length.

    A program_set's calls take every case and every drawn length at least once. Raises ValueError
    unless there are three different seeds.
    """
    runs = case_runs(rubric, seeds)
    if isinstance(rubric, ProgramRubric):
        return tuple(
            Call(run=run, inputs=hidden_inputs(rubric, exercise=exercise, run=run)) for run in runs
        )
    lengths = call_lengths(rubric, exercise=exercise, seed=seeds[0])
    return tuple(
        _call(rubric, exercise, runs[at % len(runs)], lengths[at % len(lengths)])
        for at in range(max(len(runs), len(lengths)))
    )


def call_lengths(rubric: ProgramSetRubric, *, exercise: str, seed: int) -> tuple[int, ...]:
    """Return the least and the greatest length, and drawn ones up to as many as are hidden."""
    calls = rubric.calls
    bits = Bits((exercise, rubric.version, seed, "lengths"))
    drawn = bits.integers(calls.least, calls.greatest + 1, max(calls.hidden - 2, 0))
    return (calls.least, calls.greatest, *(int(length) for length in drawn))


def _call(rubric: ProgramSetRubric, exercise: str, run: CaseRun, length: int) -> Call:
    calls = rubric.calls
    inputs = hidden_inputs(rubric, exercise=exercise, run=run, sizes={calls.name: length})
    dtype = inputs[calls.length].dtype
    named = CaseRun(f"{run.name};{calls.name}={length}", run.seed)
    return Call(run=named, inputs={**inputs, calls.length: np.array(length, dtype)}, length=length)


def padded(
    rubric: ProgramSetRubric, inputs: Mapping[str, Array], length: int
) -> Mapping[str, Array]:
    """Return the inputs with each that has the call's length filled at its end up to `length`."""
    found = dict(inputs)
    for name, padding in rubric.padding.items():
        array = found[name]
        missing = length - array.shape[padding.dimension]
        widths = [
            (0, missing if dimension == padding.dimension else 0) for dimension in range(array.ndim)
        ]
        value = np.array(padding.value).astype(array.dtype)
        found[name] = np.pad(array, widths, constant_values=value)
    return found


def hidden_inputs(
    rubric: ProgramRubric | ProgramSetRubric,
    *,
    exercise: str,
    run: CaseRun,
    sizes: Mapping[str, int] | None = None,
) -> dict[str, Array]:
    """Return the inputs of one run, whole, by name and in argument order.

    `sizes` says what the named length of a program_set is in this run. Raises KeyError where the
    rubric has no such case.
    """
    case = dict(zip(case_names(rubric), rubric.cases, strict=True))[run.name]
    fillings: Mapping[str, Edge | Draw] = {} if isinstance(case, str) else case
    found = {}
    for name, given in rubric.inputs.items():
        key = (exercise, rubric.version, run.seed, run.name, name)
        shape = tuple(
            size if isinstance(size, int) else (sizes or {})[size] for size in given.shape
        )
        found[name] = draw_array(given, shape=shape, key=key, filling=fillings.get(name))
    return found


def draw_array(
    given: Input,
    *,
    shape: tuple[int, ...],
    key: tuple[object, ...],
    filling: Edge | Draw | None = None,
) -> Array:
    """Return one array drawn as the input says, or filled as a case says instead."""
    bits = Bits(key)
    count = math.prod(shape)
    if isinstance(filling, Edge):
        values = _filled(filling, given.draw, bits, count=count, last=shape[-1] if shape else 1)
    else:
        values = _drawn(filling or given.draw, bits, count)
    with np.errstate(over="ignore"):  # a magnitude that the type cannot hold is an infinity
        return values.reshape(shape).astype(numpy_dtype(given.dtype.value))


class Bits:
    """A stream of random bits, its key hashed from what names the draw."""

    def __init__(self, key: tuple[object, ...]) -> None:
        named = "\x00".join(str(part) for part in key).encode()
        words = np.frombuffer(hashlib.sha256(named).digest()[:16], np.dtype("<u8"))
        self._source = np.random.Philox(key=[int(word) for word in words])

    def unit(self, count: int) -> Floats:
        """Return uniform values, 0 <= u < 1, of 53 bits each."""
        raw = np.asarray(self._source.random_raw(count), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, least: int, end: int, count: int) -> Floats:
        """Return whole numbers, least <= n < end. Their bias is below 1 in 2^20."""
        return least + np.floor(self.unit(count) * (end - least))

    def normal(self, count: int) -> Floats:
        """Return standard normal values, by Box and Muller's method."""
        pairs = (count + 1) // 2
        radius = np.sqrt(-2.0 * np.log1p(-self.unit(pairs)))
        angle = 2.0 * np.pi * self.unit(pairs)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def _name(case: Mapping[str, Edge | Draw]) -> str:
    return ",".join(f"{name}={_filling_name(filling)}" for name, filling in case.items())


def _filling_name(filling: Edge | Draw) -> str:
    if isinstance(filling, Edge):
        return filling.value
    [(kind, value)] = [
        (name, found)
        for name in filling.__struct_fields__
        if (found := getattr(filling, name)) is not None
    ]
    numbers = value if isinstance(value, tuple) else (value,)
    return f"{kind}({','.join(f'{number:g}' for number in numbers)})"


def _drawn(draw: Draw, bits: Bits, count: int) -> Floats:
    if draw.normal is not None:
        return draw.normal * bits.normal(count)
    if draw.uniform is not None:
        low, high = draw.uniform
        return low + (high - low) * bits.unit(count)
    if draw.integers is not None:
        return bits.integers(*draw.integers, count)
    if draw.bernoulli is not None:
        return (bits.unit(count) < draw.bernoulli).astype(np.float64)
    return np.full(count, draw.constant, np.float64)


def _filled(edge: Edge, draw: Draw, bits: Bits, *, count: int, last: int) -> Floats:
    filled: Floats
    match edge:
        case Edge.ZEROS | Edge.ALL_FALSE:
            filled = np.zeros(count)
        case Edge.ONES | Edge.ALL_TRUE:
            filled = np.ones(count)
        case Edge.ALL_EQUAL:
            filled = np.repeat(_drawn(draw, bits, 1), count)
        case Edge.EXTREMES:
            filled = np.where(bits.unit(count) < 0.5, *_ends(draw))
        case Edge.ONE_HOT:
            hot = np.zeros((count // last, last))
            places = bits.integers(0, last, len(hot)).astype(np.int64)
            hot[np.arange(len(hot)), places] = 1.0
            filled = hot.reshape(-1)
        case Edge.SORTED:
            filled = np.sort(_drawn(draw, bits, count))
        case Edge.MIXED_MAGNITUDES:
            decades = _DECADES * (2.0 * bits.unit(count) - 1.0)
            filled = _drawn(draw, bits, count) * 10.0**decades
        case Edge.RAGGED:
            filled = _drawn(draw, bits, count)
            filled[0], filled[-1] = _ends(draw)  # both are there, whatever was drawn
    return filled


def _ends(draw: Draw) -> tuple[float, float]:
    """Return the least and the greatest value that a draw gives, or nearly so for a normal one."""
    if draw.normal is not None:
        return -_FAR * draw.normal, _FAR * draw.normal
    if draw.uniform is not None:
        return draw.uniform
    if draw.integers is not None:
        return draw.integers[0], draw.integers[1] - 1
    if draw.bernoulli is not None:
        return 0.0, 1.0
    constant = draw.constant or 0.0
    return constant, constant
