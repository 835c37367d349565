"""The whole site under its supervisor: started, hurt, and stopped."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class RunningSite:
    """`make run` without the setting up, on data of this test's own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.var = folder / "var"
        self.said = folder / f"said-{port}.txt"
        with self.said.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "deploy.local.serve", "--port", str(port)],
                cwd=ROOT,
                env={"PATH": os.environ["PATH"], "QUESTIONBANK_VAR": str(self.var)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def wait_for(self, words: str, *, within: float = 90) -> None:
        until = time.monotonic() + within
        while words not in self.said.read_text():
            assert time.monotonic() < until, self.said.read_text()
            assert self.process.poll() is None, self.said.read_text()
            time.sleep(0.1)

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz") as answer:
                return bool(json.load(answer)["status"] == "ready")
        except (OSError, urllib.error.URLError):
            return False

    def robots_as_if_by_a_proxy(self) -> str:
        """What /robots.txt answers to one who claims to have come by TLS: it names addresses."""
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/robots.txt", headers={"X-Forwarded-Proto": "https"}
        )
        with urllib.request.urlopen(asked) as answer:  # noqa: S310  # our own server
            return str(answer.read(), "ascii")

    def children(self) -> dict[str, int]:
        """The pid of each program by a word of its command line."""
        found = {}
        kept = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        for pid in Path(kept).read_text().split():
            command = Path(f"/proc/{pid}/cmdline").read_text()
            for name, word in (("valkey", "valkey-server"), ("worker", "grader.worker"),
                               ("web", "uvicorn")):  # fmt: skip
                if word in command:
                    found[name] = int(pid)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    # So deep that a socket in it would have too long a path.
    folder = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 5)
    folder.mkdir(parents=True)
    running = RunningSite(folder, free_port())
    yield running
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.process.terminate()
        running.process.wait(timeout=40)
    running.process.kill()
    running.process.wait()


def socket_folder(var: Path) -> Path:
    """Where the socket of data that lie so deep is put instead."""
    said = "from questionbank.settings import env; print(env.valkey_socket().parent)"
    done = subprocess.run(
        [sys.executable, "-c", said],
        cwd=ROOT,
        env={"QUESTIONBANK_VAR": str(var)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be counted does not."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_the_site_starts_mends_what_crashes_and_stops_without_leaving_anything(
    site: RunningSite,
) -> None:
    site.wait_for("ready after")
    assert site.is_ready()
    assert f"http://127.0.0.1:{site.port}" in site.said.read_text()
    assert f"Sitemap: http://127.0.0.1:{site.port}/" in site.robots_as_if_by_a_proxy()
    assert (site.var / "secret_key").stat().st_mode & 0o777 == 0o600

    second = RunningSite(site.var.parent, free_port())
    assert second.process.wait(timeout=30) == 1
    assert "a site already runs on the data" in second.said.read_text()

    for name in ("worker", "valkey"):
        before = site.children()
        os.kill(before[name], signal.SIGKILL)
        until = time.monotonic() + 60
        while site.children().get(name) in (None, before[name]) or not site.is_ready():
            assert time.monotonic() < until, f"{name} did not come back"
            time.sleep(0.2)

    assert socket_folder(site.var).exists()
    left = site.children()
    assert left.keys() == {"valkey", "worker", "web"}
    site.process.send_signal(signal.SIGTERM)
    assert site.process.wait(timeout=40) == 0
    assert not [name for name, pid in left.items() if is_alive(pid)]
    assert not socket_folder(site.var).exists()


def test_a_supervisor_that_is_killed_leaves_no_program_behind(site: RunningSite) -> None:
    site.wait_for("ready after")
    left = site.children()
    assert left.keys() == {"valkey", "worker", "web"}
    site.process.kill()
    until = time.monotonic() + 40
    while any(is_alive(pid) for pid in left.values()):
        assert time.monotonic() < until, {name: is_alive(pid) for name, pid in left.items()}
        time.sleep(0.1)


def test_a_port_that_is_taken_is_said_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        site = RunningSite(tmp_path, port)
        assert site.process.wait(timeout=30) == 1
    said = site.said.read_text()
    assert f"cannot listen on 127.0.0.1:{port} (Address already in use)" in said
    assert f"make run PORT={port + 1}" in said
    assert not (site.var / "valkey").exists()
