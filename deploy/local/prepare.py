"""Bring tables, static files and published content up to date: `python -m deploy.local.prepare`."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

from questionbank.settings import env

_STAMP = env.PROJECT_ROOT / ".cache" / "stamps" / "static"


def main() -> None:
    """Do what is needed, in one process: each start of Django costs a second."""
    env.VAR.mkdir(parents=True, exist_ok=True)
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    collect_static_files()
    call_command("publish_content")


def collect_static_files() -> None:
    """Copy, hash and compress what the browser loads, when anything of it changed."""
    key = hashlib.sha256("\n".join(_static_sources()).encode()).hexdigest()
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if manifest.exists() and _STAMP.exists() and _STAMP.read_text() == key:
        return
    print("== compressing static files", flush=True)
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    _STAMP.parent.mkdir(parents=True, exist_ok=True)
    _STAMP.write_text(key)


def _static_sources() -> Iterator[str]:
    # Installed packages change with the lock alone.
    yield hashlib.sha256((env.PROJECT_ROOT / "requirements.txt").read_bytes()).hexdigest()
    for folder in (env.PROJECT_ROOT / "frontend" / "dist", env.PROJECT_ROOT / "questionbank"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and ("static" in path.parts or "dist" in path.parts):
                yield f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}"


if __name__ == "__main__":
    main()
