"""A new user's job in the workbench, from the example to a deck: the steps of the tutorial, and its pictures.

Run with ``python -m tests.workbench.tour FOLDER`` to take the pictures of ``docs/browser``.
"""

import csv
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

WIDTH, HEIGHT = 1100, 720

LABELS = 15
"""Number of texts that the new user labels."""

EXAMPLE = Path(__file__).parents[2] / "examples" / "product_reviews.csv"
"""The texts of the example with people's ratings, -4 to 4, which the new user gives again."""

_LONGEST = 300_000  # milliseconds, with the first load of a model on a busy machine
_FRAME = 2_200  # milliseconds

Step = Callable[[str], None]


def take_tour(page, downloads: Path, shown: Step) -> list[Path]:
    """Work through the example, and return the files that were downloaded.

    Args:
        page: a page of the example's project, at its start.
        downloads: folder for the files.
        shown: called with the name of each step, once the page shows it.
    """
    page.set_default_timeout(_LONGEST)
    page.locator(".jobs").first.wait_for()
    shown("start")
    page.get_by_role("link", name="Look at the data").click()
    page.locator("[data-question]").first.wait_for()
    shown("data")

    page.get_by_role("navigation").get_by_role("link", name="Rate").click()
    page.get_by_role("button", name="Rate", exact=True).wait_for()
    page.get_by_label("country").check()
    shown("rate")
    page.get_by_role("button", name="Rate", exact=True).click()
    page.locator(".exports").wait_for()
    shown("rated")
    files = [_download(page, "Excel", downloads)]

    page.get_by_role("navigation").get_by_role("link", name="Label").click()
    page.get_by_role("button", name="Draw texts").click()
    page.get_by_label("Name").fill("Ada")
    page.keyboard.press("Enter")
    page.locator("#tally progress").wait_for()
    keys = _keys_of_people()
    for _ in range(LABELS):
        text = page.locator(".shown blockquote").inner_text()
        page.keyboard.press(keys.get(text.strip(), "n"))
    page.locator(f".tally span:has-text('{LABELS} of ')").wait_for()
    _scroll_to(page, "#label-form")
    shown("label")

    page.get_by_role("navigation").get_by_role("link", name="Code").click()
    page.get_by_role("button", name="Suggest codes").click()
    page.get_by_role("button", name="Code the answers").wait_for()
    shown("codes")
    page.get_by_label("country").check()
    page.get_by_role("button", name="Code the answers").click()
    page.locator(".exports").wait_for()
    _scroll_to(page, "section:has(figure)")
    shown("coded")
    return [*files, _download(page, "slides", downloads)]


def _keys_of_people() -> dict[str, str]:
    """Return the key of the point that people gave to each text, by the text."""
    with EXAMPLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    means = {row["text"].strip(): fmean(json.loads(row["human_ratings"])) for row in rows}
    return {text: str(round(3 + mean / 2)) for text, mean in means.items()}


def _scroll_to(page, place: str) -> None:
    page.locator(place).first.evaluate("place => window.scrollTo(0, place.offsetTop - 70)")


def _download(page, name: str, folder: Path) -> Path:
    page.locator(".exports > summary").click()
    with page.expect_download() as started:
        page.get_by_role("button", name=name, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


def main() -> None:
    """Take the pictures of the tutorial, and join them to an animation."""
    import tempfile

    from PIL import Image
    from playwright.sync_api import sync_playwright
    from tests.workbench.conftest import CHROMIUM, Workbench

    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    frames: list[Image.Image] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.environ["XDG_STATE_HOME"] = folder  # projects that were opened before are on the first page
        workbench = Workbench(None, cwd=folder)
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")

            def take(step: str) -> None:
                frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
                frames[-1].save(out / f"{step}.webp", lossless=True)

            page.goto(workbench.address)
            take_tour(page, Path(folder), take)
            browser.close()
        finally:
            workbench.end()
    frames[0].save(
        out / "tour.webp", save_all=True, append_images=frames[1:], duration=_FRAME, loop=0, quality=80
    )


if __name__ == "__main__":
    main()
