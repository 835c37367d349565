"""Attempts to get a pass without the work, on a real exercise, and what stops each.

The numbers are those of the catalogue of threats.
"""

from pathlib import Path

import pytest

from grader.core.evidence import Reference
from grader.core.verdict import Outcome, Verdict
from grader.exercises import Exercise, read_exercise
from grader.grading import grade, measure_reference
from tpu_runner.protocol import Backend

SEEDS = (11, 12, 13)
CPU = (Backend.CPU,)
HEAD = """
import os
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SPECS = dict(in_specs=(P(None, "x"), P("x", None)), out_specs=P("x", None), check_vma=False)


def right(a, b):
    return lax.psum_scatter(a @ b, "x", scatter_dimension=0, tiled=True)

"""


def mapped(*body: str) -> str:
    """A program whose mapped function has this body."""
    lines = "\n".join(f"    {line}" for line in body)
    build = "def build(mesh):\n    return jax.jit(jax.shard_map(inner, **SPECS))\n"
    return f"{HEAD}\ndef inner(a, b):\n{lines}\n\n{build}"


def built(*body: str) -> str:
    """A program whose build has this body."""
    lines = "\n".join(f"    {line}" for line in body)
    return f"{HEAD}\ndef build(mesh):\n{lines}\n"


def module(*lines: str) -> str:
    """A module with these lines and no build."""
    return HEAD + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    found, errors = read_exercise(Path("content"), "case-three-scatter")
    assert found is not None, errors
    return found


@pytest.fixture(scope="module")
def reference(exercise: Exercise) -> Reference:
    return measure_reference(exercise, seeds=SEEDS, backends=CPU)


FAILS = {
    "46a another branch for another backend": (
        mapped(
            "def idle(a, b):",
            "    return right(a * 0, b)",
            "return lax.platform_dependent(a, b, cpu=right, tpu=idle)",
        ),
        "values",
    ),
    "46a a counter of traces": (
        mapped(
            "TRACES.append(1)",
            "return right(a, b) if len(TRACES) > 1 else right(a * 0, b)",
        ).replace("def inner", "TRACES = []\n\n\ndef inner"),
        "values",
    ),
    "56 a constant for the answer": (
        mapped("return jnp.ones((64, 1024)) * right(a * 0, b)"),
        "values",
    ),
    "56a right for some inputs only": (
        mapped(
            "good = lax.pmax(a.ravel()[0], 'x') > 0.9",
            "return jnp.where(good, right(a, b), 0)",
        ),
        "values",
    ),
    "64 right values on every device": (
        mapped("return lax.all_gather(right(a, b), 'x', axis=0, tiled=True)").replace(
            'out_specs=P("x", None)', "out_specs=P(None, None)"
        ),
        "output_sharding",
    ),
    "67 NaN everywhere": (mapped("return right(a, b) * jnp.nan"), "values"),
    "68 one number to be broadcast": (mapped("return right(a, b)[:1, :1]"), "values"),
    "69 the right numbers as complex ones": (
        mapped("return right(a, b).astype(jnp.complex64)"),
        "values",
    ),
    "70 infinities": (mapped("return right(a, b) + jnp.inf"), "values"),
    "70 nothing at all": (mapped("return right(a, b)[:0]"), "values"),
    "71 the input handed back": (built("return jax.jit(lambda a, b: a)"), "values"),
    "a wrong replica behind a right one": (
        mapped("return right(a, b) * (1 - lax.axis_index('y'))"),
        "values",
    ),
    "66 names that read like collectives": (
        built(
            "def step(a, b):",
            "    with jax.named_scope('reduce-scatter(x)'):",
            "        return lax.with_sharding_constraint(a @ b, P('x', None))",
            "return jax.jit(step)",
        ),
        "collectives",
    ),
}

STOPPED = {
    "33 a verdict on every descriptor": module(
        "for number in range(1, 20):",
        "    try:",
        '        os.write(number, b\'{"outcome": "passed"}\')',
        "    except OSError:",
        "        pass",
        "os._exit(0)",
    ),
    "35 an end before the program": module("raise SystemExit(0)"),
    "46 a callback into Python": mapped(
        "jax.debug.print('{}', a[0, 0])",
        "return right(a, b)",
    ),
    "46b a mesh of one's own": built(
        "own = Mesh(mesh.devices.reshape(8, 1), ('x', 'y'))",
        "return jax.jit(lambda a, b: a @ b, in_shardings=NamedSharding(own, P()))",
    ),
    "71 arguments given away that are still needed": built(
        "specs = {**SPECS, 'out_specs': (P('x', None), P('x', None))}",
        "step = jax.shard_map(lambda a, b: (right(a, b), b * 2), **specs)",
        "return jax.jit(step, donate_argnums=1)",
    ),
}


def verdict(exercise: Exercise, reference: Reference, source: str) -> Verdict:
    return grade(exercise, source.encode(), reference=reference, seeds=SEEDS, backends=CPU)


@pytest.mark.sandbox
@pytest.mark.compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", FAILS)
def test_no_trick_with_the_program_passes(
    exercise: Exercise, reference: Reference, name: str
) -> None:
    source, check = FAILS[name]
    found = verdict(exercise, reference, source)
    assert found.outcome is Outcome.FAILED, found
    assert check in {one.check for one in found.results if one.status == "failed"}


@pytest.mark.sandbox
@pytest.mark.compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", STOPPED)
def test_no_trick_around_the_program_passes(
    exercise: Exercise, reference: Reference, name: str
) -> None:
    found = verdict(exercise, reference, STOPPED[name])
    assert found.outcome is Outcome.LEARNER_ERROR


@pytest.mark.sandbox
@pytest.mark.compiler
@pytest.mark.slow
def test_the_honest_program_beside_them_passes(exercise: Exercise, reference: Reference) -> None:
    found = verdict(exercise, reference, mapped("    return right(a, b)"))
    assert found.outcome is Outcome.PASSED, found
