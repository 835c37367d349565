"""Runs one program in a jail as whoever starts this file; job in and result out are JSON."""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.sandbox import seccomp
from grader.sandbox.errors import SandboxUnavailableError
from grader.sandbox.jail import Limits
from grader.sandbox.jailer import Jailer

_FILTERS = {"tracer": seccomp.tracer_filter, "compiler": seccomp.compiler_filter}


def main() -> None:
    """Read the job, run it, write what happened."""
    job = json.load(sys.stdin)
    try:
        jailer = Jailer()
    except SandboxUnavailableError as error:
        json.dump({"unavailable": str(error)}, sys.stdout)
        return
    started = time.monotonic()
    jailed = jailer.start(
        [sys.executable, "-I", "-B", "-S", "-c", job["program"]],
        readable=[],
        system_calls=_FILTERS[job["filter"]],
        limits=Limits(**job["limits"]),
        processors=1,
    )
    late = False
    try:
        output, errors = jailed.process.communicate(timeout=job["wall_seconds"])
    except subprocess.TimeoutExpired:
        late, output, errors = True, b"", b""
    counted = jailed.end()
    json.dump(
        {
            "late": late,
            "status": jailed.process.returncode,
            "output": output.decode("utf-8", "backslashreplace"),
            "errors": errors.decode("utf-8", "backslashreplace"),
            "counted": dataclasses.asdict(counted),
            "groups": jailer.flavour.value,
            "seconds": time.monotonic() - started,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
