"""Starts commands in jails of their own, and says what each used when it ends."""

import contextlib
import dataclasses
import functools
import itertools
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from grader.sandbox import seccomp
from grader.sandbox.cgroups import Counted, Flavour, Group, Groups
from grader.sandbox.errors import SandboxUnavailableError
from grader.sandbox.jail import Limits, command, interpreter_folders
from grader.sandbox.watcher import MemoryWatcher

# Users that no account has, one for each jail that root starts: the kernel counts tasks by user.
_FIRST_UID: Final = 61_000
_UIDS: Final = 4_000
_PROBE_SECONDS: Final = 20

# What the tools say where a jail cannot be made, and what to do about it.
_REMEDIES: Final = {
    "uid map": """user namespaces are restricted (AppArmor, or a container):
        set kernel.apparmor_restrict_unprivileged_userns=0, or run outside the container""",
    "setresuid failed": """this is the root of a container that has no other users:
        start the worker as an ordinary user, or outside the container""",
    "unshare failed": """this process may make no mount namespace:
        give it CAP_SYS_ADMIN, or install Python outside root's home""",
    "namespace": """this kernel lets us make no user namespace:
        set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0""",
}


@dataclasses.dataclass(slots=True, kw_only=True)
class Jailed:
    """One running jail. `end` must be called; it may be called twice."""

    process: subprocess.Popen[bytes]
    _group: Group
    _watcher: MemoryWatcher | None
    _counted: Counted | None = None

    def kill(self) -> None:
        """Kill everything in the jail.

        The outermost process is killed, never one inside: a jail's own first process can be frozen
        from within, and the kernel takes the whole namespace down when its maker dies.
        """
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> Counted:
        """Kill everything in the jail, reap it, remove its group, and say what it used."""
        if self._counted is not None:
            return self._counted
        if self._watcher is not None:
            self._watcher.stop()
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        counted = self._group.counted()
        if self._watcher is not None and self._watcher.exceeded:
            counted = dataclasses.replace(counted, out_of_memory_kills=1)
        self._counted = counted
        if not self._group.remove():
            raise SandboxUnavailableError("the kernel holds on to a control group of a dead jail")
        return counted


class Jailer:
    """Makes jails on this host. Raises SandboxUnavailableError where none can be had."""

    def __init__(self, groups: Groups | None = None) -> None:
        if sys.platform != "linux":
            raise SandboxUnavailableError("the sandbox needs Linux; nothing runs without it")
        self._groups = groups or Groups()
        self._as_root = os.geteuid() == 0
        self._numbers = itertools.count()
        self._try_out()

    @property
    def flavour(self) -> Flavour:
        """Which control groups hold a jail's memory and tasks."""
        return self._groups.flavour

    def start(
        self,
        inside: Sequence[str],
        *,
        readable: Sequence[Path],
        system_calls: Callable[[], bytes],
        limits: Limits,
        processors: float = 2.0,
    ) -> Jailed:
        """Start `inside` with pipes for its standard streams.

        `readable` are shown beside the interpreter's own folders. `system_calls` makes the filter.
        """
        number = next(self._numbers)
        group = self._groups.make(
            f"jail-{os.getpid()}-{number}",
            memory_bytes=limits.memory_bytes,
            tasks=limits.tasks,
            processors=processors,
        )
        filter_end = _pipe_with(system_calls())
        try:
            words = command(
                list(inside),
                readable=[*interpreter_folders(), *readable],
                uid=_FIRST_UID + (os.getpid() * 61 + number) % _UIDS if self._as_root else None,
                limits=limits,
                group_files=group.process_files,
                filter_fd=filter_end,
            )
            process = _popen(words, filter_end)
        except BaseException:
            group.remove()
            raise
        finally:
            os.close(filter_end)
        watcher = None
        if self.flavour is Flavour.NONE:
            watcher = MemoryWatcher(process.pid, memory_bytes=limits.memory_bytes)
        return Jailed(process=process, _group=group, _watcher=watcher)

    def _try_out(self) -> None:
        """Run nothing in a jail and see it end well: the only proof that jails can be had here."""
        limits = Limits(
            memory_bytes=256 << 20, address_space_bytes=1 << 30, cpu_seconds=10, tasks=64
        )
        jailed = self.start(
            ["/usr/bin/true"], readable=[], system_calls=seccomp.tracer_filter, limits=limits
        )
        try:
            _, said = jailed.process.communicate(timeout=_PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            said = b"the trial jail did not end"
        finally:
            jailed.end()
        if jailed.process.returncode != 0:
            raise SandboxUnavailableError(_explain(said.decode("utf-8", "backslashreplace")))


@functools.cache
def jailer() -> Jailer:
    """This process's jailer, tried out once."""
    return Jailer()


def _pipe_with(content: bytes) -> int:
    """The reading end of a pipe that holds `content`, which must fit in it."""
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    return reading


def _popen(words: list[str], filter_end: int) -> subprocess.Popen[bytes]:
    """Start with nothing inherited but the filter, and nothing in the environment."""
    return subprocess.Popen(  # noqa: S603  # fixed words of our own
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
        pass_fds=(filter_end,),
        start_new_session=True,
    )


def _explain(said: str) -> str:
    remedies = (remedy for sign, remedy in _REMEDIES.items() if sign in said)
    remedy = " ".join(next(remedies, "").split())
    cause = said.strip().splitlines()[-1] if said.strip() else "the trial jail ended without a word"
    kernel = f"{platform.system()} {platform.release()}"
    return f"no sandbox on this host ({kernel}), so nothing is run: {cause}. {remedy}"
