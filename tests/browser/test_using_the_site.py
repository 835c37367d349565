"""The site as people use it: by keyboard, without scripts, in the theme they chose."""

import pytest
from playwright.sync_api import Browser, Page, expect

from questionbank.accounts.models import User
from questionbank.learning.models import Bookmark, Mark
from tests.browser.addresses import FOR_VISITORS, OWN, reading_pages
from tests.conftest import SignIn

pytestmark = pytest.mark.browser

QUESTION = "/questions/tpu-jax-vs-gpu-pytorch/"


@pytest.mark.slow
def test_no_page_breaks_the_content_policy(browser_page: Page, published: str) -> None:
    for address in [*reading_pages(), *FOR_VISITORS]:
        browser_page.goto(published + address)


def test_no_page_of_ones_own_breaks_the_content_policy(reader_page: Page, published: str) -> None:
    for address in ["/", QUESTION, *OWN]:
        reader_page.goto(published + address)


def test_a_reader_finds_and_opens_an_answer_by_keyboard_alone(
    browser_page: Page, published: str
) -> None:
    page = browser_page
    page.goto(published)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("systolic")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/**")
    result = page.locator(".rows a.title").first
    for _ in range(30):
        page.keyboard.press("Tab")
        if result.evaluate("node => node === document.activeElement"):
            break
    expect(result).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Systolic")


def test_every_stop_of_the_tab_key_is_seen(reader_page: Page, published: str) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    seen: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """() => {
              const node = document.activeElement;
              const {outlineStyle, outlineWidth} = getComputedStyle(node);
              const {width, height} = node.getBoundingClientRect();
              return {
                name: node.outerHTML.slice(0, 90),
                isBody: node === document.body,
                isSeen: outlineStyle !== "none" && parseFloat(outlineWidth) * width * height > 0,
              };
            }"""
        )
        if stop["isBody"]:
            break
        seen.append(stop["name"])
        assert stop["isSeen"], stop["name"]
    assert any("mark-solid" in name for name in seen)
    assert any("sheet-slider" in name for name in seen)


def test_marks_and_bookmarks_change_in_place_and_keep_the_focus(
    reader_page: Page, published: str
) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    page.evaluate("window.stayed = true")
    page.locator("#mark-solid").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#mark-solid")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#mark-solid")).to_be_focused()
    page.locator("#mark-solid").click()
    expect(page.locator("#mark-solid")).to_have_attribute("aria-pressed", "false")
    page.locator("#bookmark-button").click()
    expect(page.locator("#bookmark-button")).to_contain_text("Bookmarked")
    page.locator("#bookmark summary").click()
    page.locator("#note").fill("Ask about the torus.")
    page.locator("#note-button").click()
    expect(page.locator("#bookmark summary")).to_have_text("Your note")
    page.locator("#bookmark-button").click()
    expect(page.locator("#bookmark-button")).to_contain_text("Undo")
    page.locator("#bookmark-button").click()
    expect(page.locator("#bookmark-button")).to_contain_text("Bookmarked")
    assert page.evaluate("window.stayed"), "the page was loaded anew"
    assert Bookmark.objects.kept().get().note == "Ask about the torus."


def test_a_double_click_is_one_wish(reader_page: Page, published: str) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    page.locator("#bookmark-button").dblclick()
    expect(page.locator("#bookmark-button")).to_contain_text("Bookmarked")
    page.wait_for_load_state("networkidle")
    assert Bookmark.objects.kept().count() == 1


def test_a_note_outlives_its_session(reader_page: Page, published: str, sign_in: SignIn) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    page.locator("#bookmark-button").click()
    page.locator("#bookmark summary").click()
    page.locator("#note").fill("A long thought.")
    page.context.clear_cookies(name="sessionid")
    page.locator("#note-button").click()
    page.wait_for_url("**/account/login/**")
    sign_in(page, User.objects.get())
    page.goto(published + QUESTION)
    expect(page.locator("#note")).to_be_visible()
    expect(page.locator("#note")).to_have_value("A long thought.")
    page.locator("#note-button").click()
    expect(page.locator("#bookmark summary")).to_have_text("Your note")
    page.reload()
    expect(page.locator("#note")).to_be_hidden()
    assert Bookmark.objects.get().note == "A long thought."


def test_a_page_older_than_the_last_sign_in_asks_again_and_loses_no_note(
    reader_page: Page, published: str
) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    page.locator("#bookmark-button").click()
    page.locator("#bookmark summary").click()
    page.locator("#note").fill("A long thought.")
    page.evaluate(
        """for (const token of document.querySelectorAll("[name=csrfmiddlewaretoken]"))
             token.value = "x".repeat(64);"""
    )
    page.locator("#note-button").click()
    expect(page.locator(".messages")).to_contain_text("too old")
    expect(page.locator("#note")).to_have_value("A long thought.")
    page.locator("#note-button").click()
    expect(page.locator("#bookmark summary")).to_have_text("Your note")


def test_a_site_out_of_reach_is_said_where_one_pressed(reader_page: Page, published: str) -> None:
    page = reader_page
    page.goto(published + QUESTION)
    page.context.set_offline(True)
    page.locator("#mark-solid").click()
    expect(page.locator("#mark [role=status]")).to_contain_text("Not saved")
    expect(page.locator("#mark [role=status]")).to_be_visible()


def test_all_of_it_works_without_scripts(
    chromium: Browser, published: str, sign_in: SignIn
) -> None:
    user = User.objects.create_user("plain@example.org", "a long enough secret")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, user)
    page.goto(published + QUESTION)
    expect(page.locator(".sheet-value .live").first).to_be_visible()
    page.locator("#mark-shaky").click()
    expect(page.locator(".messages")).to_contain_text("Marked as shaky")
    page.locator("#bookmark-button").click()
    expect(page.locator(".messages")).to_contain_text("Bookmarked")
    page.goto(f"{published}/bookmarks/")
    page.get_by_role("button", name="Remove").click()
    page.locator(".messages").get_by_role("button", name="Undo").click()
    expect(page.locator(".rows .title")).to_have_count(1)
    assert Mark.objects.get().rating == "shaky"
    assert Bookmark.objects.kept().count() == 1
    context.close()


def test_a_theme_that_was_chosen_is_there_before_the_first_paint(
    browser_page: Page, published: str
) -> None:
    page = browser_page
    page.emulate_media(color_scheme="light")
    page.goto(published)
    page.get_by_role("button", name="Use the dark theme").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.add_init_script(
        """new PerformanceObserver((list) => {
             window.themeAtFirstPaint = document.documentElement.dataset.theme;
           }).observe({type: "paint", buffered: true});"""
    )
    page.goto(f"{published}/topics/")
    page.wait_for_function("window.themeAtFirstPaint")
    assert page.evaluate("window.themeAtFirstPaint") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.get_by_role("button", name="Use the light theme").click()
    assert page.evaluate("localStorage.getItem('theme')") is None, "back to the system's own"
