"""The servers and the browser that other tests stand on."""

import psycopg
import pytest
import redis
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from questionbank.accounts.models import User
from tests.conftest import SignIn


def test_valkey_listens_on_its_socket_alone(valkey_url: str) -> None:
    with redis.Redis.from_url(valkey_url, decode_responses=True) as client:
        options = client.config_get("*")
    assert options["port"] == "0"
    assert options["appendonly"] == "yes"
    assert options["maxmemory-policy"] == "noeviction"


@pytest.mark.postgres
def test_the_postgres_of_the_tests_answers(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT 6 * 7").fetchone()
    assert row == (42,)


@pytest.mark.browser
def test_the_admin_works_in_a_browser_under_the_content_policy(
    live_server: LiveServer, browser_page: Page, sign_in: SignIn
) -> None:
    editor = User.objects.create_superuser("editor@example.org", "correct horse battery")
    sign_in(browser_page, editor)
    for address in (
        "/admin/",
        "/admin/accounts/user/",
        f"/admin/accounts/user/{editor.pk}/change/",
    ):
        browser_page.goto(f"{live_server.url}{address}")
        browser_page.get_by_role("button", name="Log out").wait_for()
