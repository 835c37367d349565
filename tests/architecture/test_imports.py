"""What a fresh interpreter has loaded once it has imported a package of ours."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"jax", "jaxlib", "libtpu"}
FRAMEWORKS = {"django", "celery", "redis", "structlog", "allauth", "simple_history"}

# Imports every module below the packages named, then says which top-level packages are loaded.
PROBE = """
import importlib, json, pathlib, sys
if {django!r}:
    import django
    django.setup()
for package in {packages!r}:
    root = pathlib.Path(package.replace(".", "/"))
    for path in sorted(root.rglob("*.py")):
        if "migrations" in path.parts or path.name == "__main__.py":
            continue
        if path.parts[:2] == ("questionbank", "settings"):
            continue
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        importlib.import_module(module)
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})))
"""


def loaded_by(*packages: str, django: bool = False) -> set[str]:
    """The top-level packages loaded after every module of `packages` was imported."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(packages=packages, django=django)],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "questionbank.settings.test"} if django else {},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_site_and_the_grader_load_no_jax() -> None:
    assert not loaded_by("questionbank", "grader", django=True) & HEAVY


def test_judging_loads_no_framework_and_no_jax() -> None:
    assert not loaded_by("grader.core") & (FRAMEWORKS | HEAVY)


def test_the_sandbox_and_the_protocol_load_the_standard_library_alone() -> None:
    # What site-packages' .pth files load in every interpreter is not of their doing.
    without_us = loaded_by()
    assert loaded_by("grader.sandbox") - without_us - sys.stdlib_module_names == {
        "grader",
        "tpu_runner",
    }
    alone = "import json, sys, tpu_runner.protocol; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", alone],
        cwd=ROOT,
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    names = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert names - without_us - sys.stdlib_module_names == {"tpu_runner"}


def test_reading_content_loads_no_framework() -> None:
    assert not loaded_by("questionbank.catalog.content") & (FRAMEWORKS | HEAVY)


def runner_modules() -> list[Path]:
    """The runner's modules."""
    return sorted((ROOT / "tpu_runner").rglob("*.py"))


@pytest.mark.parametrize("path", runner_modules(), ids=lambda path: path.stem)
def test_the_runner_imports_jax_numpy_and_the_standard_library_alone(path: Path) -> None:
    """Stands in for an environment with only jax and numpy, which takes a minute to make.

    `ml_dtypes` and `flatbuffers` come with jax and jax.export.
    """
    allowed = {"jax", "jaxlib", "numpy", "ml_dtypes", "flatbuffers", "tpu_runner"}
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            top = name.split(".")[0]
            assert top in allowed or top in sys.stdlib_module_names, f"{path.name} imports {name}"
