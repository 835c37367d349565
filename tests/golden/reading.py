"""Read a golden file into what is compared with its rows."""

from tests.golden.cases import Case

from grader.core.collectives import Mesh, find_collectives
from grader.core.hlo import parse_module

PROGRAM_FILE = "submission.py"


def read_rows(case: Case, text: str, device_ids: tuple[int, ...]) -> list[dict[str, object]]:
    """Return the rows of one compiled text, those that were not understood last."""
    findings = find_collectives(
        parse_module(text),
        mesh=Mesh(case.mesh, case.slices, device_ids if case.slices > 1 else None),
        learner_file=PROGRAM_FILE,
    )
    rows = [row.as_json() for row in findings.collectives]
    return rows + [unread.as_json() for unread in findings.not_understood]
