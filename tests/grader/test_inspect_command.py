"""`manage.py inspect`, run as a person runs it."""

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from grader.core.inspection import read_report
from grader.inspecting import Inspected
from grader.management.commands.inspect import as_json, exit_status
from tests.golden.reports import VERSIONS, case_named, golden_report, mesh_of
from tpu_runner.protocol import BackendStatus

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests/golden/programs"

pytestmark = pytest.mark.compiler


def inspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "inspect", *arguments],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "questionbank.settings.test"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_both_backends_are_inspected_into_one_object() -> None:
    done = inspect(
        str(PROGRAMS / "megatron_mlp.py"),
        "--mesh",
        "data=4,model=2",
        "--topology",
        "v5e:2x4",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    cpu, tpu = json.loads(done.stdout)["backends"]
    assert (cpu["backend"], tpu["backend"]) == ("cpu", "tpu-compile")
    for found, width in ((cpu, 4), (tpu, 2)):  # XLA:CPU promotes bf16 to f32
        [row] = found["collectives"]
        assert (row["kind"], row["axes"], row["line"]) == ("all-reduce", ["model"], 13)
        assert row["operand_bytes"] == 256 * 512 * width
        assert found["outputs"][0]["sharding"] == [["data"], []]
        # 256 x 512 by 512 x 1024 and back, on each device
        assert found["flops_per_device"] == 2 * 2 * 256 * 512 * 1024


def test_explicit_axes_are_traced_as_such() -> None:
    out = StringIO()
    program = str(PROGRAMS / "halo.py")
    call_command(
        "inspect", program, "--mesh", "x=4", "--axis-types", "explicit", "--json", stdout=out
    )
    found = json.loads(out.getvalue())
    assert found["backend"] == "cpu"
    assert [row["steps"] for row in found["collectives"]] == [-1, 1]


def test_a_slice_that_does_not_exist_is_named_with_the_nearest() -> None:
    out = StringIO()
    program = str(PROGRAMS / "halo.py")
    with pytest.raises(SystemExit) as ended:
        call_command("inspect", program, "--mesh", "x=8", "--topology", "v5e:2x5", stdout=out)
    assert ended.value.code == 2
    shown = out.getvalue()
    assert "the nearest that exists is v5e:2x4" in shown
    assert "8 fake devices" in shown
    assert "collective-permute" in shown


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "empty"),
        (b"def build(mesh:\n", "SyntaxError"),
        (b"x = 1\n", "build(mesh)"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_file_that_is_no_program_fails_with_what_to_do(
    source: bytes, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(source)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("inspect", str(file), "--mesh", "x=2", "--json", stdout=out)
    assert ended.value.code == 1
    assert message in json.loads(out.getvalue())["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.py", "--mesh", "x=2"], "Cannot read missing.py"),
        (["manage.py", "--mesh", "x"], "data=4,model=2"),
        (["manage.py", "--mesh", "x=2,x=2"], "each once"),
        (["manage.py", "--mesh", "x=0"], "data=4,model=2"),
        (["manage.py", "--mesh", "x=2", "--backend", "gpu"], "no backend 'gpu'"),
        (["manage.py", "--mesh", "x=2", "--backend", "tpu-compile"], "--topology"),
        (["manage.py", "--mesh", "x=2", "--slices", "0"], "at least 1"),
    ],
)
def test_wrong_usage_is_status_two_and_says_what_to_write(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(CommandError, match=re.escape(message)) as raised:
        call_command("inspect", *arguments)
    assert raised.value.returncode == 2


def test_a_file_of_ten_megabytes_is_refused_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_bytes(b"#" * (10 << 20))
    with pytest.raises(CommandError, match="larger than 1 MiB") as raised:
        call_command("inspect", str(file), "--mesh", "x=2")
    assert raised.value.returncode == 2


def failed(*statuses: BackendStatus) -> Inspected:
    """An inspection whose backends ended so, without anything compiled."""
    case = case_named("halo")
    return Inspected(
        inspections=tuple(
            read_report(
                golden_report(case, "tpu", status=status, hlo_text=""),
                mesh=mesh_of(case),
                versions=VERSIONS,
            )
            for status in statuses
        )
    )


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (failed(BackendStatus.NOT_CHECKED), 3),
        (failed(BackendStatus.COMPILER_ERROR), 1),
        (failed(BackendStatus.UNKNOWN_TOPOLOGY), 2),
        (failed(BackendStatus.MESH_DOES_NOT_FIT), 2),
        (Inspected(refusal="The program calls something that is not allowed."), 1),
        (Inspected(failure="Tracing timed out."), 3),
    ],
)
def test_each_way_to_end_without_an_answer_has_its_status(found: Inspected, status: int) -> None:
    assert exit_status(found) == status
    assert as_json(found)
