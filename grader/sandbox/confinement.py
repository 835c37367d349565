"""How far an ordinary process can be confined on this system, found out by trying."""

import functools
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

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

    def popen_arguments(self) -> dict[str, Any]:
        """Return the arguments of subprocess.Popen that drop privileges."""
        if self.user is None:
            return {}
        return {"user": self.user, "group": self.user, "extra_groups": []}


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
    as_user: dict[str, Any] = (
        {} if user is None else {"user": user, "group": user, "extra_groups": []}
    )
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
            **as_user,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
