"""Rows read from programs that the real compilers compiled, against rows checked by hand."""

import json

import pytest

from grader.core.collectives import Kind
from tests.golden.cases import CASES, SHOWN, Case
from tests.golden.reading import read_rows

COMPILED = [(case, backend) for case in CASES for backend in case.backends]


@pytest.mark.parametrize(
    ("case", "backend"), COMPILED, ids=lambda value: getattr(value, "name", value)
)
def test_each_compiled_program_gives_the_rows_that_were_checked_by_hand(
    case: Case, backend: str
) -> None:
    kept = json.loads(case.rows_path(backend).read_text())
    text = case.hlo_path(backend).read_text()
    assert read_rows(case, text, tuple(kept["device_ids"])) == kept["rows"]


@pytest.mark.parametrize(
    ("case", "backend"), COMPILED, ids=lambda value: getattr(value, "name", value)
)
def test_each_golden_file_says_what_theory_demands(case: Case, backend: str) -> None:
    assert len(json.loads(case.rows_path(backend).read_text())["why"]) > 20


def test_twelve_programs_are_there_to_be_shown_on_both_backends() -> None:
    assert len(SHOWN) == 12
    assert all(case.backends == ("cpu", "tpu") for case in SHOWN)


def test_no_golden_text_carries_a_path_of_the_machine_that_made_it() -> None:
    assert [
        case.name
        for case, backend in COMPILED
        if '"/' in case.hlo_path(backend).read_text().partition("FileLocations")[0]
    ] == []


@pytest.mark.parametrize(
    "spelling",
    [
        "replica_groups={{0,2},{1,3}}",
        "replica_groups=[4,2]<=[8]",
        "replica_groups=[2,4]<=[4,2]T(1,0)",
        "replica_groups=mesh['axis_0'=4,'axis_1'=2] {'axis_0'}",
        "replica_groups=mesh['x'=8] {'x':(4)2}",
        "AsyncCollectiveStart",
        "calls=%all-reduce-scatter",
        "bf16[4160,2048]",
        '_xla_megascale_transfer_type="ALL_REDUCE"',
        "body=%wide.windowed_dot_general_body_ag",
        "body=%wide.windowed_dot_general_body_rs",
        "known_trip_count",
        "conditional(",
        "/*index=5*/",
    ],
)
def test_each_spelling_stands_in_some_golden_file(spelling: str) -> None:
    texts = (case.hlo_path(backend).read_text() for case, backend in COMPILED)
    assert any(spelling in text for text in texts)


def test_every_kind_but_the_one_that_no_compiler_here_emits_has_a_golden_row() -> None:
    seen = {
        row["kind"]
        for case, backend in COMPILED
        for row in json.loads(case.rows_path(backend).read_text())["rows"]
    }
    assert set(Kind) - seen == {Kind.COLLECTIVE_BROADCAST}
