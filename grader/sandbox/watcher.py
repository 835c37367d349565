"""Holds a jail's memory where no control group can: by looking often and ending it when over."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_INTERVAL_SECONDS: Final = 0.05
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class MemoryWatcher:
    """Watches everything below one process. Pages that processes share are counted for each."""

    def __init__(self, process_id: int, *, memory_bytes: int) -> None:
        self._process_id = process_id
        self._memory_bytes = memory_bytes
        self._done = threading.Event()
        self.exceeded = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more. The process must still be waited for by its owner, after this."""
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(_INTERVAL_SECONDS):
            if sum(map(_resident_bytes, _tree(self._process_id))) > self._memory_bytes:
                self.exceeded = True
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process_id, 9)
                return


def _tree(process_id: int) -> Iterator[int]:
    """The process and all that descend from it."""
    yield process_id
    file = Path(f"/proc/{process_id}/task/{process_id}/children")
    with contextlib.suppress(OSError):
        for child in file.read_text().split():
            yield from _tree(int(child))


def _resident_bytes(process_id: int) -> int:
    try:
        return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):  # it ended between the listing and now
        return 0
