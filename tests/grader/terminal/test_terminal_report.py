"""What a person reads: every fact of the rows is there, and nothing that was not checked."""

from io import StringIO

import pytest
from rich.console import Console

from grader.core.hlo.times import Times
from grader.core.inspection import Inspection, read_report
from grader.terminal import learner_error_report, report
from grader.terminal.words import axis_colours, bytes_text, flops_text, seconds_text, times_text
from tests.golden.cases import CASES, Case
from tests.golden.reports import VERSIONS, case_named, golden_report, mesh_of
from tpu_runner.protocol import BackendStatus, LearnerError, LearnerErrorKind, LearnerFrame


def inspection(name: str, backend: str, **changes: object) -> Inspection:
    case = case_named(name)
    return read_report(
        golden_report(case, backend, **changes), mesh=mesh_of(case), versions=VERSIONS
    )


def printed(*inspections: Inspection, name: str, width: int = 120) -> str:
    console = Console(file=StringIO(), width=width)
    source = case_named(name).program_path.read_text()
    report(console, inspections, file="program.py", source=source)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert isinstance(text, str)
    return text


def test_the_report_shows_rows_lines_layouts_memory_model_and_versions() -> None:
    name = "gather_behind_compute"
    text = printed(inspection(name, "cpu"), inspection(name, "tpu"), name=name)
    assert "cpu, 8 fake devices" in text
    assert "tpu-compile, v5e:2x4 (TPU v5 lite)" in text
    assert "2 MiB → 8 MiB" in text
    assert "feeds 13" in text
    assert "behind fusion.6" in text
    assert "UniDirection1DRingStrategy" in text
    assert "h = jax.nn.relu(x @ w1)" in text
    assert "◂ fed by all-gather data" in text
    assert "◂ all-reduce model" in text
    assert "8.59 GFLOP a device" in text
    assert "bfloat16[1024×512] P(data, None)" in text
    assert "│ 0 1 │" in text
    assert "a model, nothing was run" in text
    assert "jax 0.12.0.1, jaxlib 0.12.0.1, libtpu 0.0.50.1" in text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("width", [60, 120])
def test_every_golden_program_can_be_shown_at_any_width(case: Case, width: int) -> None:
    shown = [inspection(case.name, backend) for backend in case.backends]
    text = printed(*shown, name=case.name, width=width)
    assert max(map(len, text.splitlines())) <= width


def test_a_part_of_an_axis_is_said_to_be_so_with_its_groups() -> None:
    text = printed(inspection("part_of_an_axis", "tpu"), name="part_of_an_axis")
    assert "part of x" in text
    assert "{0 1} {2 3} {4 5}" in text


def test_counts_that_are_not_known_are_not_guessed() -> None:
    text = printed(inspection("unknown_times", "tpu"), name="unknown_times")
    assert "unknown" in text
    assert "0 or 1" in text


def test_traffic_between_slices_stands_out() -> None:
    assert " dcn " in printed(inspection("multi_slice", "tpu"), name="multi_slice")


def test_a_program_without_collectives_is_said_to_have_none() -> None:
    module = (
        "HloModule m, num_partitions=8\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
        "  ROOT %p = f32[8]{0} parameter(0)\n}\n"
    )
    assert "do not talk to each other" in printed(
        inspection("halo", "cpu", hlo_text=module), name="halo"
    )


def test_what_was_not_understood_is_shown() -> None:
    module = (
        "HloModule m, num_partitions=8\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
        "  %p = f32[8]{0} parameter(0)\n  ROOT %odd = f32[8]{0} all-swap(%p)\n}\n"
    )
    text = printed(inspection("halo", "cpu", hlo_text=module), name="halo")
    assert "not understood" in text
    assert "odd" in text


def test_without_a_tpu_compiler_every_figure_is_not_checked() -> None:
    text = printed(
        inspection("halo", "tpu", status=BackendStatus.NOT_CHECKED, hlo_text=""), name="halo"
    )
    assert "not checked on this host" in text
    assert "Collectives" not in text
    assert "peak" not in text


def test_temporaries_of_zero_on_a_tpu_are_not_called_none() -> None:
    line = next(
        line
        for line in printed(inspection("halo", "tpu"), name="halo").splitlines()
        if "temporaries" in line
    )
    assert "not known" in line


def test_memory_that_nobody_states_is_not_known() -> None:
    assert "not known" in printed(inspection("halo", "cpu", memory=None), name="halo")


def test_a_learners_mistake_is_shown_with_their_own_lines() -> None:
    console = Console(file=StringIO(), width=80)
    error = LearnerError(
        kind=LearnerErrorKind.BUILD_RAISED,
        message="build(mesh) raised KeyError: 'x'",
        exception="KeyError",
        frames=(LearnerFrame(line=4, function="build", text="n = mesh.shape['x']"),),
    )
    learner_error_report(console, error, file="program.py")
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "build(mesh) raised KeyError: 'x'" in text
    assert "program.py:4 in build" in text
    assert "n = mesh.shape['x']" in text


def test_axes_have_colours_of_their_own() -> None:
    colours = axis_colours(["data", "x", "y", "model"])
    assert len(set(colours.values())) == 4


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1 KiB"),
        (1536, "1.50 KiB"),
        (5 << 20, "5 MiB"),
        (3 << 40, "3.00 TiB"),
    ],
)
def test_bytes_are_written_in_binary_units(count: int, text: str) -> None:
    assert bytes_text(count) == text


def test_seconds_counts_and_operations_are_written_in_their_units() -> None:
    assert [seconds_text(one) for one in (None, 5e-6, 0.0123, 2.5)] == [
        "–",
        "5.0 µs",
        "12.3 ms",
        "2.50 s",
    ]
    counts = [Times(5, 5), Times(0, 1), Times(0, 6), Times(1, None), Times(0, None)]
    assert [times_text(one) for one in counts] == ["5", "0 or 1", "0 to 6", "at least 1", "unknown"]
    assert flops_text(Times(10**9, 10**9)) == "1 GFLOP"
    assert flops_text(Times(0, None)) == "0 FLOP to ?"
    assert flops_text(Times(10**16, 10**16)) == "10 PFLOP"
