"""Each import contract is broken once on purpose, to see that it would fire."""

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")
PACKAGES = ("questionbank", "grader", "tpu_runner")

# contract -> (file of the offence, the import that it must not have)
OFFENCES = {
    "one-direction": ("questionbank/broker.py", "import grader.worker.tasks"),
    "site-starts-nothing": ("questionbank/pages/apps.py", "import grader.sandbox"),
    "judgement-is-pure": ("grader/core/__init__.py", "import random"),
    "sandbox-passes-bytes": ("grader/sandbox/__init__.py", "import numpy"),
    "runner-stands-alone": ("tpu_runner/protocol.py", "import questionbank.broker"),
    "protocol-is-all-that-leaves": ("grader/worker/tasks.py", "import tpu_runner.trace"),
    "protocol-is-plain": ("tpu_runner/protocol.py", "import numpy"),
    "only-the-runner-loads-jax": ("grader/worker/tasks.py", "import jax"),
    "apps-one-way": ("questionbank/accounts/models.py", "import questionbank.catalog.models"),
    "layers-within-an-app": (
        "questionbank/learning/models.py",
        "import questionbank.learning.services",
    ),
    "content-needs-no-django": ("questionbank/catalog/content/__init__.py", "import django"),
}


def contracts() -> set[str]:
    """The contracts' names in the file that import-linter reads."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    prefix = "importlinter:contract:"
    return {name.removeprefix(prefix) for name in parser.sections() if name.startswith(prefix)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages and their contracts, to do harm to."""
    place = tmp_path_factory.mktemp("tree")
    unwanted = shutil.ignore_patterns("__pycache__", "migrations", "templates")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, place / package, ignore=unwanted)
    shutil.copy(ROOT / ".importlinter", place)
    return place


def lint(place: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Hold the tree to these contracts, or to all."""
    return subprocess.run(
        [LINT_IMPORTS, *(f"--contract={contract}" for contract in contracts)],
        cwd=place,
        env={"PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_contract_has_its_offence() -> None:
    assert contracts() == OFFENCES.keys()


def test_the_tree_as_it_is_breaks_no_contract(copy: Path) -> None:
    kept = lint(copy)
    assert kept.returncode == 0, kept.stdout
    assert f"{len(OFFENCES)} kept, 0 broken" in kept.stdout


@pytest.mark.parametrize("contract", OFFENCES)
def test_a_contract_fires_when_it_is_broken(copy: Path, contract: str) -> None:
    name, offence = OFFENCES[contract]
    file = copy / name
    innocent = file.read_text()
    file.write_text(f"{innocent}\n{offence}\n")
    try:
        broken = lint(copy, contract)
    finally:
        file.write_text(innocent)
    assert broken.returncode == 1, broken.stdout
    assert "0 kept, 1 broken" in broken.stdout
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert module in broken.stdout
