from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from questionbank.accounts.models import User
from tests.conftest import SignIn

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def published(transactional_db: None, live_server: LiveServer) -> str:
    """The site's address, with the committed content published on it."""
    cache.clear()
    call_command("publish_content", verbosity=0)
    return live_server.url


@pytest.fixture
def reader_page(browser_page: Page, sign_in: SignIn, published: str) -> Page:
    """A signed-in member's page."""
    user = User.objects.create_user("reader@example.org", "a long enough secret")
    sign_in(browser_page, user)
    return browser_page
