"""Where no jail can be had `inspect` runs nothing, says why, and runs one's own file when asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tpu_runner.programs import CONTRACTED_OVER_MODEL

PROJECT_ROOT = Path(__file__).parents[3]
# A root that has no other users to hand work to: nobody can be made inside.
ALONE = ["unshare", "--user", "--map-root-user"]


def inspect(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [*ALONE, sys.executable, "manage.py", "inspect", str(program)]
    return subprocess.run(
        [*command, "--mesh", "data=4,model=2", *options],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(CONTRACTED_OVER_MODEL)
    return file


def test_nothing_runs_without_a_sandbox(program: Path) -> None:
    done = inspect(program)
    assert done.returncode == 3
    assert "nothing is run" in done.stderr
    assert "--no-sandbox" in done.stderr
    assert done.stdout == ""


@pytest.mark.compiler
def test_a_file_of_ones_own_runs_without_one_when_asked(program: Path) -> None:
    done = inspect(program, "--no-sandbox")
    assert done.returncode == 0, done.stderr
    assert "all-reduce" in done.stdout
