"""How far an ordinary process can be confined on this system, found out by trying.

For files of one's own, where one asks for no sandbox. Nothing that others wrote is run this way.
"""

import contextlib
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.sandbox.cgroups import Counted
from grader.sandbox.jail import Limits

_NOBODY = 65534
_PROBE_SECONDS = 20
_NAMESPACES = ("--net", "--pid", "--fork", "--kill-child=KILL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What holds a stage's process in; `notes` says what this system did not allow, and why."""

    prefix: tuple[str, ...]
    user: int | None
    notes: tuple[str, ...]

    @property
    def without_network(self) -> bool:
        """Whether the process has a network namespace of its own."""
        return "--net" in self.prefix

    def start(
        self,
        inside: Sequence[str],
        *,
        readable: Sequence[Path],
        system_calls: Callable[[], bytes],
        limits: Limits,
    ) -> "OpenProcess":
        """Start `inside`; what it may read, call and use is not limited here."""
        del readable, system_calls, limits
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
            [*self.prefix, *inside],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            cwd="/",
            close_fds=True,
            start_new_session=True,
            **_as_user(self.user),
        )
        return OpenProcess(process=process)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenProcess:
    """A process and its group, which nothing counts."""

    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """Kill the process and its group."""
        # macOS answers PermissionError for a group of zombies.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def end(self) -> Counted:
        """Kill the group, reap the process and close its pipes."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.process.wait()
        return Counted()


@functools.cache
def best_confinement() -> Confinement:
    """Return the strictest confinement that works here. Tries each once a process."""
    notes: list[str] = []
    user: int | None = None
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        if _works((sys.executable, "-I", "-S", "-c", ""), _NOBODY):
            user = _NOBODY
        else:
            notes.append(
                "runs as root: the interpreter is not readable to an unprivileged user; "
                "install Python outside root's home to change that"
            )
    for prefix in (
        ("unshare", *_NAMESPACES, "--"),
        ("unshare", "--user", "--map-current-user", *_NAMESPACES, "--"),
    ):
        if _works((*prefix, "true"), user):
            return Confinement(prefix=prefix, user=user, notes=tuple(notes))
    notes.append("has network access: this system lets us make no namespace")
    return Confinement(prefix=(), user=user, notes=tuple(notes))


def _works(command: tuple[str, ...], user: int | None) -> bool:
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands of the system
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
            cwd="/",
            **_as_user(user),
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _as_user(user: int | None) -> dict[str, Any]:
    """The arguments of subprocess.Popen that drop privileges."""
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}
