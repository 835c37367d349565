"""Run the whole site in this terminal until Ctrl-C: `python -m deploy.local.serve --port 8000`.

Valkey, then tables and content, then the worker, then the web server, each once the one before
answers. A program that crashes is started again, unless it keeps crashing: then all is stopped.
"""

import argparse
import contextlib
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import redis

from deploy.local import valkey
from deploy.local.children import Child
from questionbank.health import heartbeat
from questionbank.settings import env

START_SECONDS = 120.0
CRASHES_ALLOWED = 3
CRASH_WINDOW_SECONDS = 60.0
# The worker finishes what it has begun; a web server's open streams are cut after three seconds.
PATIENCE_SECONDS = {"web": 8.0, "worker": 25.0, "valkey": 10.0}


class StartFailedError(Exception):
    """The site cannot run; the message says why and what to do."""


class StopRequestedError(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM."""


class Site:
    """The running programs, in the order in which they were started."""

    def __init__(self, host: str, port: int) -> None:
        # One that listens everywhere is reached here.
        reached_at = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104  # only compared
        self.address = f"http://{reached_at}:{port}"
        self._host, self._port = host, port
        self._running: dict[str, Child] = {}
        self._crashes: dict[str, list[float]] = {}
        self._redis_url = os.environ.get("REDIS_URL") or f"unix://{env.valkey_socket()}"
        self._environment = {
            "REDIS_URL": self._redis_url,
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": os.environ.get(
                "DJANGO_SETTINGS_MODULE", "questionbank.settings.dev"
            ),
        }

    def start(self) -> None:
        """Start everything in order. Raises StartFailedError."""
        (env.VAR / "log").mkdir(parents=True, exist_ok=True)
        for log in (env.VAR / "log").glob("*.log"):
            log.replace(log.with_suffix(".previous"))
        if not os.environ.get("REDIS_URL"):
            self._begin("valkey")
        self._wait("valkey", self._broker_answers)
        self._prepare()
        self._begin("worker")
        self._begin("web")  # the slowest two start side by side
        self._wait("worker", self._worker_beats)
        self._wait("web", self._site_is_ready)

    def watch(self) -> None:
        """Start again what crashes. Raises StartFailedError when it keeps crashing."""
        while True:
            time.sleep(0.3)
            for name, child in list(self._running.items()):
                if not child.has_ended:
                    continue
                say(child.how_it_ended())
                now = time.monotonic()
                recent = [
                    at for at in self._crashes.get(name, []) if now - at < CRASH_WINDOW_SECONDS
                ]
                self._crashes[name] = [*recent, now]
                if len(recent) >= CRASHES_ALLOWED:
                    raise StartFailedError(f"{name} keeps crashing: stopping everything")
                say(f"starting {name} again")
                self._begin(name)

    def stop(self) -> None:
        """Stop everything, last started first."""
        for name, child in reversed(self._running.items()):
            if not child.stop(patience_seconds=PATIENCE_SECONDS[name]):
                say(f"{name} did not end when asked, and was killed")
        folder = env.valkey_socket().parent
        if folder != env.VAR:
            shutil.rmtree(folder, ignore_errors=True)

    def _begin(self, name: str) -> None:
        self._running[name] = Child(
            name,
            self._command(name),
            environment=self._environment,
            log=env.VAR / "log" / f"{name}.log",
            shown=name != "valkey",
        )

    def _command(self, name: str) -> list[str]:
        if name == "valkey":
            data = env.VAR / "valkey"
            data.mkdir(parents=True, exist_ok=True)
            return valkey.server_command(socket=_private(env.valkey_socket()), data=data)
        if name == "worker":
            # On one's own machine, being root is no news.
            calm = ["-W", "ignore:You're running the worker with superuser"]
            return [sys.executable, *calm, "-m", "grader.worker"]
        command = [sys.executable, "-m", "uvicorn", "questionbank.asgi:application"]
        command += ["--host", self._host, "--port", str(self._port)]
        command += ["--log-config", str(env.PROJECT_ROOT / "deploy" / "uvicorn-log.json")]
        command += ["--no-access-log", "--no-server-header", "--lifespan", "off"]
        # Whoever is on this machine could otherwise choose an address and a scheme by headers.
        command.append("--no-proxy-headers")
        # Without it, a page that listens for progress would hold the server for ever.
        return [*command, "--timeout-graceful-shutdown", "3"]

    def _prepare(self) -> None:
        command = [sys.executable, "-m", "deploy.local.prepare"]
        environment = {**os.environ, **self._environment}
        if subprocess.run(command, env=environment, check=False, start_new_session=True).returncode:
            raise StartFailedError("the tables or the content could not be brought up to date")

    def _wait(self, name: str, answers: Callable[[], bool]) -> None:
        until = time.monotonic() + START_SECONDS
        while not answers():
            for child in self._running.values():
                if child.has_ended:
                    raise StartFailedError(child.how_it_ended())
            if time.monotonic() > until:
                log = env.VAR / "log" / f"{name}.log"
                raise StartFailedError(
                    f"{name} does not answer after {START_SECONDS:g} s; see {log}"
                )
            time.sleep(0.05)

    def _broker_answers(self) -> bool:
        with contextlib.suppress(redis.RedisError), self._redis() as client:
            return bool(client.ping())
        return False

    def _worker_beats(self) -> bool:
        with contextlib.suppress(redis.RedisError), self._redis() as client:
            return bool(heartbeat.workers_at_work(client))
        return False

    def _site_is_ready(self) -> bool:
        try:
            probe = f"{self.address}/readyz"
            with urllib.request.urlopen(probe, timeout=5) as answer:  # noqa: S310  # our own http address
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(self._redis_url, decode_responses=True, socket_timeout=2)


def _private(socket_path: Path) -> Path:
    """The same path, in a folder that is ours alone: in a shared one, somebody may wait for it."""
    folder = socket_path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise StartFailedError(f"{folder} belongs to somebody else: remove it, or set REDIS_URL")
    return socket_path


def check_port(host: str, port: int) -> None:
    """Raises StartFailedError when something else listens there."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartFailedError(
                f"cannot listen on {host}:{port} ({error.strerror}). "
                f"Another port: make run PORT={port + 1}"
            ) from None


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Hold this folder's data for one site. Raises StartFailedError when another has it."""
    env.VAR.mkdir(parents=True, exist_ok=True)
    with (env.VAR / "serve.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StartFailedError(
                f"a site already runs on the data in {env.VAR}: stop that one first"
            ) from None
        yield


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def _request_stop(number: int, _: FrameType | None) -> None:
    # A second one is not waited for: whoever presses twice means it.
    signal.signal(number, signal.SIG_DFL)
    raise StopRequestedError


def main() -> int:
    """Run until asked to stop; 1 when the site could not start or kept crashing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    chosen = parser.parse_args()
    began = time.monotonic()
    site = Site(chosen.host, chosen.port)
    signal.signal(signal.SIGINT, _request_stop)
    signal.signal(signal.SIGTERM, _request_stop)
    try:
        with alone():
            check_port(chosen.host, chosen.port)
            try:
                site.start()
                say(f"ready after {time.monotonic() - began:.1f} s: {site.address}")
                say(f"mail is written to {env.VAR / 'mail'}, logs to {env.VAR / 'log'}")
                say("Ctrl-C stops everything")
                site.watch()
            finally:
                site.stop()
    except StopRequestedError:
        say("stopped")
    except StartFailedError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
