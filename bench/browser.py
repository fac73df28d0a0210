"""What a person waits for in the workbench, in Chromium: bars, labels, and tables of 100,000 rows.

Run with ``python bench/browser.py``. It needs Playwright and a Chromium on the path. Times are milliseconds
from the event in the page to the next frame that shows what came of it.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from statistics import median

import polars as pl

from measuring import Options, machine
from rated_texts import REVIEWS

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SURVEY = """survey: 1
file: answers.csv
questions:
- {name: person, kind: identifier}
- {name: why, kind: open}
"""
WATCH = """([event, place]) => {
  window.waits = [];
  let since = null;
  window.addEventListener(event, () => { since ??= performance.now(); }, true);
  const holds = (part) => part.matches?.(place) || part.querySelector?.(place);
  const shows = ({target, addedNodes}) => target.closest(place) || [...addedNodes].some(holds);
  new MutationObserver((changes) => {
    if (since === null || !changes.some(shows)) return;
    const began = since;
    since = null;
    requestAnimationFrame(() => waits.push(performance.now() - began));
  }).observe(document.body, {childList: true, subtree: true});
}"""


@contextmanager
def chromium() -> Iterator:
    """Start a Chromium; without one, or without Playwright, the benchmark says so and ends."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("skipped: no Playwright or no Chromium: pip install --group browser, and install a Chromium")
        raise SystemExit
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(folder: Path) -> Iterator[str]:
    """Run ``semscale open`` on a folder, and yield the address that it prints."""
    command = [sys.executable, "-m", "semscale", "open", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield next(filter(None, (re.search(r"http://\S+", line) for line in process.stderr)))[0]
    finally:
        process.terminate()
        process.communicate()


def project(folder: Path, n: int, distinct: int) -> Path:
    """Write a survey of n answers, of which some are distinct reviews."""
    texts = pl.read_csv(REVIEWS)["text"].unique(maintain_order=True)
    answers = [f"{texts[row % len(texts)]} {row // len(texts) or ''}".strip() for row in range(distinct)]
    folder.mkdir()
    columns = {"person": range(1, n + 1), "why": [answers[row % distinct] for row in range(n)]}
    pl.DataFrame(columns).write_csv(folder / "answers.csv")
    (folder / "survey.yaml").write_text(SURVEY, encoding="utf-8")
    return folder


def show(name: str, times: list[float], goal: int) -> None:
    """Print times in milliseconds."""
    print(
        f"{name:46} median {median(times):5.0f}, from {min(times):.0f} to {max(times):.0f} ({len(times)}); "
        f"to reach: {goal}",
        flush=True,
    )


def watch(page, event: str, place: str) -> None:
    """Begin to measure the time from an event to a change of a place of the page."""
    page.evaluate(WATCH, [event, place])


def waits(page, n: int) -> list[float]:
    """Return the times of n events, when all are over."""
    while len(times := page.evaluate("waits")) < n:
        page.wait_for_timeout(20)
    return times


def keys_in_an_anchor(page, root: str, keys: int) -> None:
    """Type into one sentence of a scale with 14 sets; the bars of the sample follow each key."""
    page.goto(f"{root}/rate")
    page.locator("summary", has_text="Anchors").click()
    page.get_by_role("link", name="Change these sentences").click()
    page.locator(".effect-bars").wait_for()
    page.locator("#lint .verdict").wait_for()
    page.locator("#anchor-0-4").focus()
    watch(page, "input", "#chart")
    for number in range(keys):
        page.keyboard.press("abcdefgh"[number % 8])
        waits(page, number + 1)
        page.wait_for_timeout(700)  # the check of the sentences follows
    show("key in an anchor to the bars, 14 sets", page.evaluate("waits"), 150)


def label_keys(page, root: str, keys: int) -> None:
    """Label texts by one key each: one after the other, and then as fast as the machine types."""
    page.goto(f"{root}/label")
    page.get_by_role("button", name="Draw texts").first.click()
    page.fill("#rater", "Ada")
    page.keyboard.press("Enter")
    page.locator("#tally progress").wait_for()
    watch(page, "keydown", ".shown")
    for number in range(keys):
        page.keyboard.press("12345"[number % 5])
        waits(page, number + 1)
        page.wait_for_timeout(300)
    show("label key to the next text", page.evaluate("waits"), 80)
    start = time.perf_counter()
    for number in range(keys):
        page.keyboard.press("12345"[number % 5])
    typed = time.perf_counter() - start
    page.locator(f".tally span:has-text('{2 * keys} of ')").wait_for()
    stored = time.perf_counter() - start
    print(f"{keys} label keys typed in {typed:.2f} s, all {keys} stored after {stored:.2f} s: none lost")


def rate(page, root: str) -> None:
    """Begin to rate the answers with the settings that the page proposes."""
    page.goto(f"{root}/rate")
    page.locator("#rate-form").get_by_role("button", name="Rate", exact=True).click()
    page.locator("progress, .hero").first.wait_for()


def pages_meanwhile(page, root: str, turns: int) -> None:
    """Load pages while all answers are being rated."""
    rate(page, root)
    times = []
    for _ in range(turns):
        for path in ("/data", "/rate", "/label", "/code", "/tables"):
            start = time.perf_counter()
            page.request.get(root + path)
            times.append(1000 * (time.perf_counter() - start))
    show("pages while all answers are rated", times, 500)


def rows_and_search(page, root: str, words: list[str]) -> None:
    """Rate all answers, load their page, and search in them."""
    rate(page, root)
    page.locator("#words").wait_for(timeout=600_000)
    times = []
    for _ in words:
        start = time.perf_counter()
        page.request.get(f"{root}/rate/texts")
        times.append(1000 * (time.perf_counter() - start))
    show("first rated texts", times, 200)
    watch(page, "input", "#found")
    for number, word in enumerate(words):
        page.fill("#words", word)
        waits(page, number + 1)
    show("words to the texts with them, of which 150 wait", page.evaluate("waits"), 300)


def main() -> None:
    """Print the times."""
    parser = Options(__doc__)
    parser.add_size("--rows", 100_000, quick=400)
    parser.add_size("--keys", 50, quick=3)
    parser.add_size("--turns", 5, quick=1)
    options = parser.parse_args()
    words = ["battery", "good", "player", "remote", "the", "phone", "camera", "price", "sound", "zzz"]
    with chromium() as browser, tempfile.TemporaryDirectory() as temporary:
        print(f"{date.today()}, {machine()}; milliseconds")
        page = browser.new_page()
        page.set_default_timeout(60_000)
        half = project(Path(temporary) / "repeated", options.rows, distinct=min(500, options.rows))
        with opened(half) as address:
            page.goto(address)
            page.locator("[data-question]").first.wait_for()
            root = address.partition("/?")[0]
            keys_in_an_anchor(page, root, options.keys)
            rows_and_search(page, root, words[: 2 * options.turns])
            label_keys(page, root, options.keys)
        with opened(project(Path(temporary) / "distinct", options.rows, distinct=options.rows)) as address:
            page.goto(address)
            page.locator("[data-question]").first.wait_for()
            pages_meanwhile(page, address.partition("/?")[0], options.turns)


if __name__ == "__main__":
    main()
