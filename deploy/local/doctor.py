"""What this machine has and lacks for the site, and how to get it: `make doctor`.

Standard library alone, and readable by an older Python: it is what one runs when nothing works.
Exit code 1 when something is missing without which the site does not run.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.local import node

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """What was found, how to get what is missing, and whether the site cannot run without it."""

    what: str
    found: str
    remedy: str = ""
    needed: bool = False


def interpreter() -> Finding:
    """A Python that fits, wherever it lies."""
    here = f"Python {platform.python_version()} ({sys.executable})"
    if tuple(sys.version_info) >= (3, 12):
        return Finding("interpreter", here)
    remedy = "Python 3.12 or newer: sh deploy/local/find_python.sh says the ways"
    return Finding("interpreter", here, remedy, needed=True)


def environment() -> Finding:
    """The site's own packages."""
    if (VENV / ".requirements.txt.stamp").exists():
        return Finding("packages", "installed in .venv")
    return Finding("packages", "not installed yet", "make run installs them")


def tpu_compiler() -> Finding:
    """libtpu, which compiles for TPUs that are not there."""
    if any(VENV.glob("lib/python3.*/site-packages/libtpu")):
        return Finding("TPU compiler", "libtpu is installed")
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return Finding("TPU compiler", "not built for this platform", "use Linux on x86-64")
    return Finding("TPU compiler", "libtpu is not installed", "make run installs it (640 MB)")


def bubblewrap() -> Finding:
    """The program that makes sandboxes."""
    path = shutil.which("bwrap")
    if path:
        return Finding("bubblewrap", said_by([path, "--version"]) or path)
    return Finding("bubblewrap", "missing: no hand-in can be run", "apt-get install bubblewrap")


def user_namespaces() -> Finding:
    """Whether a sandbox can be made at all."""
    tried = ["unshare", "--user", "--map-root-user", "true"]
    if shutil.which("unshare") and runs(tried):
        return Finding("user namespaces", "can be made")
    switches = {
        "kernel/unprivileged_userns_clone": "1",
        "kernel/apparmor_restrict_unprivileged_userns": "0",
    }
    wrong = [
        f"sysctl -w {name.replace('/', '.')}={wanted}"
        for name, wanted in switches.items()
        if content_of(Path("/proc/sys") / name) not in ("", wanted)
    ]
    remedy = "; ".join(wrong) or "in a container, run it with user namespaces allowed"
    return Finding("user namespaces", "refused: no hand-in can be run", remedy)


def control_groups() -> Finding:
    """How a sandbox's memory is held: cgroup v2, v1, or limits and a watcher."""
    v2 = Path("/sys/fs/cgroup/cgroup.controllers")
    if v2.exists():
        if "memory" not in v2.read_text().split():
            return Finding("control groups", "v2 without the memory controller", "enable it")
        if os.access("/sys/fs/cgroup/cgroup.subtree_control", os.W_OK) or delegated():
            return Finding("control groups", "v2, ours to use")
        remedy = "systemd-run --user --scope -p Delegate=yes make run"
        return Finding("control groups", "v2, not delegated: limits and a watcher hold", remedy)
    if os.access("/sys/fs/cgroup/memory", os.W_OK):
        return Finding("control groups", "v1, ours to use")
    found = "none to use: limits and a watcher hold memory instead"
    return Finding("control groups", found, "run as root, or delegate a cgroup")


def delegated() -> bool:
    """Whether the v2 group of this process is writable."""
    for line in content_of(Path("/proc/self/cgroup")).splitlines():
        if line.startswith("0::"):
            return os.access(f"/sys/fs/cgroup{line[3:]}/cgroup.procs", os.W_OK)
    return False


def memory() -> Finding:
    """Memory in all; compiling for a large slice takes the most."""
    total = 0
    for line in content_of(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemTotal:"):
            total = int(line.split()[1]) * 1024
    if not total:
        return Finding("memory", "unknown")
    remedy = "" if total >= 3.5 * GIB else "4 GiB or more: compiling for TPUs needs about 2"
    return Finding("memory", f"{total / GIB:.1f} GiB, {os.cpu_count()} cores", remedy)


def disk() -> Finding:
    """Room for what is not installed yet."""
    free = shutil.disk_usage(ROOT).free
    wanted = 0.5 if (VENV / ".requirements-tpu.txt.stamp").exists() else 4.0
    if free >= wanted * GIB:
        return Finding("disk", f"{free / GIB:.1f} GiB free")
    return Finding("disk", f"{free / GIB:.1f} GiB free", f"{wanted:g} GiB are needed", needed=True)


def node_for_the_front_end() -> Finding:
    """What builds the front end."""
    found = node.find(VENV)
    if found:
        return Finding("Node", f"{found.version} ({found.npm[0]})")
    return Finding("Node", "none yet", "make run installs one from a Python wheel")


def chromium() -> Finding:
    """The browser of the browser tests."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return Finding("Chromium", path)
    return Finding("Chromium", "missing: make test needs it", "apt-get install chromium")


def said_by(command: list[str]) -> str:
    """What a command prints, or nothing when it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def runs(command: list[str]) -> bool:
    """Whether a command ends well."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def content_of(path: Path) -> str:
    """A small file's text, or nothing when it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


QUESTIONS: list[Callable[[], Finding]] = [
    interpreter,
    environment,
    tpu_compiler,
    node_for_the_front_end,
    bubblewrap,
    user_namespaces,
    control_groups,
    memory,
    disk,
    chromium,
]


def main() -> int:
    """Print one line a finding and its remedy; 1 when the site cannot run as things are."""
    findings = [ask() for ask in QUESTIONS]
    for finding in findings:
        mark = "ok  " if not finding.remedy else "STOP" if finding.needed else "lack"
        print(f"{mark}  {finding.what:<16} {finding.found}")
        if finding.remedy:
            print(f"      {'':<16} -> {finding.remedy}")
    return 1 if any(finding.needed for finding in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
