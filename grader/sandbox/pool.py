"""Warm slots kept ready: each takes one job, ends, and is replaced in the background."""

import collections
import os
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from grader.sandbox.errors import SandboxUnavailableError
from grader.sandbox.holding import Holder
from grader.sandbox.slot import RunLimits, Slot, Stage

_GIB: Final = 1 << 30
# What a warm process holds while it waits, and may come to hold while it works.
_TRACER_BYTES: Final = _GIB // 2
_COMPILER_BYTES: Final = 2 * _GIB
_LONGEST_PAUSE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """What an operator wants to know. `trouble` says why the last slot did not start, if so."""

    stage: Stage
    size: int
    ready: int
    started: int
    failed: int
    trouble: str | None


class Pool:
    """Keeps `size` slots of one stage warm. Use as a context manager, or call `close`."""

    def __init__(
        self,
        stage: Stage,
        *,
        size: int,
        limits: RunLimits | None = None,
        holder: Holder | None = None,
    ) -> None:
        if size < 1:
            raise ValueError("a pool keeps at least one slot")
        self.stage = stage
        self._size = size
        self._limits = limits
        self._holder = holder
        self._ready: collections.deque[Slot] = collections.deque()
        self._changed = threading.Condition()
        self._started = 0
        self._failed = 0
        self._trouble: str | None = None
        self._closed = False
        self._filler = threading.Thread(target=self._fill, name=f"{stage} pool", daemon=True)
        self._filler.start()

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every slot."""
        self.close()

    def take(self, *, within_seconds: float = 60.0) -> Slot:
        """A warm slot, which the caller closes.

        Raises SandboxUnavailableError when none gets ready in time: nothing was run.
        """
        until = time.monotonic() + within_seconds
        while True:
            with self._changed:
                while not self._ready:
                    left = until - time.monotonic()
                    if self._closed or left <= 0:
                        raise SandboxUnavailableError(self._no_slot(within_seconds))
                    self._changed.wait(left)
                slot = self._ready.popleft()
                self._changed.notify_all()
            if slot.is_waiting():
                return slot
            # It died while it waited: nobody's job is lost, and the next one is tried.
            slot.close()

    def state(self) -> PoolState:
        """How the pool stands now."""
        with self._changed:
            return PoolState(
                stage=self.stage,
                size=self._size,
                ready=len(self._ready),
                started=self._started,
                failed=self._failed,
                trouble=self._trouble,
            )

    def close(self) -> None:
        """End every slot that waits, and the one that is being started."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._filler.join()
        while self._ready:
            self._ready.popleft().close()

    def _fill(self) -> None:
        pause = 0.5
        while self._wait_for_room():
            slot, trouble = self._warm_one()
            with self._changed:
                if slot is not None:
                    self._started += 1
                    self._ready.append(slot)
                    pause = 0.5
                else:
                    self._failed += 1
                self._trouble = trouble
                self._changed.notify_all()
                if slot is None and not self._closed:
                    self._changed.wait(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _wait_for_room(self) -> bool:
        """Wait until a slot is missing; False once the pool is closed."""
        with self._changed:
            while len(self._ready) >= self._size and not self._closed:
                self._changed.wait()
            return not self._closed

    def _warm_one(self) -> tuple[Slot | None, str | None]:
        try:
            slot = Slot(self.stage, warm=True, limits=self._limits, holder=self._holder)
        except (SandboxUnavailableError, OSError) as error:
            return None, str(error)
        if slot.wait_until_ready():
            return slot, None
        slot.close()
        return None, f"a {self.stage} process ended before it was ready: {slot.last_words()}"

    def _no_slot(self, waited_seconds: float) -> str:
        if self._closed:
            return "the pool is closed"
        why = f": {self._trouble}" if self._trouble else ""
        return f"no warm {self.stage} process within {waited_seconds:.0f} s{why}"


def fitting_size(*, memory_bytes: int | None = None, processors: int | None = None) -> int:
    """How many pairs of a tracer and a compiler this machine can keep warm, at least one.

    Half of the memory is left to the rest of the machine; more pairs than processors only wait.
    """
    memory = memory_bytes or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    by_memory = memory // 2 // (_TRACER_BYTES + _COMPILER_BYTES)
    return max(1, min(by_memory, processors or os.cpu_count() or 1))
