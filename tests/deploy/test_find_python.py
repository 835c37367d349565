"""The shell script that finds an interpreter where nothing is set up yet."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy of the project's deploy folder, beside a PATH with no Python and no uv on it."""
    shutil.copytree(ROOT / "deploy", tmp_path / "project" / "deploy")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "cat", "sed"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    # It says that an ordinary user asks, so that nothing is installed.
    identity = tools / "id"
    identity.write_text("#!/bin/sh\necho 1000\n")
    identity.chmod(0o755)
    return tmp_path


def find(bare: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    script = bare / "project" / "deploy" / "local" / "find_python.sh"
    return subprocess.run(
        ["sh", script],
        env={"PATH": str(bare / "bin"), "HOME": str(bare), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def put_python(at: Path) -> Path:
    """An interpreter that fits, at this path."""
    at.parent.mkdir(parents=True)
    at.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    at.chmod(0o755)
    return at


def has_system_python() -> bool:
    """Whether an interpreter lies in the one place that no variable moves."""
    return any(os.access(f"/usr/local/bin/python3.{minor}", os.X_OK) for minor in (12, 13, 14))


def test_a_pyenv_version_that_is_not_the_active_one_is_found(bare: Path) -> None:
    put_python(bare / "elsewhere" / "versions" / "3.12.4" / "bin" / "python3")
    done = find(bare, PYENV_ROOT=str(bare / "elsewhere"))
    assert Path(done.stdout.strip()).samefile(sys.executable)


def test_a_version_that_uv_keeps_is_found(bare: Path) -> None:
    build = "cpython-3.13.1-linux-x86_64-gnu"
    put_python(bare / ".local" / "share" / "uv" / "python" / build / "bin" / "python3")
    assert Path(find(bare).stdout.strip()).samefile(sys.executable)


def test_an_interpreter_that_is_too_old_is_passed_over(bare: Path) -> None:
    old = bare / "bin" / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    put_python(bare / ".pyenv" / "versions" / "3.13.0" / "bin" / "python3")
    assert Path(find(bare).stdout.strip()).samefile(sys.executable)


def test_one_that_is_named_is_taken_or_refused_by_name(bare: Path) -> None:
    named = put_python(bare / "mine" / "python")
    assert Path(find(bare, PYTHON=str(named)).stdout.strip()).samefile(sys.executable)
    refused = find(bare, PYTHON="/nowhere/python")
    assert refused.returncode == 1
    assert "PYTHON=/nowhere/python is no Python 3.12 or newer" in refused.stderr


def test_where_there_is_none_each_way_to_get_one_is_said(bare: Path) -> None:
    assert not has_system_python(), "this machine always has one"
    done = find(bare)
    assert done.returncode == 1
    assert done.stdout == ""
    for way in ("apt-get install python3 python3-venv", "pipx install uv", "pyenv install 3.13"):
        assert way in done.stderr
