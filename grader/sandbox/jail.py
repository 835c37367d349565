"""The bubblewrap command line of a jail: what is mounted in it, who runs in it, what it may use."""

import dataclasses
import os
import shutil
import sys
from pathlib import Path
from typing import Final

from grader.sandbox.errors import SandboxUnavailableError

MIB: Final = 1024 * 1024

# Joins control groups by their file of processes before anything of the jail is started.
_JOIN_GROUPS: Final = (
    'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"'
)
# libtpu's allocator counts the processors there, and ends the process where it cannot.
# An unprivileged user cannot walk through a private home, so root binds what lies there elsewhere.
_PASSAGE: Final = Path("/mnt")
_MAKE_PASSAGE: Final = (
    'at="$1"; shift; n=0; mount -t tmpfs -o mode=0755,size=64k none "$at" || exit 125; '
    'while [ "$1" != -- ]; do mkdir "$at/$n" && mount --bind "$1" "$at/$n" || exit 125; '
    'n=$((n+1)); shift; done; shift; exec "$@"'
)
_PROCESSORS: Final = Path("/sys/devices/system/cpu")
_SYSTEM_FOLDERS: Final = ("bin", "sbin", "lib", "lib32", "lib64")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one jail may use. Bytes, seconds of processor time, and tasks (threads included)."""

    memory_bytes: int
    address_space_bytes: int
    cpu_seconds: int
    tasks: int
    tmp_bytes: int = 64 * MIB
    shared_memory_bytes: int = 16 * MIB
    open_files: int = 1024


def command(
    inside: list[str],
    *,
    readable: list[Path],
    uid: int | None,
    limits: Limits,
    group_files: list[Path],
    filter_fd: int,
) -> list[str]:
    """The words that run `inside` in a jail of its own.

    `readable` are mounted read-only beside the system's own folders. `uid` is the user inside when
    started as root, None when started by an ordinary user, who stays who they are. `group_files`
    are the `cgroup.procs` to join. The system-call filter is read from `filter_fd`.
    Raises SandboxUnavailableError when bubblewrap or util-linux is missing.
    """
    bwrap = _found("bwrap", "bubblewrap")
    prlimit = _found("prlimit", "util-linux")
    words = [prlimit, *_resource_limits(limits)]
    if group_files:
        words = ["/bin/sh", "-c", _JOIN_GROUPS, "sh", *map(str, group_files), "--", *words]
    sources = {path: path for path in readable}
    if uid is not None:
        private = [path for path in readable if not _readable_by_others(path)]
        sources |= {path: _PASSAGE / str(place) for place, path in enumerate(private)}
        words += [*_passage(private), *_become(uid)]
    # Tasks are counted by user and user namespace: only inside are they those of the jail alone.
    counted = [prlimit, f"--nproc={limits.tasks}"]
    return [*words, bwrap, *_isolation(filter_fd), *_mounts(sources, limits), *counted, *inside]


def interpreter_folders() -> list[Path]:
    """What this interpreter needs to be readable: its environment and where that was made from."""
    folders = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    return sorted(folder for folder in folders if not folder.is_relative_to("/usr"))


def _resource_limits(limits: Limits) -> list[str]:
    return [
        f"--as={limits.address_space_bytes}",
        f"--cpu={limits.cpu_seconds}",
        f"--nofile={limits.open_files}",
        f"--fsize={limits.tmp_bytes}",
        "--core=0",
        "--memlock=65536",
        "--msgqueue=0",
    ]


def _isolation(filter_fd: int) -> list[str]:
    return [
        *(
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ),
        *("--as-pid-1", "--die-with-parent", "--new-session", "--clearenv"),
        *("--hostname", "jail", "--seccomp", str(filter_fd)),
    ]


def _become(uid: int) -> list[str]:
    setpriv = _found("setpriv", "util-linux")
    return [setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs"]


def _passage(private: list[Path]) -> list[str]:
    """Show folders of a private home at an open place, in a mount namespace of the jail's own."""
    if not private:
        return []
    unshare = [_found("unshare", "util-linux"), "--mount", "--propagation", "private"]
    return [*unshare, "/bin/sh", "-c", _MAKE_PASSAGE, "sh", str(_PASSAGE), *map(str, private), "--"]


def _mounts(sources: dict[Path, Path], limits: Limits) -> list[str]:
    words = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM_FOLDERS:
        folder = Path("/") / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += ["--perms", "1777", "--size", str(limits.shared_memory_bytes), "--tmpfs", "/dev/shm"]  # noqa: S108  # inside the jail
    words += ["--remount-ro", "/dev"]
    words += ["--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"]  # noqa: S108  # inside the jail
    # Folders on the way, which bubblewrap would make for their owner alone.
    shown = {_PROCESSORS: _PROCESSORS, **sources}
    for folder in sorted({parent for path in shown for parent in path.parents} - {Path("/")}):
        words += ["--perms", "0755", "--dir", str(folder)]
    for path, source in shown.items():
        words += ["--ro-bind", str(source), str(path)]
    return [*words, "--remount-ro", "/", "--chdir", "/tmp"]  # noqa: S108  # inside the jail


def _readable_by_others(path: Path) -> bool:
    """Whether a user who owns none of it may enter every folder on the way and read the last."""
    on_the_way = all(parent.stat().st_mode & 0o001 for parent in path.parents)
    return on_the_way and path.stat().st_mode & 0o005 == 0o005


def _found(program: str, package: str) -> str:
    path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin")
    if path is None:
        raise SandboxUnavailableError(
            f"{program} is missing, and nothing runs without a sandbox: install {package}"
        )
    return path
