"""Whether jails can be had, and whether anything of them is left."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox import seccomp
from grader.sandbox.jail import Limits
from grader.sandbox.jailer import Jailer
from tests.sandbox.conftest import MIB, ask_driver, driver_command

JOB: dict[str, Any] = {
    "program": "print('ran')",
    "filter": "tracer",
    "wall_seconds": 10,
    "limits": {
        "memory_bytes": 300 * MIB,
        "address_space_bytes": 6144 * MIB,
        "cpu_seconds": 4,
        "tasks": 64,
    },
}
HIDE_BUBBLEWRAP = 'mount --bind /dev/null "$(command -v bwrap)" && exec "$@"'


def test_without_bubblewrap_nothing_runs_and_the_remedy_is_named() -> None:
    hidden = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", HIDE_BUBBLEWRAP, "sh"]
    answer = ask_driver([*hidden, *driver_command("as we are")], JOB)
    assert "install bubblewrap" in answer["unavailable"]


def test_where_no_jail_can_be_made_nothing_runs_and_the_remedy_is_named() -> None:
    contained = ["unshare", "--user", "--map-root-user"]
    answer = ask_driver([*contained, *driver_command("as we are")], JOB)
    assert "nothing is run" in answer["unavailable"]
    assert "ordinary user, or outside the container" in answer["unavailable"]


HOSTILE = (
    "import os\nwhile True: os.fork()",
    "kept = []\nwhile True: kept.append(bytearray(10**7))",
    "import os\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    while True: pass",
    "import time; time.sleep(1000)",
    "import os\nos.write(1, b'x' * 10**6)\nos._exit(7)",
    "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "import os\nfor n in range(200): open(f'/tmp/{n}', 'w').write('x' * 10**5)",
    "import mmap\nkept = mmap.mmap(-1, 10**7)\nopen('/dev/shm/left', 'w').write('x' * 10**6)",
)


@pytest.mark.slow
def test_two_hundred_hostile_programs_leave_nothing_behind() -> None:
    jailer = Jailer()
    before = what_is_there()
    for number in range(200):
        hold_briefly(jailer, HOSTILE[number % len(HOSTILE)])
    assert what_is_there() == before


def hold_briefly(jailer: Jailer, program: str) -> None:
    limits = Limits(memory_bytes=100 * MIB, address_space_bytes=4096 * MIB, cpu_seconds=2, tasks=30)
    jailed = jailer.start(
        [sys.executable, "-I", "-B", "-S", "-c", program],
        readable=[],
        system_calls=seccomp.tracer_filter,
        limits=limits,
    )
    try:
        jailed.process.communicate(timeout=0.25)
    except subprocess.TimeoutExpired:
        pass
    finally:
        jailed.end()


def what_is_there() -> dict[str, object]:
    """Files open in this process, its children, control groups of jails, mounts, shared memory."""
    own = os.getpid()
    return {
        "files": sorted(path.name for path in Path("/proc/self/fd").iterdir()),
        "children": Path(f"/proc/{own}/task/{own}/children").read_text(),
        "groups": sorted(map(str, Path("/sys/fs/cgroup").rglob(f"jail-{own}-*"))),
        "mounts": Path("/proc/self/mounts").read_text(),
        "shared memory": sorted(path.name for path in Path("/dev/shm").iterdir()),
    }
