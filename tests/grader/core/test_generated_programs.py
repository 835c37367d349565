"""Programs drawn at random, compiled by both compilers: the rows are those that theory demands."""

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from grader.core.collectives import Mesh, find_collectives
from grader.core.hlo import parse_module
from tests.golden.cases import Case
from tests.golden.compiling import compile_source
from tests.golden.generated import LARGE, Generated, Key, generated_programs
from tests.golden.reading import read_rows
from tests.golden.reports import case_named

pytestmark = [pytest.mark.compiler, pytest.mark.slow]

SLICES = {
    2: "v5p:2x2x1",
    4: "v5e:2x2",
    8: "v5e:2x4",
    16: "v5e:4x4",
    32: "v5e:4x8",
    64: "v5p:4x4x4",
}


def rows_of(text: str, program: Generated) -> Counter[Key]:
    """Return the logical collectives and their counts.

    The TPU compiler may all-reduce a small array and keep a slice of it where a reduce-scatter was
    asked for. The row then says so, and stands for the scatter.
    """
    found = find_collectives(
        parse_module(text), mesh=Mesh(program.mesh), learner_file="submission.py"
    )
    assert found.not_understood == ()
    counted: Counter[Key] = Counter()
    for row in found.collectives:
        assert row.times.exact is not None
        kind, result, sent = row.kind.value, row.result_bytes, row.sent_bytes_per_device
        if "only a slice of the result is kept" in row.notes:
            kind, result, sent = "reduce-scatter", result // row.group_size, sent // 2
        key = (kind, row.axes, row.group_size, row.operand_bytes, result, sent)
        counted[key] += row.times.exact
    return counted


once = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@settings(once, max_examples=8)
@given(generated_programs())
def test_rows_of_generated_programs_are_those_that_theory_demands(program: Generated) -> None:
    compare_with_theory(program)


@settings(once, max_examples=6)
@given(generated_programs(LARGE))
def test_rows_on_16_to_64_devices_are_those_that_theory_demands(program: Generated) -> None:
    compare_with_theory(program)


def compare_with_theory(program: Generated) -> None:
    devices = 1
    for size in program.mesh.values():
        devices *= size
    case = Case(
        name="generated",
        program="",
        mesh=program.mesh,
        topology=SLICES[devices],
        axis_types=program.axis_types,
        backends=("cpu", "tpu") if devices > 2 else ("cpu",),
    )
    reports = compile_source(program.source, case)
    promoted = program.dtype == "bfloat16"
    assert rows_of(reports["cpu"].hlo_text, program) == program.expected(promotes_bf16=promoted)
    if "tpu" in reports:
        assert rows_of(reports["tpu"].hlo_text, program) == program.expected(promotes_bf16=False)


@pytest.mark.parametrize("name", ["gather_behind_compute", "multi_slice_axis"])
def test_compiling_a_golden_program_again_gives_the_rows_that_are_kept(name: str) -> None:
    case = case_named(name)
    for backend, report in compile_source(case.program_path.read_text(), case).items():
        ids = tuple(device.id for device in report.devices)
        kept = json.loads(case.rows_path(backend).read_text())
        assert read_rows(case, report.hlo_text, ids) == kept["rows"]
