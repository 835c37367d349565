"""What holds a stage's process, whichever way this host allows."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from grader.sandbox.cgroups import Counted
from grader.sandbox.jail import Limits


class Held(Protocol):
    """One started process with pipes for its standard streams."""

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The outermost process: all that belongs to it ends when it is killed."""
        ...

    def kill(self) -> None:
        """Kill all that is left of it, and leave its pipes to be read to their end."""
        ...

    def end(self) -> Counted:
        """Kill what is left, reap it, and say what was counted. May be called again."""
        ...


class Holder(Protocol):
    """Starts processes that are held."""

    def start(
        self,
        inside: Sequence[str],
        *,
        readable: Sequence[Path],
        system_calls: Callable[[], bytes],
        limits: Limits,
    ) -> Held:
        """Start `inside`; `readable` is what it may read beside the system and the interpreter."""
        ...
