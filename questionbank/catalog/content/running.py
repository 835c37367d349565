"""Runs the code that answers show: what its assertions say is proved by running it."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from questionbank.catalog.content.blocks import outline
from questionbank.catalog.content.documents import Bank, Concept, Question
from questionbank.catalog.content.errors import ContentError
from questionbank.catalog.content.writing import path_of

DEVICES = 8
LIMIT_SECONDS = 120
_LINE = re.compile(r'File "[^"]*program\.py", line ([0-9]+)')


def program_in(document: Question | Concept) -> str:
    """Give the `run` blocks of a text as one program, each line where it stands in the file.

    Empty where the text has no such block.
    """
    lines: list[str] = []
    for fence in outline(document.body).fences:
        if fence.words != ["python", "run"]:
            continue
        start = document.origin.body_line + fence.line
        lines += [""] * (start - 1 - len(lines))
        lines += fence.text.split("\n")
    return "\n".join(lines) + "\n" if lines else ""


def run_blocks(bank: Bank) -> list[ContentError]:
    """Run every program of a bank, each in a process of its own; report those that fail."""
    errors = (run_document(document) for document in bank.documents)
    return [error for error in errors if error is not None]


def run_document(document: Question | Concept) -> ContentError | None:
    """Run the `run` blocks of one text with JAX on fake devices of the CPU."""
    program = program_in(document)
    if not program:
        return None
    path = document.origin.path or path_of(document)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(program, encoding="utf-8")
        try:
            run = subprocess.run(  # noqa: S603 - our own interpreter on committed content
                [sys.executable, "-I", str(file)],
                env=_environment(folder),
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            line = len(program) - len(program.lstrip("\n")) + 1
            return ContentError(path, line, f"the code ran for over {LIMIT_SECONDS} s")
    if run.returncode == 0:
        return None
    last = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
    lines = _LINE.findall(run.stderr)
    return ContentError(path, int(lines[-1]) if lines else 1, f"the code fails: {last}")


def _environment(folder: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "HOME": folder,
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}",
    }
