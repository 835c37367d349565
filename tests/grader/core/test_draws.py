"""Hidden inputs: the same from the same key, different from any other, and as the rubric says."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from grader.core.draws import case_names, case_runs, draw_array, hidden_inputs
from grader.core.evidence import Array, CaseRun
from grader.core.rubric import ProgramRubric, ProgramSetRubric, read_rubric
from grader.core.rubric.documents import Input
from grader.core.rubric.drawing import Draw, Edge
from grader.core.rubric.vocabulary import Dtype

RUBRIC = """\
kind: program
version: 3
mesh: {axes: {x: 2}}
inputs:
  a: {dtype: bfloat16, shape: [64, 32], sharding: [x, null], draw: {normal: 2}}
  mask: {dtype: bool, shape: [64], sharding: [null], draw: {bernoulli: 0.25}}
outputs:
  c: {dtype: float32, shape: [64]}
cases: [random, random, random, {mask: all_false}, {a: {normal: 30}, mask: all_true}]
checks: [{check: values}]
"""


def rubric() -> ProgramRubric:
    found, problems = read_rubric(RUBRIC)
    assert isinstance(found, ProgramRubric), problems
    return found


def drawn(
    draw: Draw, dtype: Dtype, edge: Edge | None = None, shape: tuple[int, ...] = (64, 64)
) -> Array:
    given = Input(dtype=dtype, shape=shape, draw=draw)
    return draw_array(given, shape=shape, key=("test",), filling=edge)


def test_cases_have_names_and_the_seeds_take_turns() -> None:
    names = ("random-1", "random-2", "random-3", "mask=all_false", "a=normal(30),mask=all_true")
    assert case_names(rubric()) == names
    runs = case_runs(rubric(), (7, 8, 9))
    assert [run.seed for run in runs] == [7, 8, 9, 7, 8]
    assert tuple(run.name for run in runs) == names


@pytest.mark.parametrize("seeds", [(1, 2), (1, 1, 1), ()])
def test_fewer_than_three_different_seeds_are_refused(seeds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="3 different seeds"):
        case_runs(rubric(), seeds)


def test_the_same_key_gives_the_same_bytes_and_any_other_key_does_not() -> None:
    def first(exercise: str = "e", seed: int = 1, case: str = "random-1") -> bytes:
        return hidden_inputs(rubric(), exercise=exercise, run=CaseRun(case, seed))["a"].tobytes()

    assert first() == first()
    others = {first(), first(exercise="f"), first(seed=2), first(case="random-2")}
    assert len(others) == 4


def test_inputs_have_the_types_and_shapes_of_the_rubric() -> None:
    inputs = hidden_inputs(rubric(), exercise="e", run=CaseRun("mask=all_false", 1))
    assert list(inputs) == ["a", "mask"]
    assert (inputs["a"].dtype.name, inputs["a"].shape) == ("bfloat16", (64, 32))
    assert not inputs["mask"].any()


def test_an_unknown_case_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        hidden_inputs(rubric(), exercise="e", run=CaseRun("random-4", 1))


def test_a_programs_set_length_stands_in_its_shapes() -> None:
    text = RUBRIC.replace("program", "program_set").replace("[64, 32]", "[64, n]")
    text = text.replace(
        "outputs:", "  n_is: {dtype: int32, shape: [], sharding: [], draw: {constant: 0}}\noutputs:"
    )
    text += "calls: {name: n, length: n_is, least: 1, greatest: 9}\npadding: {a: {dimension: 1}}\n"
    found, problems = read_rubric(text)
    assert isinstance(found, ProgramSetRubric), problems
    inputs = hidden_inputs(found, exercise="e", run=CaseRun("random-1", 1), sizes={"n": 5})
    assert inputs["a"].shape == (64, 5)


def test_normal_values_have_the_mean_and_spread_of_theory() -> None:
    values = drawn(Draw(normal=3.0), Dtype.FLOAT32).astype(np.float64).ravel()
    error = 3.0 / math.sqrt(values.size)  # of a mean; that of the deviation is less
    assert abs(values.mean()) < 5 * error
    assert abs(values.std() - 3.0) < 5 * error
    within = np.mean(np.abs(values) < 3.0)
    assert abs(within - math.erf(1 / math.sqrt(2))) < 0.03


def test_whole_numbers_cover_their_range_and_no_more() -> None:
    values = drawn(Draw(integers=(-2, 3)), Dtype.INT32)
    assert set(values.ravel().tolist()) == {-2, -1, 0, 1, 2}


def test_flags_are_true_as_often_as_asked() -> None:
    flags = drawn(Draw(bernoulli=0.25), Dtype.BOOL)
    assert abs(float(np.mean(flags.astype(np.float64))) - 0.25) < 5 * math.sqrt(
        0.25 * 0.75 / flags.size
    )


def test_uniform_values_fill_their_range() -> None:
    values = drawn(Draw(uniform=(2.0, 4.0)), Dtype.FLOAT32).astype(np.float64)
    assert 2.0 <= values.min() < 2.01
    assert 3.99 < values.max() <= 4.0


@pytest.mark.parametrize(
    ("edge", "draw", "dtype", "holds"),
    [
        (Edge.ZEROS, Draw(normal=1), Dtype.FLOAT32, lambda a: not a.any()),
        (Edge.ONES, Draw(normal=1), Dtype.FLOAT32, lambda a: bool((a == 1).all())),
        (Edge.ALL_FALSE, Draw(bernoulli=0.5), Dtype.BOOL, lambda a: not a.any()),
        (Edge.ALL_TRUE, Draw(bernoulli=0.5), Dtype.BOOL, lambda a: bool(a.all())),
        (
            Edge.ALL_EQUAL,
            Draw(normal=1),
            Dtype.FLOAT32,
            lambda a: len(np.unique(a)) == 1 and a.any(),
        ),
        (
            Edge.EXTREMES,
            Draw(integers=(-5, 9)),
            Dtype.INT32,
            lambda a: set(np.unique(a)) == {-5, 8},
        ),
        (Edge.EXTREMES, Draw(normal=2), Dtype.FLOAT32, lambda a: set(np.unique(a)) == {-16, 16}),
        (Edge.EXTREMES, Draw(uniform=(1, 2)), Dtype.FLOAT32, lambda a: set(np.unique(a)) == {1, 2}),
        (Edge.EXTREMES, Draw(bernoulli=0.1), Dtype.BOOL, lambda a: 0 < a.mean() < 1),
        (Edge.EXTREMES, Draw(constant=4), Dtype.INT8, lambda a: set(np.unique(a)) == {4}),
        (Edge.ONE_HOT, Draw(normal=1), Dtype.FLOAT32, lambda a: bool((a.sum(-1) == 1).all())),
        (
            Edge.SORTED,
            Draw(normal=1),
            Dtype.FLOAT32,
            lambda a: bool((np.diff(a.ravel()) >= 0).all()),
        ),
        (
            Edge.MIXED_MAGNITUDES,
            Draw(normal=1),
            Dtype.FLOAT32,
            lambda a: float(np.abs(a).max() / np.abs(a).min()) > 1e6,
        ),
        (
            Edge.RAGGED,
            Draw(integers=(0, 100)),
            Dtype.INT32,
            lambda a: a.ravel()[0] == 0 and a.ravel()[-1] == 99 and len(np.unique(a)) > 50,
        ),
    ],
    ids=lambda value: value.value if isinstance(value, Edge) else None,
)
def test_each_edge_case_is_what_its_name_says(
    edge: Edge, draw: Draw, dtype: Dtype, holds: Callable[[Array], object]
) -> None:
    assert holds(drawn(draw, dtype, edge))
