"""Conversions between rubrics, the runner's requests and evidence."""

import dataclasses

import jax
import numpy as np
import pytest

from grader.core.arrays import from_bytes, numpy_dtype
from grader.core.evidence import Array
from grader.core.gathering import (
    RunProblemError,
    argument_path,
    arguments,
    flat_order,
    input_tensors,
    run_evidence,
    run_name,
    specs_from,
    targets,
    trial,
    walk_limits,
)
from grader.core.rubric import ProgramRubric, read_rubric
from tests.grader.core.checks.facts import AXES, RUNS, VERSIONS, layout, shards_of, whole
from tpu_runner.protocol import (
    Backend,
    BackendReport,
    BackendStatus,
    RunStatus,
    SpecsFrom,
    Target,
    TrialRun,
)

RUBRIC = """\
kind: program
version: 1
mesh: {axes: {x: 4, y: 2}}
backends: {cpu: {}, tpu-compile: {topology: "v5e:2x4"}}
inputs:
  state.w: {dtype: float32, shape: [8, 6], sharding: [[x, y], null], draw: {normal: 1}}
  state.b: {dtype: bfloat16, shape: [6], sharding: [null], draw: {normal: 1}}
  x: {dtype: int32, shape: [4], sharding: [x], draw: {integers: [0, 9]}}
outputs:
  c: {dtype: float32, shape: [8, 6]}
custom_calls: [TopK]
limits: {constant_bytes: 0}
checks: [{check: values}]
"""


def rubric(text: str = RUBRIC) -> ProgramRubric:
    found, problems = read_rubric(text)
    assert isinstance(found, ProgramRubric), problems
    return found


def test_names_are_flattened_as_jax_flattens_the_arguments() -> None:
    tree = ({"w": "s.w", "b": {"z": "s.b.z", "a": "s.b.a"}}, ["t.0", "t.1"], "x")
    names = ["s.w", "s.b.z", "s.b.a", "t.0", "t.1", "x"]
    assert flat_order(names) == tuple(jax.tree.leaves(tree))


def test_eleven_places_of_a_tuple_keep_their_order() -> None:
    names = [f"t.{number}" for number in range(11)]
    assert flat_order(list(reversed(names))) == tuple(names)


def test_dots_and_digits_are_key_paths() -> None:
    assert argument_path("state.0.w") == ("state", 0, "w")


def test_arguments_keep_the_order_of_the_rubric_and_tensors_that_of_jax() -> None:
    assert [one.path for one in arguments(rubric())] == [("state", "w"), ("state", "b"), ("x",)]
    tensors = input_tensors(rubric())
    assert [one.dtype for one in tensors] == ["bfloat16", "float32", "int32"]
    assert tensors[1].spec == (("x", "y"), ())


def test_the_plain_program_has_whole_inputs() -> None:
    assert all(not any(one.spec or ()) for one in input_tensors(rubric(), split=False))


def test_where_the_learner_chooses_nothing_is_said_of_shardings() -> None:
    chosen = rubric(RUBRIC.replace("outputs:", "input_shardings: learner\noutputs:"))
    assert specs_from(chosen) is SpecsFrom.LEARNER
    assert {one.spec for one in input_tensors(chosen)} == {None}


def test_a_trial_has_the_bytes_of_every_input_in_flat_order() -> None:
    inputs: dict[str, Array] = {
        "state.w": np.ones(2, np.float32),
        "state.b": np.zeros(1, np.int8),
        "x": np.ones(1, np.int8),
    }
    made = trial(RUNS[0], inputs)
    assert made.name == "random-1@1"
    assert made.arguments == b"\0" + np.ones(2, np.float32).tobytes() + b"\x01"


def test_the_cpu_is_always_a_target() -> None:
    assert [one.backend for one in targets(rubric(), ())] == [Backend.CPU]
    assert [one.topology for one in targets(rubric(), Backend)] == [None, "v5e:2x4"]


def test_a_limit_of_nothing_is_a_limit() -> None:
    limits = walk_limits(rubric())
    assert (limits.constant_bytes, limits.custom_calls) == (0, ("TopK",))


def report(results: bytes, *, name: str = "random-1@1") -> BackendReport:
    return BackendReport(
        target=Target(backend=Backend.CPU, topology=None, slices=1),
        status=BackendStatus.COMPILED,
        message="",
        device_kind="",
        platform_version=VERSIONS.jax,
        hlo_text="",
        memory=None,
        devices=(),
        inputs=(),
        outputs=(layout(("x", None)),),
        phases=(),
        runs=(TrialRun(name=name, status=RunStatus.RAN, message="", results=results, seconds=0),),
    )


RIGHT = b"".join(shard.array.tobytes() for shard in shards_of(whole(RUNS[0])))


@pytest.mark.parametrize("listed", [True, False])
def test_results_are_cut_into_each_positions_shard(*, listed: bool) -> None:
    made = dataclasses.replace(report(RIGHT), outputs=(layout(("x", None), listed=listed),))
    [run] = run_evidence(made, RUNS[:1], axes=AXES)
    [output] = run.outputs
    for found, wanted in zip(output.shards, shards_of(whole(RUNS[0])), strict=True):
        assert found.block == wanted.block
        np.testing.assert_array_equal(found.array, wanted.array)


@pytest.mark.parametrize(
    "wrong",
    [
        report(RIGHT[:-1]),
        report(RIGHT + b"\0"),
        report(RIGHT, name="random-2@2"),
        dataclasses.replace(
            report(RIGHT),
            outputs=(dataclasses.replace(layout(("x", None), listed=False), spec=None),),
        ),
    ],
    ids=["short", "long", "another case", "no blocks"],
)
def test_a_report_that_does_not_fit_its_layouts_is_no_evidence(wrong: BackendReport) -> None:
    with pytest.raises(RunProblemError):
        run_evidence(wrong, RUNS[:1], axes=AXES)


def test_runs_are_named_by_case_and_seed() -> None:
    assert len({run_name(run) for run in RUNS}) == len(RUNS)


@pytest.mark.parametrize("name", ["object", "O", "str", "float33", "__name__", "", "V8", "dtype"])
def test_what_is_no_number_type_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no element type"):
        numpy_dtype(name)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4", "complex64", "bool"])
def test_every_type_that_a_program_can_give_is_known(name: str) -> None:
    assert numpy_dtype(name).name == name


def test_any_bool_byte_but_zero_is_true() -> None:
    flags = from_bytes(b"\0\x01\x02\xff", dtype="bool", shape=(4,))
    assert flags.tolist() == [False, True, True, True]


@pytest.mark.parametrize(("raw", "shape"), [(b"\0" * 7, (2,)), (b"\0" * 8, (-1,)), (b"", (1,))])
def test_bytes_that_are_not_the_shapes_are_refused(raw: bytes, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="takes"):
        from_bytes(raw, dtype="float32", shape=shape)
