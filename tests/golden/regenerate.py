"""Compile the golden programs again: `python -m tests.golden.regenerate [case …]`.

Writes the HLO text of each case and backend, traced once and exported as a submission is, and
prints the rows that have changed. `--accept` writes them too: read them against the HLO first, and
say in the file's `why` what theory demands.
"""

import argparse
import json
import sys

from tests.golden.cases import CASES, Case
from tests.golden.compiling import compile_source
from tests.golden.reading import read_rows


def regenerate(case: Case, *, accept: bool) -> int:
    """Write the HLO of one case; return how many backends' rows differ from those kept."""
    changed = 0
    for backend, report in compile_source(case.program_path.read_text(), case).items():
        case.hlo_path(backend).write_text(report.hlo_text)
        ids = tuple(device.id for device in report.devices)
        rows = read_rows(case, report.hlo_text, ids)
        path = case.rows_path(backend)
        before = json.loads(path.read_text()) if path.exists() else {"why": "", "rows": None}
        if before["rows"] == rows:
            continue
        changed += 1
        print(f"{case.name} on {backend}: the rows differ")
        print(*map(json.dumps, rows), sep="\n")
        if accept:
            kept = {"why": before["why"], "device_ids": list(ids), "rows": rows}
            path.write_text(json.dumps(kept, indent=1) + "\n")
    return changed


def main(arguments: list[str]) -> int:
    """Regenerate the named cases, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--accept", action="store_true")
    options = parser.parse_args(arguments)
    chosen = [case for case in CASES if not options.cases or case.name in options.cases]
    changed = sum(regenerate(case, accept=options.accept) for case in chosen)
    return 1 if changed and not options.accept else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
