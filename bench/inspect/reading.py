"""Times reading compiled texts against compiling them, and parsing 50 MB of text.

Run from the project's root: `python bench/inspect/reading.py`. The targets are at most 5 % of the
compile time, and 10 seconds of processor time.
"""

import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from grader.core.hlo import parse_module  # noqa: E402 - the root has to be known first
from grader.core.inspection import read_report  # noqa: E402 - as above
from tests.golden.cases import CASES, Case  # noqa: E402 - as above
from tests.golden.compiling import compile_source  # noqa: E402 - as above
from tests.golden.reports import VERSIONS, mesh_of  # noqa: E402 - as above

PROGRAMS = ("megatron_mlp", "fsdp", "ring_attention", "gather_behind_compute", "collective_matmul")
SHARE_LIMIT = 0.05
LARGE_BYTES = 50_000_000
LARGE_SECONDS = 10.0


def shares_of(case: Case) -> dict[str, float]:
    """Return, for each backend, the time to read its text as a share of its compile time."""
    shares = {}
    for backend, report in compile_source(case.program_path.read_text(), case).items():
        compiling = sum(phase.seconds for phase in report.phases if phase.name == "compile")
        started = time.perf_counter()
        read_report(report, mesh=mesh_of(case), versions=VERSIONS).as_json()
        shares[backend] = (time.perf_counter() - started) / compiling
    return shares


def large_text() -> str:
    """Return one module of 50 MB: a real one's computations, many times over."""
    text = next(case for case in CASES if case.name == "fsdp").hlo_path("cpu").read_text()
    head, computations = text[: text.index("\n%")], text[text.index("\n%") :]
    parts = [head, computations]
    for number in range(1, LARGE_BYTES // len(computations) + 1):
        renamed = re.sub(r"%([\w.-]+)", rf"%\1_{number}", computations)
        parts.append(renamed.replace("ENTRY ", ""))
    return "".join(parts)


def main() -> int:
    """Measure, print and compare; 1 where a target is missed."""
    shares = []
    for case in (case for case in CASES if case.name in PROGRAMS):
        for backend, share in shares_of(case).items():
            shares.append(share)
            print(f"{case.name:24} {backend:4} {share:6.2%} of compiling")
    middle = statistics.median(shares)
    print(f"median {middle:.2%}, largest {max(shares):.2%}; limit {SHARE_LIMIT:.0%}")
    text = large_text()
    started = time.process_time()
    parse_module(text)
    seconds = time.process_time() - started
    print(f"parsing {len(text) / 1e6:.0f} MB: {seconds:.1f} s; limit {LARGE_SECONDS:.0f} s")
    return 1 if max(shares) > SHARE_LIMIT or seconds > LARGE_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
