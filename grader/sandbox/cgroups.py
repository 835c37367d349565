"""Control groups for one jail: memory, tasks and processor share, and what they counted.

Version 2 needs a group that was delegated to us (systemd's Delegate=yes); version 1 needs leave to
make folders beside our own. Where there is neither, resource limits and the timers hold alone.
"""

import contextlib
import dataclasses
import enum
import os
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path("/sys/fs/cgroup")
_CONTROLLERS: Final = ("memory", "pids", "cpu")
_PERIOD_MICROSECONDS: Final = 100_000


class Flavour(enum.StrEnum):
    """Which kind of control groups this host lets us use."""

    V2 = "cgroup v2"
    V1 = "cgroup v1"
    NONE = "none: resource limits only"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a group saw, read once its processes are gone. Zero where the host does not count."""

    out_of_memory_kills: int = 0
    refused_tasks: int = 0
    cpu_seconds: float = 0.0


class Groups:
    """Makes a group for each jail below the group that this process is in."""

    def __init__(self, root: Path = ROOT, membership: Path = Path("/proc/self/cgroup")) -> None:
        self._folders = _delegated(root, membership) or _beside(root, membership)
        self.flavour = Flavour.NONE
        if "" in self._folders:
            self.flavour = Flavour.V2
        elif "memory" in self._folders:
            self.flavour = Flavour.V1

    def make(self, name: str, *, memory_bytes: int, tasks: int, processors: float) -> "Group":
        """A new group called `name` with these limits; one without folders where there is none."""
        folders = {key: folder / name for key, folder in self._folders.items()}
        for folder in folders.values():
            folder.mkdir()
        group = Group(folders, flavour=self.flavour)
        group.limit(memory_bytes=memory_bytes, tasks=tasks, processors=processors)
        return group


class Group:
    """One jail's group. `remove` ends what is left in it."""

    def __init__(self, folders: dict[str, Path], *, flavour: Flavour) -> None:
        self._folders = folders
        self._flavour = flavour

    @property
    def process_files(self) -> list[Path]:
        """Where a process writes its own number to join."""
        return [folder / "cgroup.procs" for folder in self._folders.values()]

    def limit(self, *, memory_bytes: int, tasks: int, processors: float) -> None:
        """Set the limits. Swap counts as memory."""
        quota = int(processors * _PERIOD_MICROSECONDS)
        if self._flavour is Flavour.V2:
            self._write("", "memory.max", memory_bytes)
            self._write("", "memory.swap.max", 0, optional=True)
            self._write("", "memory.oom.group", 1, optional=True)
            self._write("", "pids.max", tasks)
            self._write("", "cpu.max", f"{quota} {_PERIOD_MICROSECONDS}", optional=True)
        elif self._flavour is Flavour.V1:
            self._write("memory", "memory.limit_in_bytes", memory_bytes)
            self._write("memory", "memory.memsw.limit_in_bytes", memory_bytes, optional=True)
            self._write("pids", "pids.max", tasks, optional=True)
            self._write("cpu", "cpu.cfs_period_us", _PERIOD_MICROSECONDS, optional=True)
            self._write("cpu", "cpu.cfs_quota_us", quota, optional=True)

    def counted(self) -> Counted:
        """What happened in the group until now."""
        memory = self._read("", "memory.events") or self._read("memory", "memory.oom_control")
        tasks = self._read("", "pids.events") or self._read("pids", "pids.events")
        return Counted(
            out_of_memory_kills=memory.get("oom_kill", 0),
            refused_tasks=tasks.get("max", 0),
            cpu_seconds=self._read("", "cpu.stat").get("usage_usec", 0) / 1e6,
        )

    def remove(self, *, within_seconds: float = 5.0) -> bool:
        """Kill what is left and remove the group; False when the kernel still holds it."""
        until = time.monotonic() + within_seconds
        while self._folders:
            self._kill()
            for key, folder in list(self._folders.items()):
                with contextlib.suppress(FileNotFoundError, OSError):
                    folder.rmdir()
                if not folder.exists():
                    del self._folders[key]
            if self._folders:
                if time.monotonic() > until:
                    return False
                time.sleep(0.005)
        return True

    def _kill(self) -> None:
        for file in self.process_files:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                for pid in file.read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), 9)

    def _write(self, key: str, file: str, value: object, *, optional: bool = False) -> None:
        if key not in self._folders:
            return
        try:
            (self._folders[key] / file).write_text(str(value))
        except OSError:
            if not optional:
                raise

    def _read(self, key: str, file: str) -> dict[str, int]:
        if key not in self._folders:
            return {}
        try:
            words = (self._folders[key] / file).read_text().split()
        except OSError:
            return {}
        return {
            name: int(number)
            for name, number in zip(words[::2], words[1::2], strict=False)
            if number.isdigit()
        }


def _delegated(root: Path, membership: Path) -> dict[str, Path]:
    """Our own version 2 group, under the key "", with its controllers given to its children."""
    own = _memberships(membership).get("")
    if own is None or not (root / "cgroup.controllers").exists():
        return {}
    folder = root / own.lstrip("/")
    try:
        _make_room(folder)
    except OSError:
        return {}
    given = (folder / "cgroup.subtree_control").read_text().split()
    return {"": folder} if {"memory", "pids"} <= set(given) else {}


def _make_room(folder: Path) -> None:
    """Move our processes to a leaf: a group with processes of its own may not give controllers."""
    leaf = folder / "service"
    leaf.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (leaf / "cgroup.procs").write_text(pid)
    there = set((folder / "cgroup.controllers").read_text().split())
    for name in sorted(there & set(_CONTROLLERS)):
        (folder / "cgroup.subtree_control").write_text(f"+{name}")


def _beside(root: Path, membership: Path) -> dict[str, Path]:
    """Our own version 1 groups by controller, those in which we may make folders."""
    own = _memberships(membership)
    found = {name: root / name / own[name].lstrip("/") for name in _CONTROLLERS if name in own}
    return {name: folder for name, folder in found.items() if os.access(folder, os.W_OK | os.X_OK)}


def _memberships(file: Path) -> dict[str, str]:
    """Controller to our group's path, from /proc/self/cgroup; version 2 has the controller ""."""
    try:
        lines = [line.split(":", 2) for line in file.read_text().splitlines()]
    except OSError:
        return {}
    return {name: path for _, names, path in lines for name in names.split(",")}
