"""Put everything in place that the site needs: `python -m deploy.local.bootstrap [--dev]`.

Standard library alone, since nothing is installed yet. Each step leaves a stamp, named by what it
was made from, when it is whole: a run that broke off goes on where it stopped, and the next one
does nothing.
"""

from __future__ import annotations  # so that an older Python reads this file too

import argparse
import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.local import node

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FRONTEND = ROOT / "frontend"
STAMPS = ROOT / ".cache" / "stamps"


class StepFailedError(Exception):
    """A step did not end well; the message says what to do next."""


def main() -> None:
    """Run the steps in order; a second run at the same time waits for the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="with what the tests and checks need")
    parser.add_argument("--without-tpu", action="store_true", help="without the TPU compiler")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    STAMPS.mkdir(parents=True, exist_ok=True)
    try:
        with alone():
            make_environment()
            install("requirements.txt", "the site's packages")
            if chosen.without_tpu:
                say("without the TPU compiler (TPU=0)")
            elif tpu_compiler_exists():
                install("requirements-tpu.txt", "the TPU compiler, about 640 MB")
            else:
                say("no TPU compiler exists for this platform: going on without it")
            if chosen.dev:
                install("requirements-dev.txt", "what the tests and checks need")
            install_bubblewrap()
            build_frontend()
    except StepFailedError as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Hold the lock that lets one bootstrap work in this folder at a time."""
    with (STAMPS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is setting this folder up: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_environment() -> None:
    """Make .venv with this interpreter, unless a working one is there."""
    works = [str(PYTHON), "-c", "import sys, pip; sys.exit(sys.version_info < (3, 12))"]
    if PYTHON.exists() and not subprocess.run(works, check=False, capture_output=True).returncode:
        return
    say(f"making .venv with Python {platform.python_version()}")
    shutil.rmtree(VENV, ignore_errors=True)
    run([sys.executable, "-m", "venv", str(VENV)], "Python could not make .venv")


def install(requirements: str, what: str) -> None:
    """Install a locked list, each file checked against its hash."""
    made_from = [(ROOT / requirements).read_bytes(), (VENV / "pyvenv.cfg").read_bytes()]
    with step(f"install {what}", VENV / f".{requirements}.stamp", made_from) as needed:
        if not needed:
            return
        # What was fetched whole stays in pip's cache: a run that broke off does not fetch it again.
        command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]
        command += ["--require-hashes", "--no-deps", "--retries", "5", "-r", requirements]
        run(command, f"pip could not install {requirements}; the same command goes on from here")


def tpu_compiler_exists() -> bool:
    """Whether libtpu is built for this platform."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def install_bubblewrap() -> None:
    """Install the sandbox's program where that can be done; else say what will be missing."""
    if shutil.which("bwrap") or not sys.platform.startswith("linux"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing bubblewrap, which holds what learners hand in")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-y", "-qq", "bubblewrap"]):
            subprocess.run(["apt-get", *command], check=False, env=quiet)
        if shutil.which("bwrap"):
            return
    say(
        "bubblewrap is missing: the site works, but nothing that learners hand in can be run.\n"
        "  as root: apt-get install bubblewrap"
    )


def build_frontend() -> None:
    """Install the pinned npm packages and build frontend/dist."""
    tools = node.find(VENV)
    if tools is None:
        raise StepFailedError(
            "no Node 20.11 or newer, and its wheel does not fit this platform: install Node"
        )
    environment = {**os.environ, "PATH": os.pathsep.join([*tools.path, os.environ["PATH"]])}
    lock = (FRONTEND / "package-lock.json").read_bytes()
    packages = [lock, tools.version.encode()]
    with step("install the front end's packages", STAMPS / "npm", packages) as needed:
        if needed or not (FRONTEND / "node_modules").is_dir():
            command = [*tools.npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
            run(command, "npm ci failed", cwd=FRONTEND, env=environment)
    sources = [*packages, *frontend_sources()]
    with step("build the front end", STAMPS / "frontend", sources) as needed:
        if needed or not (FRONTEND / "dist").is_dir():
            command = [*tools.npm, "run", "build", "--silent"]
            run(command, "the front end did not build", cwd=FRONTEND, env=environment)


def frontend_sources() -> Iterator[bytes]:
    """Every file that the build reads, with its name, in a fixed order."""
    made = {"dist", "node_modules"}
    for path in sorted(FRONTEND.rglob("*")):
        inside = path.relative_to(FRONTEND)
        if inside.parts[0] not in made and path.is_file():
            yield str(inside).encode()
            yield path.read_bytes()


@contextlib.contextmanager
def step(what: str, stamp: Path, made_from: Iterator[bytes] | list[bytes]) -> Iterator[bool]:
    """Give whether the step is needed; stamp it when it ends well."""
    key = hashlib.sha256(b"\0".join(made_from)).hexdigest()
    if stamp.exists() and stamp.read_text() == key:
        yield False
        return
    say(what)
    began = time.monotonic()
    yield True
    stamp.write_text(key)
    say(f"{what}: done in {time.monotonic() - began:.0f} s")


def run(
    command: list[str],
    otherwise: str,
    *,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
) -> None:
    """Run a command in sight of the user. Raises StepFailedError when it fails."""
    if subprocess.run(command, cwd=cwd, env=env, check=False).returncode:
        raise StepFailedError(otherwise)


def say(text: str) -> None:
    print(f"== {text}", flush=True)


if __name__ == "__main__":
    main()
