"""Rubrics are read strictly: every mistake is told with its line."""

from pathlib import Path

import pytest

from grader.core.rubric import ProgramRubric, read_rubric
from grader.core.rubric.schema import rubric_schema

RUBRIC = """\
kind: program
version: 1
mesh: {axes: {x: 4, y: 2}}
backends: {cpu: {}, tpu-compile: {topology: "v5e:2x4"}}
inputs:
  a: {dtype: float32, shape: [256, 512], sharding: [null, x], draw: {normal: 1}}
  flag: {dtype: bool, shape: [8], sharding: [null], draw: {bernoulli: 0.5}}
outputs:
  c: {dtype: float32, shape: [256, 1024], sharding: [x, null]}
cases: [random, random, random, {flag: all_false}, {a: {normal: 30}}]
checks:
  - {check: values, rtol: 1e-4, atol: 1e-4}
  - {check: output_sharding}
  - check: collectives
    on: [cpu]
    require: [{kind: reduce-scatter, axes: [x], exactly: 1}]
"""
DATA = """\
kind: data
version: 1
function: build_mesh
devices: 8
answer: {judge: mesh, axes: {data: 4, model: 2}, types: auto}
checks: [{check: answer}]
"""
PROGRAM_SET = """\
kind: program_set
version: 1
mesh: {axes: {data: 8}}
inputs:
  tokens: {dtype: int32, shape: [8, n], sharding: [data, null], draw: {integers: [0, 9]}}
  size: {dtype: int32, shape: [], sharding: [], draw: {constant: 0}}
outputs:
  total: {dtype: int32, shape: [8]}
calls: {name: n, length: size, least: 1, greatest: 512}
padding: {tokens: {dimension: 1}}
checks: [{check: values}, {check: compilations, at_most: 4}]
"""


@pytest.mark.parametrize("text", [RUBRIC, DATA, PROGRAM_SET], ids=["program", "data", "set"])
def test_a_right_rubric_has_no_problems(text: str) -> None:
    rubric, problems = read_rubric(text)
    assert problems == ()
    assert rubric is not None


def test_numbers_without_a_point_and_the_key_on_are_what_they_look_like() -> None:
    rubric, _ = read_rubric(RUBRIC)
    assert isinstance(rubric, ProgramRubric)
    assert getattr(rubric.checks[0], "rtol", None) == 0.0001
    assert [backend.value for backend in rubric.checks[2].on] == ["cpu"]


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "says"),
    [
        (RUBRIC, "version: 1", "version: 1\nspeed: 3", 3, "unknown field 'speed'"),
        (RUBRIC, "exactly: 1", "exctly: 1", 16, "unknown field `exctly`"),
        (RUBRIC, "kind: program", "kind: programme", 1, "has to be one of data, program"),
        (RUBRIC, "version: 1", "", 1, "'version' is missing"),
        (RUBRIC, "version: 1", "version: 0", 2, ">= 1"),
        (RUBRIC, "shape: [256, 512]", "shape: [255, 510]", 6, "510 does not divide over 4"),
        (RUBRIC, "sharding: [null, x], draw", "sharding: [null, z], draw", 6, "no axis 'z'"),
        (RUBRIC, "sharding: [null, x], draw", "sharding: [x, x], draw", 6, "one dimension only"),
        (RUBRIC, "sharding: [null, x], draw", "sharding: [x], draw", 6, "1 dimensions of 2"),
        (RUBRIC, "sharding: [null, x], draw", "draw", 6, "sharding is missing"),
        (RUBRIC, "shape: [256, 512]", "shape: [256, n]", 6, "'n' is no size"),
        (RUBRIC, "shape: [256, 512]", "shape: [0, 512]", 6, "0 is no size"),
        (RUBRIC, "{normal: 1}", "{normal: 1, constant: 2}", 6, "exactly one of"),
        (RUBRIC, "{normal: 1}", "{uniform: [3, 3]}", 6, "below the greatest"),
        (RUBRIC, "{normal: 1}", "{integers: [0, 3]}", 6, "integers draws whole numbers"),
        (RUBRIC, "{normal: 1}", "{bernoulli: 0.5}", 6, "bernoulli draws bool"),
        (RUBRIC, "{bernoulli: 0.5}", "{normal: 0.5}", 7, "drawn by bernoulli"),
        (RUBRIC, "flag: all_false", "mask: all_false", 10, "no input 'mask'"),
        (RUBRIC, "flag: all_false", "a: all_false", 10, "is for bool"),
        (RUBRIC, "flag: all_false", "flag: sorted", 10, "not for bool"),
        (RUBRIC, "flag: all_false", "a: ragged", 10, "whole numbers"),
        (RUBRIC, "flag: all_false", "a: {normal: 30}", 10, "there already"),
        (RUBRIC, "random, random, random", "random, random", 10, "at least three"),
        (RUBRIC, "{axes: {x: 4, y: 2}}", "{axes: {x: 4, y: 2}, types: {x: auto}}", 3, "every axis"),
        (RUBRIC, "{axes: {x: 4, y: 2}}", "{axes: {x: 4, y: 0}}", 3, "size of at least 1"),
        (RUBRIC, "on: [cpu]", "on: [gpu]", 15, "Invalid enum value 'gpu'"),
        (RUBRIC, "axes: [x], exactly", "axes: [z], exactly", 14, "no axis 'z'"),
        (
            RUBRIC,
            "{check: output_sharding}",
            "{check: compilations, at_most: 2}",
            13,
            "program_set",
        ),
        (RUBRIC, "{check: output_sharding}", "{check: answer}", 13, "kind data"),
        (RUBRIC, "{check: output_sharding}", "{check: memory, figure: temp}", 13, "needs a bound"),
        (RUBRIC, "{check: output_sharding}", "{check: time, on: [cpu]}", 13, "tpu-compile only"),
        (
            RUBRIC,
            "{check: output_sharding}",
            "{check: output_sharding, outputs: {d: [x]}}",
            13,
            "no output 'd'",
        ),
        (RUBRIC, "1024], sharding: [x, null]", "1024]", 13, "no output states a sharding"),
        (RUBRIC, "{check: values,", "{check: values, on: [tpu-compile],", 12, "runs nothing"),
        (RUBRIC, "version: 1", "version: 1\nversion: 1", 3, "given twice"),
        (RUBRIC, "version: 1", "version: [", 4, "not valid YAML"),
        (RUBRIC, "version: 1", "version: &a 1\nmesh: *a", 3, "aliases"),
        (DATA, "build_mesh", "build mesh", 3, "no name of a function"),
        (DATA, "data: 4", "data: 2", 5, "do not make up 8 devices"),
        (DATA, "check: answer", "check: values", 6, "the check answer only"),
        (PROGRAM_SET, "least: 1,", "least: 600,", 9, "above the greatest"),
        (PROGRAM_SET, "padding: {tokens", "padding: {words", 10, "no input 'words'"),
        (PROGRAM_SET, "dimension: 1", "dimension: 2", 10, "is not 'n' long"),
        (PROGRAM_SET, "dimension: 1", "dimension: 0", 10, "is not 'n' long"),
        (PROGRAM_SET, "length: size", "length: tokens", 9, "int32 input of shape []"),
        (PROGRAM_SET, "shape: [8]}", "shape: [n]}", 8, "cannot have the call's length"),
        (PROGRAM_SET, "padding: {tokens: {dimension: 1}}", "padding: {}", 5, "how it grows"),
    ],
)
def test_each_mistake_is_told_with_its_line(
    text: str, old: str, new: str, line: int, says: str
) -> None:
    assert old in text
    rubric, problems = read_rubric(text.replace(old, new, 1))
    assert rubric is None
    assert [p for p in problems if p.line == line and says in p.message], problems


def test_all_mistakes_are_told_at_once() -> None:
    wrong = RUBRIC.replace("exactly", "exctly").replace("float32", "float31").replace("1e-4", "far")
    _, problems = read_rubric(wrong)
    assert [problem.line for problem in problems] == [6, 9, 12, 16]


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words\n", "[" * 5000])
def test_what_is_no_rubric_at_all_is_one_problem(text: str) -> None:
    rubric, problems = read_rubric(text)
    assert rubric is None
    assert len(problems) == 1


def test_the_committed_schema_is_the_generated_one() -> None:
    """Regenerate it with `python -m grader.core.rubric > docs/rubric.schema.json`."""
    assert Path("docs/rubric.schema.json").read_text() == rubric_schema()
