"""Every check that reads the files: `python -m deploy.local.checks [--write]`.

With --write, what can mend its own findings does so instead.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

from deploy.local import node

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
TEMPLATES = "questionbank/templates"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A tool's command to look, and its command to mend where it has one."""

    name: str
    look: list[str]
    mend: list[str] | None = None
    folder: Path = ROOT


def checks() -> list[Check]:
    """All checks, the quickest first. Raises LookupError when there is no Node."""
    tools = node.find(Path(sys.prefix))
    if tools is None:
        raise LookupError("no Node 20.11 or newer: run make doctor")
    os.environ["PATH"] = os.pathsep.join([*tools.path, os.environ["PATH"]])
    return [
        Check(name="ruff", look=["ruff", "check"], mend=["ruff", "check", "--fix"]),
        Check(name="ruff format", look=["ruff", "format", "--check"], mend=["ruff", "format"]),
        Check(name="import contracts", look=["lint-imports", "--no-logo"]),
        Check(name="templates", look=["djlint", TEMPLATES, "--lint", "--quiet"]),
        Check(
            name="front end format",
            look=[*tools.npm, "run", "check", "--silent"],
            mend=[*tools.npm, "run", "format", "--silent"],
            folder=ROOT / "frontend",
        ),
        Check(name="types", look=["mypy", "."]),
    ]


def main() -> int:
    """Run all, then name those that found something; 1 when one did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="mend what can be mended")
    writing = parser.parse_args().write
    failed = []
    for check in checks():
        command = check.mend if writing else check.look
        if command is None:
            continue
        began = time.monotonic()
        code = subprocess.run(_in_environment(command), cwd=check.folder, check=False).returncode
        took = time.monotonic() - began
        print(f"== {check.name}: {'FAILED' if code else 'ok'} ({took:.1f} s)", flush=True)
        if code:
            failed.append(check.name)
    if failed:
        print(f"== failed: {', '.join(failed)}")
    return 1 if failed else 0


def _in_environment(command: list[str]) -> list[str]:
    tool = BIN / command[0]
    return [str(tool), *command[1:]] if tool.exists() else command


if __name__ == "__main__":
    sys.exit(main())
