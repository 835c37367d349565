"""Warm slots with real processes: handed out once, replaced, and never mourned."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from grader.sandbox.errors import SandboxUnavailableError
from grader.sandbox.pool import Pool, fitting_size
from grader.sandbox.slot import RunLimits, Slot, Stage
from tests.tpu_runner.programs import CONTRACTED_OVER_MODEL, request
from tpu_runner.protocol import TraceOutcome

pytestmark = [pytest.mark.compiler, pytest.mark.sandbox]
GIB = 1 << 30


def wait_until(true: Callable[[], bool], *, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_slot_that_was_taken_is_replaced_by_another() -> None:
    with Pool(Stage.TRACE, size=1) as pool:
        first = pool.take()
        with first:
            end = first.trace(request(CONTRACTED_OVER_MODEL))
        second = pool.take()
        second.close()
    assert end.report is not None
    assert end.report.outcome is TraceOutcome.TRACED
    assert second.process_id != first.process_id


def test_a_slot_that_died_while_it_waited_is_passed_over() -> None:
    with Pool(Stage.TRACE, size=2) as pool:
        wait_until(lambda: pool.state().ready == 2)
        doomed = pool._ready[0]  # what the next taker would get
        os.killpg(doomed.process_id, signal.SIGKILL)
        wait_until(lambda: not doomed.is_waiting())
        with pool.take() as slot:
            end = slot.trace(request(CONTRACTED_OVER_MODEL))
    assert end.report is not None


def test_a_pool_that_cannot_start_anything_says_why_and_runs_nothing() -> None:
    too_little = RunLimits(memory_bytes=32 << 20, start_seconds=20)
    with Pool(Stage.TRACE, size=1, limits=too_little) as pool:
        wait_until(lambda: pool.state().failed > 0)
        with pytest.raises(SandboxUnavailableError, match="ended before it was ready"):
            pool.take(within_seconds=0.2)
        assert pool.state().trouble is not None


def test_closing_a_pool_ends_all_of_its_processes() -> None:
    pool = Pool(Stage.TRACE, size=2)
    wait_until(lambda: pool.state().ready == 2)
    slots: list[Slot] = list(pool._ready)
    pool.close()
    assert not any(slot.is_waiting() for slot in slots)
    with pytest.raises(SandboxUnavailableError, match="closed"):
        pool.take()


@pytest.mark.parametrize(
    ("memory_bytes", "processors", "pairs"),
    [(24 * GIB, 2, 2), (24 * GIB, 16, 4), (2 * GIB, 4, 1), (256 * GIB, 64, 51)],
    ids=["processors bind", "memory binds", "always one", "a large machine"],
)
def test_the_size_follows_the_machine(memory_bytes: int, processors: int, pairs: int) -> None:
    # Half the memory over 2.5 GiB a pair, or a pair for each processor, whichever is less.
    assert fitting_size(memory_bytes=memory_bytes, processors=processors) == pairs
