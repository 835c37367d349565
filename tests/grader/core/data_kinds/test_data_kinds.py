"""Judges of data exercises, against JAX's documented rules worked out by brute force."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from grader.core.data_kinds.judging import data_cases
from grader.core.evidence import Answered, Ended, Evidence, Reference
from grader.core.judging import judge
from grader.core.rubric import DataRubric, read_rubric
from grader.core.verdict import Outcome, Verdict

MESH = """\
kind: data
version: 1
function: build_mesh
answer: {judge: mesh, axes: {data: 4, model: 2}, types: {data: auto, model: explicit}}
checks: [{check: answer}]
"""
INDEX_MAP = """\
kind: data
version: 1
function: shard_slices
answer: {judge: index_map, cases: 150}
checks: [{check: answer}]
"""
PLACEMENT = """\
kind: data
version: 1
function: lay_out
answer:
  {judge: placement, axes: {slice: 2, x: 4}, slices: 2, torus: [4], crosses: slice,
   neighbours: [x]}
checks: [{check: answer}]
"""
NUMBERS = """\
kind: data
version: 1
function: total
answer:
  judge: numbers
  rtol: 1e-6
  arguments: {values: {integers: [1, 9], length: [0, 4]}, unit: {one_of: [GB, GiB]}}
checks: [{check: answer}]
"""


def rubric(text: str) -> DataRubric:
    found, problems = read_rubric(text)
    assert isinstance(found, DataRubric), problems
    return found


type Function = Callable[[Mapping[str, Any]], object]


def verdict(text: str, answer: Function, known: Function | None = None) -> Verdict:
    asked = data_cases(rubric(text), exercise="e", seed=5)
    answers = tuple(Answered(case=case, answer=answer(case)) for case in asked)
    reference = tuple(Answered(case=case, answer=known(case)) for case in asked) if known else ()
    return judge(
        exercise="e",
        rubric=rubric(text),
        evidence=Evidence(ended=Ended.COMPLETED, answers=answers),
        reference=Reference(answers=reference),
    )


def right_mesh(case: Mapping[str, Any]) -> dict[str, object]:
    return {
        "axis_names": ["data", "model"],
        "axis_types": ["auto", "explicit"],
        "device_ids": np.array(case["devices"]).reshape(4, 2).tolist(),
    }


def test_the_mesh_that_is_asked_for_passes() -> None:
    assert verdict(MESH, right_mesh).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"axis_names": ["model", "data"]}, "axis names"),
        ({"axis_types": ["explicit", "explicit"]}, "axis types"),
        ({"device_ids": [[0, 1, 2, 3], [4, 5, 6, 7]]}, "sizes [2, 4]"),
        ({"device_ids": [[0, 1], [2, 3], [4, 5], [6, 6]]}, "row by row"),
        ({"device_ids": [[0, 1], [2, 3], [4, 5], [6, True]]}, "whole number"),
        ({"device_ids": [[0, 1], [2, 3], [4, 5], [6]]}, "list of 2"),
        ({"device_ids": None}, "sizes []"),
    ],
)
def test_each_wrong_mesh_is_told_why(changed: dict[str, object], says: str) -> None:
    found = verdict(MESH, lambda case: right_mesh(case) | changed)
    assert found.outcome is Outcome.FAILED
    assert says in found.results[0].found


def test_a_mesh_over_other_devices_than_those_given_fails() -> None:
    own = {"devices": list(range(8))}
    assert verdict(MESH, lambda _case: right_mesh(own)).outcome is Outcome.FAILED


def test_a_mesh_is_a_dictionary() -> None:
    assert "dictionary" in verdict(MESH, lambda _case: [1]).results[0].found


def right_map(case: Mapping[str, Any], *, minor_first: bool = False) -> dict[str, object]:
    """Cut the array step by step, as JAX documents it: each axis in turn, major first."""
    axes = case["mesh"]
    found: dict[str, object] = {}
    for number, place in enumerate(itertools.product(*(range(size) for size in axes.values()))):
        at = dict(zip(axes, place, strict=True))
        blocks = [list(range(size)) for size in case["shape"]]
        for dimension, part in enumerate(case["spec"]):
            names = part if isinstance(part, list) else [part] if part else []
            for name in reversed(names) if minor_first else names:
                pieces = np.array_split(blocks[dimension], axes[name])
                blocks[dimension] = pieces[at[name]].tolist()
        found[str(number)] = [[block[0], block[-1] + 1] for block in blocks]
    return found


def test_the_index_map_that_cuts_major_first_passes() -> None:
    assert verdict(INDEX_MAP, right_map).outcome is Outcome.PASSED


def test_the_index_map_that_cuts_minor_first_fails() -> None:
    found = verdict(INDEX_MAP, lambda case: right_map(case, minor_first=True))
    assert found.outcome is Outcome.FAILED


def test_an_index_map_needs_every_device() -> None:
    found = verdict(INDEX_MAP, lambda _case: {})
    assert "one for each device" in found.results[0].found


def test_index_map_cases_have_tuples_and_unused_axes() -> None:
    cases = data_cases(rubric(INDEX_MAP), exercise="e", seed=5)
    used = [
        [part if isinstance(part, list) else [part] for part in case["spec"] if part]  # type: ignore[attr-defined]
        for case in cases
    ]
    assert any(len(part) > 1 for parts in used for part in parts)
    assert any(
        sum(map(len, parts)) < len(case["mesh"])  # type: ignore[arg-type]
        for parts, case in zip(used, cases, strict=True)
    )


def right_layout(case: Mapping[str, Any]) -> list[list[int]]:
    grid = [[0] * 4, [0] * 4]
    for device in case["devices"]:
        grid[device["slice"]][device["coords"][0]] = device["id"]
    return grid


def test_a_layout_with_slices_along_the_right_axis_passes() -> None:
    assert verdict(PLACEMENT, right_layout).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda grid: [grid[0][:2] + grid[1][:2], grid[1][2:] + grid[0][2:]], "different slices"),
        (lambda grid: [[row[0], row[2], row[1], row[3]] for row in grid], "not joined by one link"),
        (lambda grid: [grid[0], grid[0]], "once, and no other"),
        (lambda grid: grid[0], "list of 2"),
    ],
)
def test_each_wrong_layout_is_told_why(
    change: Callable[[list[list[int]]], object], says: str
) -> None:
    found = verdict(PLACEMENT, lambda case: change(right_layout(case)))
    assert found.outcome is Outcome.FAILED
    assert says in found.results[0].found


def total(case: Mapping[str, Any]) -> dict[str, object]:
    return {"sum": float(sum(case["values"])), "unit": case["unit"], "parts": case["values"]}


def test_results_equal_to_the_references_pass_within_the_tolerance() -> None:
    near = verdict(
        NUMBERS, lambda case: total(case) | {"sum": sum(case["values"]) * (1 + 1e-7)}, total
    )
    assert near.outcome is Outcome.PASSED


@pytest.mark.parametrize(
    "change",
    [
        {"sum": float("nan")},
        {"sum": True},
        {"sum": "1"},
        {"unit": "TB"},
        {"parts": 3},
        {"extra": 1},
    ],
    ids=str,
)
def test_results_that_differ_fail(change: dict[str, object]) -> None:
    assert verdict(NUMBERS, lambda case: total(case) | change, total).outcome is Outcome.FAILED


def test_without_the_references_answers_nothing_is_graded() -> None:
    assert verdict(NUMBERS, total).outcome is Outcome.NOT_GRADED


def test_without_cases_nothing_is_graded() -> None:
    found = judge(exercise="e", rubric=rubric(MESH), evidence=Evidence(), reference=Reference())
    assert found.outcome is Outcome.NOT_GRADED
