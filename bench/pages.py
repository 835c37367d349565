"""How fast the pages are, beside nginx serving the same HTML as a file, in one run.

    python -m bench.pages                    # 300 and 30,000 synthetic questions
    python -m bench.pages --questions 300 --seconds 5

Needs nginx and wrk (apt-get install nginx wrk), a built front end, and nothing else running. Each
page is asked for by the same number of connections, first of the site (one process of it), then of
nginx (one worker), and the ratio of the two is what counts: a machine twice as fast moves both.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

PROJECT = Path(__file__).parents[1]
PAGES = {
    "front": "/",
    "topic": "/topics/synthetic-topic-0/",
    "question": "/questions/synthetic-question-000001/",
    "search": "/search/?q=ring+chips",
}
CONNECTIONS = 8

_FILL = """
from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.catalog.search.index import refresh_concepts, refresh_questions, refresh_words
from questionbank.catalog.synthetic import store_synthetic_bank
store_synthetic_bank({questions})
ids = list(PublishedQuestion.objects.values_list("question_id", flat=True))
for start in range(0, len(ids), 500):
    refresh_questions(ids[start : start + 500])
refresh_concepts(list(PublishedConcept.objects.values_list("concept_id", flat=True)))
refresh_words()
"""

_NGINX = """
{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
  access_log off; default_type text/html; sendfile on;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/html; }}
}}
"""

# wrk prints its percentiles in one place only: a script's last word.
_LUA = """
done = function(summary, latency)
  io.write(string.format("rate=%f p95=%f failed=%d\\n",
    summary.requests / summary.duration * 1e6, latency:percentile(95) / 1000,
    summary.errors.status + summary.errors.timeout + summary.errors.connect))
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one page did under load: requests a second, and milliseconds at the 95th percentile."""

    rate: float
    p95: float


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], address: str, environment: dict[str, str]) -> Iterator[None]:
    """The server, from its first answer to the end of the block."""
    with subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _wait_for(address)
            yield
        finally:
            server.terminate()


def _wait_for(address: str) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            fetched(address)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def fetched(address: str) -> bytes:
    """The body at a local address."""
    with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310  # http on loopback
        body: bytes = answer.read()
        return body


def measured(address: str, seconds: int, script: Path) -> Measured:
    """Load the page with wrk. Raises RuntimeError when an answer was not a success."""
    fetched(address)
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), address]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    match = re.search(r"rate=([\d.]+) p95=([\d.]+) failed=(\d+)", said)
    if match is None or int(match[3]):
        raise RuntimeError(f"{address} failed under load:\n{said}")
    return Measured(rate=float(match[1]), p95=float(match[2]))


def compared(questions: int, seconds: int, folder: Path) -> dict[str, tuple[Measured, Measured]]:
    """Each page's figures, the site's and nginx's, on a bank of this size."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "bench.pages_settings",
        "QUESTIONBANK_VAR": str(folder),
        "SECRET_KEY": "only for this measurement",
    }
    for words in (
        ["migrate"],
        ["collectstatic", "--noinput"],
        ["shell", "-c", _FILL.format(questions=questions)],
    ):
        command = [sys.executable, "manage.py", *words, "--verbosity", "0"]
        subprocess.run(command, cwd=PROJECT, env=environment, check=True)
    script = folder / "figures.lua"
    script.write_text(_LUA)
    site, static = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    html = folder / "html"
    html.mkdir()
    (folder / "nginx.conf").write_text(_nginx_settings(folder, static))
    serve = [
        sys.executable, "-m", "uvicorn", "questionbank.asgi:application", "--lifespan", "off",
        "--no-access-log", "--log-level", "warning", "--port", site.rpartition(":")[2],
    ]  # fmt: skip
    nginx = ["nginx", "-c", str(folder / "nginx.conf")]
    figures: dict[str, tuple[Measured, Measured]] = {}
    with running(serve, f"{site}/robots.txt", environment):
        for name, path in PAGES.items():
            (html / f"{name}.html").write_bytes(fetched(site + path))
        with running(nginx, f"{static}/front.html", environment):
            for name, path in PAGES.items():
                figures[name] = (
                    measured(site + path, seconds, script),
                    measured(f"{static}/{name}.html", seconds, script),
                )
    return figures


def _nginx_settings(folder: Path, address: str) -> str:
    # Started by root, its worker would be another user, who may not look into our folder.
    user = "user root;" if os.geteuid() == 0 else ""
    return _NGINX.format(folder=folder, port=address.rpartition(":")[2], user=user)


def main() -> None:
    """Measure, and print one table a size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, nargs="+", default=[300, 30_000])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    chosen = parser.parse_args()
    for program in ("nginx", "wrk"):
        if shutil.which(program) is None:
            parser.error(f"no {program}: apt-get install {program}")
    console = Console()
    record: dict[str, dict[str, dict[str, float]]] = {}
    for questions in chosen.questions:
        table = Table(
            "page", "requests/s", "p95 ms", "nginx requests/s", "nginx p95 ms",
            "rate ÷ nginx", "p95 ÷ nginx",
            title=f"{questions:,} questions, {CONNECTIONS} connections",
        )  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            figures = compared(questions, chosen.seconds, Path(folder))
        for name, (site, nginx) in figures.items():
            row = {
                "rate": site.rate, "p95": site.p95,
                "nginx_rate": nginx.rate, "nginx_p95": nginx.p95,
                "rate_ratio": site.rate / nginx.rate, "p95_ratio": site.p95 / nginx.p95,
            }  # fmt: skip
            record.setdefault(str(questions), {})[name] = row
            table.add_row(name, *(f"{value:,.4g}" for value in row.values()))
        console.print(table)
    if chosen.json:
        chosen.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
