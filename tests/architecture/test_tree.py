"""What holds of the files as a whole."""

import ast
import re
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 400  # lines


def tracked_files(*patterns: str) -> list[Path]:
    """The files under version control that match, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in files if path.is_file()]


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say() -> None:
    said = StringIO()
    call_command("makemigrations", "--check", "--dry-run", stdout=said)
    assert "No changes detected" in said.getvalue()


def test_the_environment_is_read_in_one_module() -> None:
    readers = set()
    # The sandbox and the runner stand below the settings: they look for programs on PATH.
    above = (
        "questionbank/*.py",
        "grader/core/*.py",
        "grader/worker/*.py",
        "grader/management/*.py",
    )
    for path in tracked_files(*above):
        tree = ast.parse(path.read_text())
        for statement in ast.walk(tree):
            if isinstance(statement, ast.Expr) and names_default_settings(statement):
                statement.value = ast.Constant(None)
        if any(reads_environment(node) for node in ast.walk(tree)):
            readers.add(str(path.relative_to(ROOT)))
    assert readers == {"questionbank/settings/env.py"}


def reads_environment(node: ast.AST) -> bool:
    """Whether this is os.environ, os.getenv, or an import of the like."""
    if isinstance(node, ast.ImportFrom) and node.module == "os":
        return any(alias.name in {"environ", "getenv"} for alias in node.names)
    if isinstance(node, ast.ImportFrom | ast.Import):
        return any(alias.name == "environ" for alias in node.names)
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return node.value.id == "os" and node.attr in {"environ", "getenv"}


def names_default_settings(node: ast.AST) -> bool:
    """Whether this is the line `os.environ.setdefault("DJANGO_SETTINGS_MODULE", ...)`."""
    text = ast.unparse(node)
    return text.startswith("os.environ.setdefault('DJANGO_SETTINGS_MODULE', ")


def test_no_file_of_code_is_too_long_to_read() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked_files("*.py", "*.js", "*.css", "*.sh")
        if "migrations" not in path.parts  # Django writes them, and nobody reads them through
        and (lines := len(path.read_text().splitlines())) > LONGEST_FILE
    }
    assert not long


WORDS_OF_WORK_NOT_DONE = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
WORDS_OF_ONE_MACHINE = re.compile(
    r"(?<![\w.-])/(?:ro" r"ot|work)/|file" r"s\.pythonhosted|pyp" r"i\.org|registry\.np" r"mjs"
)


def text_files() -> list[Path]:
    """Every file under version control that is text."""
    pictures = {".png", ".jpg", ".ico", ".woff2", ".gz", ".pb", ".bin"}
    return [path for path in tracked_files() if path.suffix not in pictures]


@pytest.mark.parametrize(
    "words", [WORDS_OF_WORK_NOT_DONE, WORDS_OF_ONE_MACHINE], ids=["unfinished", "one machine"]
)
def test_no_file_speaks_of_unfinished_work_or_of_one_machine(words: re.Pattern[str]) -> None:
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in text_files()
        if (match := words.search(path.read_text(errors="replace")))
    }
    assert not found


PATH_IN_PROSE = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+/?|[\w-]+\.(?:py|md|sh|toml|txt|lock))`")


@pytest.mark.parametrize("document", ["README.md", "docs/architecture.md", "docs/operations.md"])
def test_the_main_documents_exist(document: str) -> None:
    assert (ROOT / document).is_file()


def test_every_path_named_in_the_documents_exists() -> None:
    missing = {
        f"{document.relative_to(ROOT)}: {name}"
        for document in tracked_files("README.md", "docs/*.md", "deploy/*.md")
        for name in PATH_IN_PROSE.findall(document.read_text())
        if not name.startswith(MADE_HERE) and not any(ROOT.glob(name.rstrip("/")))
    }
    assert not missing


# Made by running the project, so not in a fresh clone.
MADE_HERE = ("var/", ".venv/", "frontend/dist", "staticfiles/", ".cache/")
