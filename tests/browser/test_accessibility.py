"""axe-core on every page, in both themes, on a phone and on a desk."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from questionbank.accounts.models import User
from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.learning.models import Bookmark, Mark
from tests.browser.addresses import FOR_VISITORS, OWN, reading_pages
from tests.browser.conftest import AXE
from tests.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.slow]

VIEWS: list[tuple[Literal["light", "dark"], int]] = [
    ("light", 360),
    ("dark", 1440),
    ("dark", 360),
    ("light", 1440),
]
# Of pages that differ in their text alone, those beyond the first few are seen in two views.
SEEN_IN_ALL_VIEWS = 14
# Rules that axe leaves out unless asked for.
RUN = """
axe.run(document, {rules: {"target-size": {enabled: true}}}).then(({violations}) => violations.map(
  ({id, nodes}) => `${id}: ${nodes.map(({html}) => html).slice(0, 3).join(" | ")}`
))
"""


def faults_of(page: Page, base: str, addresses: list[str]) -> list[str]:
    """What axe finds, and what is wider than the window."""
    faults: list[str] = []
    for place, address in enumerate(addresses):
        page.goto(base + address)
        page.add_script_tag(path=AXE)
        for theme, width in VIEWS if place < SEEN_IN_ALL_VIEWS else VIEWS[:2]:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            found = page.evaluate(RUN)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append("wider than the window")
            faults += [f"{address} {theme} {width}: {fault}" for fault in found]
    return faults


@pytest.fixture
def open_page(chromium: Browser) -> Page:
    """A page into which axe may be put, whatever the content policy says."""
    context = chromium.new_context(bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(20_000)
    return page


def test_axe_finds_nothing_on_a_visitors_pages(open_page: Page, published: str) -> None:
    # One of each kind of lock.
    some = PublishedQuestion.objects.order_by("question__slug")
    PublishedQuestion.objects.filter(pk=some[0].pk).update(tier="premium")
    PublishedQuestion.objects.filter(pk=some[1].pk).update(tier="signed-in")
    PublishedConcept.objects.filter(concept__slug="zero-fsdp").update(tier="signed-in")
    pages = [*FOR_VISITORS, *reading_pages()]
    assert faults_of(open_page, published, pages) == []
    open_page.context.close()


def test_axe_finds_nothing_on_a_members_pages(
    open_page: Page, published: str, sign_in: SignIn
) -> None:
    user = User.objects.create_user("reader@example.org", "a long enough secret")
    ids = list(PublishedQuestion.objects.values_list("question_id", flat=True))
    for question_id, rating in zip(ids, ["solid", "shaky", "read"], strict=False):
        Mark.objects.create(learner=user, question_id=question_id, rating=rating)
        Bookmark.objects.create(learner=user, question_id=question_id, note="A note.")
    sign_in(open_page, user)
    questions = [address for address in reading_pages() if address.startswith("/questions/")]
    pages = ["/", "/topics/", "/topics/post/", "/tracks/training-infra/", *questions, *OWN]
    assert faults_of(open_page, published, pages) == []
    open_page.context.close()
