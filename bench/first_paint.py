"""Time from ``semscale open`` to its address, to the first paint in Chromium, and to the page of the data.

Run with ``python bench/first_paint.py``. It needs Playwright and a Chromium on the path.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from measuring import Options, machine, spread

DEMO = Path(__file__).parent.parent / "src" / "semscale" / "workbench" / "demo"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAINTS = """
new PerformanceObserver(list => list.getEntries().forEach(entry => console.log(
  `${entry.name} ${document.title}|${performance.timeOrigin + entry.startTime}`
))).observe({type: "paint", buffered: true})
"""


def measure(browser, folder):
    """Open the workbench once.

    Returns:
        Seconds to the address, to the first paint of a page with content, and to the questions of the file.
    """
    context = browser.new_context()
    context.add_init_script(PAINTS)
    page, paints = context.new_page(), []
    page.on("console", lambda line: paints.append(line.text))
    start = time.time()
    command = [sys.executable, "-m", "semscale", "open", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = next(filter(None, (re.search(r"http://\S+", line) for line in process.stderr)))[0]
        addressed = time.time()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("text=How the file is", state="attached")
        shown = time.time()
    finally:
        process.terminate()
        process.communicate()
        context.close()
    # The page that only passes the token on is titled Semscale alone.
    times = [float(line.rpartition("|")[2]) / 1000 for line in paints if "· Semscale workbench" in line]
    return addressed - start, min(times) - start, shown - start


def main():
    parser = Options(__doc__)
    parser.add_size("--turns", 9, quick=1, help="a further one comes first and does not count")
    turns = parser.parse_args().turns
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("skipped: no Playwright or no Chromium: pip install --group browser, and install a Chromium")
        return
    print(f"{date.today()}, {machine()}; seconds from the start of the command")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary) / "demo"
        shutil.copytree(DEMO, folder)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        runs = [measure(browser, folder) for _ in range(turns + 1)][1:]
        browser.close()
    names = ("address printed:", "first paint:    ", "questions shown:")
    for name, times in zip(names, zip(*runs, strict=True), strict=True):
        print(name, spread(list(times)))
    print("to reach: first paint 1.0")


if __name__ == "__main__":
    main()
