"""The real worker process on a real broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import structlog
from pytest_django import Settings

from deploy.local import valkey
from questionbank import broker, celery
from questionbank.health import heartbeat

ROOT = Path(__file__).parents[3]


class RunningWorker:
    """A worker process of this test's own, with the file that takes its log."""

    def __init__(self, valkey_url: str, log: Path) -> None:
        self.log = log
        environment = {
            "PATH": os.environ["PATH"],
            "REDIS_URL": valkey_url,
            "DJANGO_SETTINGS_MODULE": "questionbank.settings.dev",
            "QUESTIONBANK_VAR": str(log.parent),
        }
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "grader.worker", "--name", "worker@test"],
                cwd=ROOT,
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def is_heard(self, *, within: float) -> bool:
        until = time.monotonic() + within
        while time.monotonic() < until:
            if heartbeat.workers_at_work(broker.connect()) == ["worker@test"]:
                return True
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        return False

    def wrote(self, words: str, *, within: float) -> bool:
        until = time.monotonic() + within
        while words not in self.log.read_text():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True


@pytest.fixture
def worker(on_the_broker: str, tmp_path: Path) -> Iterator[RunningWorker]:
    running = RunningWorker(on_the_broker, tmp_path / "worker.log")
    yield running
    running.process.kill()
    running.process.wait()


def test_a_worker_answers_the_site_by_name_and_logs_the_request_it_serves(
    worker: RunningWorker,
) -> None:
    assert worker.is_heard(within=60), worker.log.read_text()
    with structlog.contextvars.bound_contextvars(request_id="from-a-reader-1"):
        task = celery.hand_over("grader.ping", "hello", queue="site")
    assert celery.app.AsyncResult(task).get(timeout=10) == "hello"
    line = next(line for line in worker.log.read_text().splitlines() if "word=hello" in line)
    assert "request_id=from-a-reader-1" in line


def test_a_worker_takes_tasks_again_after_its_broker_was_killed(
    settings: Settings, short_folder: Path, tmp_path: Path
) -> None:
    socket = short_folder / "mortal.sock"
    data = tmp_path / "valkey"
    data.mkdir()
    url = f"unix://{socket}"
    settings.REDIS_URL = url
    address = url.replace("unix://", "redis+socket://")
    celery.app.conf.update(broker_url=address, result_backend=address)
    celery.app.close()

    def start_broker() -> subprocess.Popen[bytes]:
        command = valkey.server_command(socket=socket, data=data)
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    server = start_broker()
    running = RunningWorker(url, tmp_path / "worker.log")
    try:
        wait_until_it_answers(60)
        assert running.is_heard(within=60), running.log.read_text()
        server.kill()
        server.wait()
        server = start_broker()
        wait_until_it_answers(60)
        # A connection and the log, not the pool and the result: Celery keeps a process's first
        # addresses for ever, and this broker is not the one of the tests before.
        with celery.app.connection_for_write(address) as connection:
            celery.app.send_task(
                "grader.ping", ["still-there"], queue="site", connection=connection
            )
        assert running.wrote("word=still-there", within=60), running.log.read_text()
    finally:
        running.process.kill()
        running.process.wait()
        celery.app.close()
        server.terminate()
        server.wait()


def wait_until_it_answers(seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            broker.connect().ping()
        except redis.ConnectionError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


def test_a_worker_that_is_asked_to_stop_says_so_at_once(worker: RunningWorker) -> None:
    assert worker.is_heard(within=60), worker.log.read_text()
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(timeout=15) == 0, worker.log.read_text()
    assert heartbeat.workers_at_work(broker.connect()) == []
