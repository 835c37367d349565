"""A program_set from end to end: few programs, right values, in the real sandbox."""

import pytest

from grader.core.rubric import ProgramSetRubric, read_rubric
from grader.core.verdict import Outcome, Verdict
from grader.exercises import Exercise
from grader.grading import grade, measure_reference
from questionbank.catalog.content.documents import Level
from questionbank.catalog.content.exercises import Exercise as Statement
from tpu_runner.protocol import Backend

RUBRIC = """\
kind: program_set
version: 1
mesh: {axes: {data: 8}}
inputs:
  x: {dtype: float32, shape: [8, n, 4], sharding: [data, null, null], draw: {normal: 1}}
  w: {dtype: float32, shape: [4, 4], sharding: [null, null], draw: {normal: 1}}
  length: {dtype: int32, shape: [], sharding: [], draw: {constant: 0}}
outputs:
  total: {dtype: float32, shape: [8]}
calls: {name: n, length: length, least: 1, greatest: 32, hidden: 3}
padding: {x: {dimension: 1, value: 7}}
checks:
  - {check: values, rtol: 1e-4, atol: 1e-4}
  - {check: compilations, at_most: 2}
  - {check: flops, at_most: 1.05}
"""
STEP = """
import jax
import jax.numpy as jnp


def step(x, w, length):
    inside = jnp.arange(x.shape[1])[None, :] < length
    return jnp.where(inside, (x @ w).sum(-1), 0).sum(-1)


def build(mesh):
    return jax.jit(step)


def plain(mesh):
    return jax.jit(step)

"""
TWO = STEP + "def bucket(n):\n    return 8 if n <= 8 else 32\n"
ONE = STEP + "def bucket(n):\n    return 32\n"
EVERY = STEP + "def bucket(n):\n    return n\n"
LYING = STEP + "def bucket(n):\n    return 8\n"
WORDS = STEP + "def bucket(n):\n    return 'eight'\n"
UNMASKED = TWO.replace("< length", "< 99")
SEEDS = (1, 2, 3)


def exercise() -> Exercise:
    rubric, problems = read_rubric(RUBRIC)
    assert isinstance(rubric, ProgramSetRubric), problems
    statement = Statement(
        slug="set",
        title="",
        summary="",
        rung=0,
        level=Level.CORE,
        updated="2026-12",
        concepts=(),
        statement={},
        hints=(),
        solution="",
        alternatives="",
    )
    return Exercise(
        slug="set",
        statement=statement,
        rubric=rubric,
        starter=b"",
        reference=TWO.encode(),
        programs=(),
    )


@pytest.mark.sandbox
@pytest.mark.compiler
@pytest.mark.slow
def test_programs_are_counted_by_the_table_and_run_on_what_it_says() -> None:
    asked = exercise()
    backends = (Backend.CPU,)
    reference = measure_reference(asked, seeds=SEEDS, backends=backends)

    def verdict(source: str) -> Verdict:
        return grade(asked, source.encode(), reference=reference, seeds=SEEDS, backends=backends)

    def failing(source: str) -> list[str]:
        found = verdict(source)
        assert found.outcome is Outcome.FAILED, found
        return [one.check for one in found.results if one.status == "failed"]

    assert verdict(TWO).outcome is Outcome.PASSED
    assert failing(ONE) == ["flops"]
    assert failing(UNMASKED) == ["values"]
    assert failing(EVERY) == ["compilations"]
    lying = verdict(LYING)
    assert lying.outcome is Outcome.LEARNER_ERROR
    assert "bucket(9) gives 8" in lying.message
    assert "no whole number" in verdict(WORDS).message
