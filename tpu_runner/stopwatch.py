"""Collects how long each named phase of a stage took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tpu_runner.protocol import Phase


class Stopwatch:
    """Collects how long each named phase took."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body; a body that raises is timed too."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases.append(Phase(name=name, seconds=time.perf_counter() - start))
