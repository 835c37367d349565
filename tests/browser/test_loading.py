"""A first visit is light, and nothing moves once it is painted."""

from urllib.parse import urlsplit

import brotli  # type: ignore[import-untyped]  # ships no types
import pytest
from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.browser

QUESTION = "/questions/tpu-jax-vs-gpu-pytorch/"
WITH_MATHS = "/questions/qlora-70b-on-80gb/"
MOST_BYTES = 120_000

WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map(({node}) => node?.outerHTML?.slice(0, 120));
    window.shifts.push([entry.value, ...moved]);
  }
}).observe({type: "layout-shift", buffered: true});
"""


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("address", ["/", QUESTION, WITH_MATHS, "/concepts/", "/topics/post/"])
def test_nothing_moves_once_it_is_painted(
    address: str, width: int, browser_page: Page, published: str
) -> None:
    browser_page.set_viewport_size({"width": width, "height": 900})
    browser_page.add_init_script(WATCH)
    browser_page.goto(published + address)
    browser_page.wait_for_load_state("networkidle")
    assert browser_page.evaluate("window.shifts") == []


@pytest.mark.parametrize("address", ["/", QUESTION])
def test_a_first_visit_is_light(address: str, chromium: Browser, published: str) -> None:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    loaded: list[Response] = []
    page.on("response", lambda answer: loaded.append(answer))  # noqa: PLW0108  # needs a function of its own
    page.goto(published + address)
    page.wait_for_load_state("networkidle")
    sizes = {urlsplit(answer.url).path: compressed(answer) for answer in loaded}
    context.close()
    assert sum(sizes.values()) < MOST_BYTES, sizes


def compressed(answer: Response) -> int:
    """Bytes as a server in production sends them: fonts as they are, the rest by brotli."""
    body = answer.body()
    is_font = answer.url.endswith(".woff2")
    return len(body) if is_font else len(brotli.compress(body, quality=5))
