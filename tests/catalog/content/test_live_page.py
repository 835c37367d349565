"""A sheet on a page, in a real browser: a reader changes an input and every number follows."""

import pytest
from playwright.sync_api import Page, expect

from questionbank.catalog.content.documents import Concept, Level
from questionbank.catalog.content.rendering import render_concept
from tests.catalog.content.conftest import PROJECT

BODY = """
## Weights

A chip holds {{ shard }} of {{ weights }}.

```sheet
title: Weights of a model
inputs:
  params: {value: 70e9, unit: param, label: Parameters, min: 1e9, max: 1e12}
  chips: {value: 256, label: Chips, min: 8, max: 8960}
  width: {value: 2, unit: byte/param, label: Bytes a weight}
results:
  weights: {formula: params * width, show: GB, label: All weights}
  shard: {formula: weights / chips, show: MB, label: Held by one chip}
```
"""

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser_page: Page) -> Page:
    concept = Concept(
        slug="c", title="T", summary="S", topic="dist", level=Level.CORE, updated="2026-12",
        breath="B", body=BODY,
    )  # fmt: skip
    html = render_concept(concept, []).html
    browser_page.set_content(f"<!doctype html><html lang=en><article>{html}</article>")
    script = (PROJECT / "frontend/src/sheet.js").read_text(encoding="utf-8")
    browser_page.add_script_tag(content=script, type="module")
    return browser_page


def _live(page: Page, name: str) -> list[str]:
    texts = page.locator(f'.live[data-name="{name}"]').all_text_contents()
    return [text.replace("\u00a0", " ") for text in texts]


def test_what_cannot_be_changed_has_no_control(page: Page) -> None:
    expect(page.locator(".sheet-slider")).to_have_count(2)
    expect(page.locator('[data-input="width"] input')).to_have_count(0)


def test_a_typed_value_reaches_sheet_and_sentence(page: Page) -> None:
    # 140 GB over 512 chips is 273.4 MB.
    page.get_by_label("Chips, typed").fill("512")
    assert _live(page, "shard") == ["273.4 MB", "273.4 MB"]
    assert _live(page, "weights") == ["140 GB", "140 GB"]
    changed = page.locator('p .live[data-name="shard"]')
    expect(changed).to_have_class("live is-changed")


def test_a_slider_is_moved_by_the_keyboard_and_says_its_value(page: Page) -> None:
    slider = page.get_by_label("Chips", exact=True)
    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "8,960")
    # 140 GB over 8,960 chips is 15.625 MB; halves go up.
    assert _live(page, "shard")[0] == "15.63 MB"


def test_reset_brings_back_what_was_published(page: Page) -> None:
    reset = page.get_by_role("button", name="Reset")
    expect(reset).to_be_disabled()
    page.get_by_label("Parameters, typed").fill("8 billion")
    assert _live(page, "weights")[0] == "16 GB"
    reset.click()
    assert _live(page, "weights") == ["140 GB", "140 GB"]
    expect(page.get_by_label("Parameters, typed")).to_have_value("70\u00a0billion")
    expect(page.locator(".is-changed")).to_have_count(0)


@pytest.mark.parametrize("text", ["many", "", "3", "1e9"])
def test_a_value_that_is_none_or_out_of_range_changes_nothing(page: Page, text: str) -> None:
    field = page.get_by_label("Chips, typed")
    field.fill(text)
    expect(field).to_have_attribute("aria-invalid", "true")
    assert _live(page, "shard")[0] == "546.9 MB"
    field.blur()
    expect(field).to_have_value("256")


def test_what_would_fit_is_said_until_a_value_fits(page: Page) -> None:
    field, problem = page.get_by_label("Parameters, typed"), page.get_by_role("alert")
    field.fill("12")
    expect(problem).to_have_text(
        "Parameters: a number from 1 billion parameters to 1 trillion parameters"
    )
    field.blur()
    expect(problem).to_contain_text("a number from")
    field.fill("13 billion")
    expect(problem).to_have_text("")


def test_the_results_are_told_once_the_reader_pauses(page: Page) -> None:
    page.get_by_label("Chips, typed").fill("512")
    expect(page.get_by_role("status")).to_have_text(
        "All weights: 140 GB; Held by one chip: 273.4 MB"
    )


def test_no_style_is_written_into_the_page(page: Page) -> None:
    page.get_by_label("Chips, typed").fill("512")
    expect(page.locator("[style]")).to_have_count(0)
