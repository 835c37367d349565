"""The admin under the site's own content policy, in a real browser."""

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from questionbank.accounts.models import User
from questionbank.catalog.models import Question
from questionbank.catalog.services import publish_files
from tests.catalog.banks import a_bank, a_question
from tests.conftest import SignIn


@pytest.mark.browser
def test_an_editor_adds_a_drawing_and_sees_the_mistake(
    live_server: LiveServer, browser_page: Page, sign_in: SignIn
) -> None:
    publish_files(a_bank([a_question()]))
    sign_in(browser_page, User.objects.create_superuser("chief@example.org"))
    row = Question.objects.get()
    browser_page.goto(f"{live_server.url}/admin/catalog/question/{row.pk}/change/")
    browser_page.get_by_text("Add another Diagram").click()
    browser_page.locator("#id_diagrams-0-name").fill("ring")
    browser_page.locator("#id_diagrams-0-svg").fill("<svg onload='x()'/>")
    browser_page.get_by_role("button", name="Save and publish").last.click()
    assert "Nothing was saved" in browser_page.inner_text("main")
    assert browser_page.locator("#id_diagrams-0-svg").input_value() == "<svg onload='x()'/>"
    browser_page.goto(f"{live_server.url}/preview/questions/{row.pk}/")
    assert browser_page.inner_text("h1") == "How long does ring-time take?"
