"""When the largest part of a page is painted, by Chromium on a processor slowed four times.

    python -m bench.first_paint http://127.0.0.1:8000/ http://127.0.0.1:8000/questions/SLUG/

Each address is opened five times with nothing cached; the median counts. Needs a running site.
"""

import argparse
import shutil
import statistics

from playwright.sync_api import Browser, sync_playwright

ROUNDS = 5
SLOWED = 4

_WATCH = """
new PerformanceObserver((list) => { window.largest = list.getEntries().at(-1).startTime; })
  .observe({type: "largest-contentful-paint", buffered: true});
window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.moved += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
_SENT = """
performance.getEntries().filter(({transferSize}) => transferSize)
  .reduce((sum, {transferSize}) => sum + transferSize, 0)
"""


def opened(browser: Browser, address: str) -> tuple[float, float, int]:
    """Milliseconds to the largest paint, how much moved, and the bytes sent."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(_WATCH)
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.goto(address)
    page.wait_for_load_state("networkidle")
    found = page.evaluate(f"[window.largest, window.moved, {_SENT}]")
    context.close()
    return float(found[0]), float(found[1]), int(found[2])


def main() -> None:
    """Measure each address, and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("addresses", nargs="+")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    chosen = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chosen.chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for address in chosen.addresses:
            rounds = [opened(browser, address) for _ in range(ROUNDS)]
            paint = statistics.median(paint for paint, _, _ in rounds)
            moved = max(moved for _, moved, _ in rounds)
            sent = statistics.median(sent for _, _, sent in rounds)
            print(f"{address}: {paint:,.0f} ms to the largest paint, {moved} moved, {sent:,.0f} B")
        browser.close()


if __name__ == "__main__":
    main()
