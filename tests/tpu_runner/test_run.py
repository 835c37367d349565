"""Trials: what goes in, and every device's shard of what comes out."""

import dataclasses
import math

import ml_dtypes
import numpy as np
import pytest

from tests.tpu_runner.programs import (
    CONTRACTED_OVER_MODEL,
    CPU,
    compile_request,
    traced,
)
from tpu_runner.compile import compile_program
from tpu_runner.protocol import BackendReport, BackendStatus, RunStatus, Trial, TrialRun

pytestmark = pytest.mark.compiler


def run(source: str, *trials: Trial) -> tuple[BackendReport, tuple[TrialRun, ...]]:
    request = compile_request(traced(source).artefact, CPU)
    report = compile_program(dataclasses.replace(request, trials=trials))
    (backend,) = report.backends
    assert backend.status is BackendStatus.COMPILED, backend.message
    return backend, backend.runs


def shards(backend: BackendReport, trial: TrialRun) -> list[list[np.ndarray]]:
    """The results as their layouts say: for each, one array for each position."""
    found: list[list[np.ndarray]] = []
    at = 0
    for layout in backend.outputs:
        dtype = np.dtype(layout.dtype)
        size = math.prod(layout.shard_shape) * dtype.itemsize
        found.append([])
        for _ in backend.devices:
            raw = trial.results[at : at + size]
            found[-1].append(np.frombuffer(raw, dtype).reshape(layout.shard_shape))
            at += size
    assert at == len(trial.results)
    return found


def test_each_position_gives_its_own_shard_of_each_result() -> None:
    random = np.random.default_rng(7)
    state = random.integers(-8, 8, (64, 32)).astype(np.float32)
    x = random.integers(-8, 8, (64, 64)).astype(np.float32)
    unused = np.zeros(8, np.float32)
    trial = Trial(
        name="small integers", arguments=b"".join(a.tobytes() for a in (state, x, unused))
    )
    backend, (done,) = run(CONTRACTED_OVER_MODEL, trial)
    assert (done.name, done.status, done.message) == ("small integers", RunStatus.RAN, "")
    next_state, y = shards(backend, done)
    expected = x @ state  # whole numbers below 2**24, so exact in float32 in any order
    for position in range(8):
        row, column = divmod(position, 2)  # data 4 × model 2, the last axis fastest
        # The state is split by rows over `model`, the product by rows over `data`.
        np.testing.assert_array_equal(next_state[position], (state + 1)[32 * column :][:32])
        np.testing.assert_array_equal(y[position], expected[16 * row :][:16])


def test_donated_arguments_are_fresh_in_every_trial() -> None:
    arguments = np.ones(64 * 32 + 64 * 64 + 8, np.float32).tobytes()
    trials = [Trial(name=str(number), arguments=arguments) for number in range(3)]
    _, done = run(CONTRACTED_OVER_MODEL, *trials)
    assert len({trial.results for trial in done}) == 1
    assert all(trial.status is RunStatus.RAN for trial in done)


BITS = """\
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

def build(mesh):
    return jax.jit(lambda h, b, n: (h, ~b, n))

def example_args(mesh):
    row = NamedSharding(mesh, P("data"))
    return (jax.ShapeDtypeStruct((8,), jnp.bfloat16, sharding=row),
            jax.ShapeDtypeStruct((8,), jnp.bool_, sharding=row),
            jax.ShapeDtypeStruct((8,), jnp.float32, sharding=row))
"""


def test_what_goes_in_comes_out_bit_by_bit() -> None:
    halves = np.array([0.0, -0.0, 1.5, np.inf, -np.inf, 3e38, 1e-38, -2], ml_dtypes.bfloat16)
    flags = np.array([True, False] * 4)
    odd = np.array([np.nan, np.inf, -0.0, 1e-45, 1, 2, 3, 4], np.float32)
    raw = halves.tobytes() + flags.tobytes() + odd.tobytes()
    backend, (done,) = run(BITS, Trial(name="bits", arguments=raw))
    h, b, n = shards(backend, done)
    assert b"".join(part.tobytes() for part in h[::2]) == halves.tobytes()
    np.testing.assert_array_equal(np.concatenate(b[::2]), ~flags)
    assert b"".join(part.tobytes() for part in n[::2]) == odd.tobytes()


def test_a_trial_of_another_size_runs_nothing() -> None:
    request = compile_request(traced(BITS).artefact, CPU)
    trial = Trial(name="short", arguments=b"\0" * 5)
    (backend,) = compile_program(dataclasses.replace(request, trials=(trial,))).backends
    assert backend.runs == ()
    assert "'short' ends within its arguments" in backend.message
