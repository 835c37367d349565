"""What many tests need: real servers, started once a run, and a real browser."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Protocol

import pytest
import redis
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from deploy.local import postgres, valkey
from questionbank import broker, celery
from questionbank.accounts.models import User

PROJECT_ROOT = Path(__file__).parents[1]

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database",
        action="store_true",
        help="run only the tests that use the database: for a second run on another one",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--only-database"):
        return
    chosen = [item for item in items if _uses_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that does not run has failed: it would go unseen for ever."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped in CI: {report.longrepr}"
    return report


def _uses_database(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db", "live_server"}
    asked_for: list[str] = getattr(item, "fixturenames", [])
    return item.get_closest_marker("django_db") is not None or not fixtures.isdisjoint(asked_for)


@pytest.fixture(scope="session")
def short_folder() -> Iterator[Path]:
    """A temporary folder whose path leaves room for a socket's name (107 characters in all)."""
    with tempfile.TemporaryDirectory(prefix="qb-") as name:
        yield Path(name)


@pytest.fixture(scope="session")
def valkey_url(short_folder: Path) -> Iterator[str]:
    """The address of a real, empty Valkey that lasts as long as the run."""
    socket = short_folder / "valkey.sock"
    server = subprocess.Popen(
        valkey.server_command(socket=socket, data=short_folder),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    url = f"unix://{socket}"
    try:
        _wait_for_valkey(url)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for_valkey(url: str) -> None:
    until = time.monotonic() + 10
    with redis.Redis.from_url(url) as client:
        while True:
            try:
                client.ping()
            except redis.ConnectionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
            else:
                return


@pytest.fixture
def on_the_broker(settings: Settings, valkey_url: str) -> Iterator[str]:
    """The site of this test speaks to the real broker, which is left empty. Gives its address."""
    settings.REDIS_URL = valkey_url
    address = valkey_url.replace("unix://", "redis+socket://")
    celery.app.conf.update(broker_url=address, result_backend=address)
    yield valkey_url
    celery.app.close()
    broker.connect().flushdb()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The DATABASE_URL of a real, empty PostgreSQL, whichever database the run itself is on."""
    with postgres.running_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    path = next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if path is None:
        pytest.fail("no Chromium: apt-get install chromium")
    # Chromium has no sandbox as root. The small /dev/shm of a container would crash it.
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    # Playwright keeps an event loop in this thread, where Django would refuse to read a database.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def browser_page(chromium: Browser) -> Iterator[Page]:
    """A fresh page of its own; a script error or a breach of the content policy fails the test.

    Go to `live_server.url`. Light and dark: `page.emulate_media(color_scheme="dark")`; another
    width: `page.set_viewport_size(...)`; without JavaScript: make a context from `chromium`.
    """
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(10_000)
    faults: list[str] = []

    def note_console(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            faults.append(message.text)

    page.on("console", note_console)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert not faults, faults


class SignIn(Protocol):
    """Gives a page's context the session of a user, without the sign-in form."""

    def __call__(self, page: Page, user: User) -> None: ...


@pytest.fixture
def sign_in(live_server: LiveServer) -> SignIn:
    """`sign_in(browser_page, user)`: every later page of that context is that user's."""

    def give_session(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        page.context.add_cookies(
            [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
        )

    return give_session
