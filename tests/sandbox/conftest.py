"""Jails as root starts them, and as an ordinary user does."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest

PROJECT_ROOT = Path(__file__).parents[2]
ORDINARY_USER = 4321
MIB = 1 << 20

# An ordinary user cannot walk into root's home. In a mount namespace of its own each private folder
# is covered by an empty open one, in which only what the tests need is bound to its old place.
_OPEN_UP = """
set -e; mount -t tmpfs -o mode=0755 none /mnt; kept="$1"; n=0
for path in $kept; do mkdir /mnt/$n; mount --bind "$path" /mnt/$n; n=$((n+1)); done
for cover in $2; do mount -t tmpfs -o mode=0755 none "$cover"; done
n=0; for path in $kept; do mkdir -p "$path"; mount --bind /mnt/$n "$path"; n=$((n+1)); done
shift 2; exec "$@"
"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a program in a jail did, seen from outside."""

    status: int
    output: str
    errors: str
    late: bool
    seconds: float
    out_of_memory_kills: int
    refused_tasks: int


class RunInJail(Protocol):
    """Runs a program of plain Python in a fresh jail."""

    def __call__(
        self, program: str, *, filter_name: str = "tracer", wall_seconds: float = 20, **limits: int
    ) -> Outcome: ...


def driver_command(starter: str) -> list[str]:
    """The words that start the driver as this kind of user."""
    if starter == "as we are":
        return [sys.executable, "-B", str(Path(__file__).with_name("driver.py"))]
    kept = [Path(sys.base_prefix), PROJECT_ROOT]
    covers = {private for path in kept if (private := _outermost_private_folder(path))}
    opened = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", _OPEN_UP, "sh"]
    become = ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]
    interpreter = str(Path(sys.executable).resolve())
    driver = str(PROJECT_ROOT / "tests/sandbox/driver.py")
    listed = [" ".join(map(str, kept)), " ".join(map(str, sorted(covers)))]
    return [*opened, *listed, *become, interpreter, "-B", driver]


def _outermost_private_folder(path: Path) -> Path | None:
    """The first folder on the way that others may not enter."""
    way = [*reversed(path.parents), path]
    return next((folder for folder in way if not folder.stat().st_mode & 0o001), None)


def ask_driver(command: list[str], job: dict[str, Any]) -> dict[str, Any]:
    """One answer of the driver."""
    done = subprocess.run(
        command, input=json.dumps(job), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# Where the tests run as an ordinary user, "as we are" is that case already.
STARTERS = ["as we are", "an ordinary user"] if os.geteuid() == 0 else ["as we are"]


@pytest.fixture(params=STARTERS)
def in_jail(request: pytest.FixtureRequest) -> RunInJail:
    """Runs programs in jails that this kind of user starts."""
    command = driver_command(request.param)

    def run(
        program: str, *, filter_name: str = "tracer", wall_seconds: float = 20, **limits: int
    ) -> Outcome:
        standard = {
            "memory_bytes": 300 * MIB,
            "address_space_bytes": 6144 * MIB,
            "cpu_seconds": 4,
            "tasks": 64,
        }
        job = {
            "program": program,
            "filter": filter_name,
            "wall_seconds": wall_seconds,
            "limits": standard | limits,
        }
        answer = ask_driver(command, job)
        assert "unavailable" not in answer, answer["unavailable"]
        counted = answer["counted"]
        return Outcome(
            status=answer["status"],
            output=answer["output"],
            errors=answer["errors"],
            late=answer["late"],
            seconds=answer["seconds"],
            out_of_memory_kills=counted["out_of_memory_kills"],
            refused_tasks=counted["refused_tasks"],
        )

    return run
