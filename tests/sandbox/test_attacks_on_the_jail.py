"""What hostile Python tries in a jail; the numbers are rows of the attack catalogue in the docs."""

import contextlib
import os
import platform
import sys
from pathlib import Path

import pytest

from grader.sandbox.system_calls import NUMBERS
from tests.sandbox.conftest import MIB, PROJECT_ROOT, RunInJail

CALL = "import ctypes; l = ctypes.CDLL(None, use_errno=True); "
EPERM, ENOSYS = 1, 38


def number(name: str) -> int:
    return NUMBERS[platform.machine()][name]


def test_1_a_fork_bomb_runs_out_of_tasks(in_jail: RunInJail) -> None:
    bomb = """
import os, time
n = 0
try:
    while n < 5000:
        if os.fork() == 0:
            time.sleep(60)
        n += 1
except OSError as error:
    print(n, error.errno)
"""
    outcome = in_jail(bomb, tasks=40)
    started, errno = map(int, outcome.output.split())
    assert started < 40
    assert errno == 11  # EAGAIN
    assert outcome.seconds < 10


def test_2_a_memory_bomb_ends_its_own_jail_only(in_jail: RunInJail) -> None:
    outcome = in_jail("kept = []\nwhile True: kept.append(bytearray(10**7))")
    assert outcome.out_of_memory_kills == 1
    assert not outcome.late


def test_3_memory_asked_for_and_never_touched_is_bounded(in_jail: RunInJail) -> None:
    program = "import mmap\ntry: mmap.mmap(-1, 1 << 43)\nexcept OSError as e: print(e.errno)"
    assert in_jail(program).output.strip() == "12"  # ENOMEM


@pytest.mark.parametrize(
    ("folder", "megabytes"), [("/tmp", 64), ("/dev/shm", 16)], ids=["4 tmp", "5 shared memory"]
)
def test_filling_the_disk_fills_a_small_memory_only(
    in_jail: RunInJail, folder: str, megabytes: int
) -> None:
    program = f"""
written = 0
try:
    for i in range(1000):
        with open(f"{folder}/{{i}}", "wb", buffering=0) as file:
            written += file.write(bytes(1 << 20))
except OSError as error:
    print(written, error.errno)
"""
    written, errno = map(int, in_jail(program).output.split())
    assert written <= megabytes * MIB
    assert errno == 28  # ENOSPC


def test_6_millions_of_empty_files_end_in_a_limit(in_jail: RunInJail) -> None:
    program = "n = 0\nwhile True:\n    open(f'/tmp/{n}', 'w').close()\n    n += 1"
    outcome = in_jail(program, cpu_seconds=2, wall_seconds=30)
    assert outcome.status != 0
    assert not outcome.late


def test_7_an_endless_loop_is_ended_by_its_processor_time(in_jail: RunInJail) -> None:
    outcome = in_jail("while True: pass", cpu_seconds=1)
    assert outcome.status != 0
    assert not outcome.late


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(1000)",
        "import os; os.read(os.pipe()[0], 1)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); import time; time.sleep(1000)",
    ],
    ids=["sleep", "blocked read", "stops itself"],
)
def test_8_what_only_waits_is_ended_from_outside(in_jail: RunInJail, program: str) -> None:
    outcome = in_jail(program, wall_seconds=1)
    assert outcome.late
    assert outcome.seconds < 5


def test_9_no_signal_handler_outlives_the_limit(in_jail: RunInJail) -> None:
    program = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
"""
    outcome = in_jail(program, cpu_seconds=1, wall_seconds=8)
    assert outcome.seconds < 12


def test_12_and_15_nothing_of_the_host_is_there(in_jail: RunInJail) -> None:
    paths = [
        "/etc/passwd",
        "/var",
        "/run",
        "/proc/1/root/etc",
        "/sys/fs",
        # The folder itself may be there: the environment in it is the jail's interpreter.
        str(PROJECT_ROOT / "manage.py"),
        str(PROJECT_ROOT / "questionbank"),
        str(PROJECT_ROOT / "content"),
    ]
    outcome = in_jail(f"import os; print([p for p in {paths} if os.path.exists(p)])")
    assert outcome.output.strip() == "[]"


def test_12_no_file_of_a_home_is_there_but_the_interpreter(in_jail: RunInJail) -> None:
    shown = (sys.prefix, sys.base_prefix, "/usr", "/proc", "/sys", "/dev", "/bin", "/lib")
    program = f"""
import os
inside = {shown}
print([p for top, _, files in os.walk("/") for f in files
       if not (p := os.path.join(top, f)).startswith(inside)])
"""
    assert in_jail(program, wall_seconds=60).output.strip() == "[]"


def test_13_and_14_the_environment_is_empty(in_jail: RunInJail) -> None:
    outcome = in_jail(
        "print(open('/proc/1/environ').read().replace(chr(0), ' '));"
        "import os; print(sorted(os.environ))"
    )
    assert "PATH" not in outcome.output
    assert "HOME" not in outcome.output
    assert "SECRET" not in outcome.output
    assert outcome.output.split()[0] == "PWD=/tmp"


def test_16_no_other_process_is_seen(in_jail: RunInJail) -> None:
    outcome = in_jail("import os; print([d for d in os.listdir('/proc') if d.isdigit()])")
    assert outcome.output.strip() == "['1']"


REACHING_OUT = {
    "ptrace": "16, 1, 0, 0",
    "process_vm_readv": "1, 0, 0, 0, 0, 0",
    "process_vm_writev": "1, 0, 0, 0, 0, 0",
    "io_uring_setup": "1, 0",
    "bpf": "0, 0, 0",
    "perf_event_open": "0, 0, 0, 0, 0",
    "userfaultfd": "0",
    "keyctl": "0, 0",
    "add_key": "0, 0, 0, 0, 0",
    "mount": "0, 0, 0, 0, 0",
    "umount2": "0, 0",
    "unshare": "0x10000000",
    "setns": "0, 0",
    "chroot": "0",
    "pivot_root": "0, 0",
    "clone": "0x10000011, 0, 0, 0, 0",
    "socket": "1, 1, 0",
}


@pytest.mark.parametrize("filter_name", ["tracer", "compiler"])
def test_18_to_26_calls_that_reach_out_are_refused(in_jail: RunInJail, filter_name: str) -> None:
    program = CALL + "".join(
        f"print({name!r}, l.syscall({number(name)}, {arguments}), ctypes.get_errno());"
        for name, arguments in REACHING_OUT.items()
    )
    said = in_jail(program, filter_name=filter_name).output.splitlines()
    assert said == [f"{name} -1 {EPERM}" for name in REACHING_OUT]


def test_24_a_call_that_no_table_knows_does_not_exist(in_jail: RunInJail) -> None:
    outcome = in_jail(f"{CALL}print(l.syscall(9999), ctypes.get_errno())")
    assert outcome.output.split() == ["-1", str(ENOSYS)]


def test_21_to_23_there_are_no_sockets(in_jail: RunInJail) -> None:
    families = ["AF_INET", "AF_INET6", "AF_UNIX", "AF_VSOCK", "AF_NETLINK", "AF_PACKET", "AF_ALG"]
    program = f"""
import socket
for family in {families}:
    try: socket.socket(getattr(socket, family), socket.SOCK_DGRAM)
    except PermissionError as error: print(family, error.errno)
"""
    said = in_jail(program).output.splitlines()
    assert said == [f"{family} {EPERM}" for family in families]


def test_25_nothing_that_others_read_can_be_written(in_jail: RunInJail) -> None:
    program = """
import os, sys
for where in (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), "/usr", "/", "/dev"):
    try:
        open(os.path.join(where, "planted.pth"), "w")
        print(where, "was written to")
    except OSError:
        pass
print("done")
"""
    assert in_jail(program).output.strip() == "done"


def test_27_no_daemon_outlives_the_jail(in_jail: RunInJail) -> None:
    mark = f"jail-daemon-{os.getpid()}"
    program = f"""
import ctypes, os, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(15, b"{mark[:15]}", 0, 0, 0)
            time.sleep(1000)
        os._exit(0)
time.sleep(0.3)
print("left")
"""
    assert "left" in in_jail(program).output
    assert mark[:15] not in running_process_names()


def test_28_killing_everything_kills_nothing_outside(in_jail: RunInJail) -> None:
    program = """
import os
for target in (-1, 1, 2, os.getppid()):
    try: os.kill(target, 9)
    except OSError: pass
print("alive")
"""
    outcome = in_jail(program)
    assert outcome.output.strip() in {"alive", ""}
    assert not outcome.late


def test_29_no_file_of_ours_is_inherited(in_jail: RunInJail) -> None:
    outcome = in_jail("import os; print(sorted(os.listdir('/proc/self/fd')))")
    # The fourth is the listing itself.
    assert outcome.output.strip() == "['0', '1', '2', '3']"


def test_41_a_program_written_to_memory_stays_in_the_jail(in_jail: RunInJail) -> None:
    program = """
import os
fd = os.memfd_create("x")
os.write(fd, open("/usr/bin/id", "rb").read())
try: os.execve(fd, ["id", "-u"], {})
except OSError as error: print(error.errno)
"""
    said = in_jail(program).output.strip()
    assert said != "0"


def test_the_jail_is_nobody_with_no_capabilities(in_jail: RunInJail) -> None:
    program = """
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status"))
print(os.getuid() != 0, {status[k].strip() for k in ("CapEff", "CapPrm", "CapBnd", "CapInh")},
      status["NoNewPrivs"].strip(), status["Seccomp"].strip())
try: os.setuid(0)
except OSError: print("stays")
"""
    first, second = in_jail(program).output.strip().splitlines()
    assert first == "True {'0000000000000000'} 1 2"
    assert second == "stays"


def running_process_names() -> set[str]:
    names = set()
    for file in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):  # it ended between the listing and now
            names.add(file.read_text().strip())
    return names
