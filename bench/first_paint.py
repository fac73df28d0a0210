"""Time from ``semscale open`` to its address, to the first paint in Chromium, and to the page of the data.

Run with ``python bench/first_paint.py``. It needs Playwright and a Chromium on the path.
"""

import shutil
import tempfile
import time
from datetime import date
from pathlib import Path

from browser import chromium, opened
from measuring import Options, machine, spread

DEMO = Path(__file__).parent.parent / "src" / "semscale" / "workbench" / "demo"
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
    with opened(folder) as address:
        addressed = time.time()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("text=How the file is", state="attached")
        shown = time.time()
    context.close()
    # The page that only passes the token on is titled Semscale alone.
    times = [float(line.rpartition("|")[2]) / 1000 for line in paints if "· Semscale workbench" in line]
    return addressed - start, min(times) - start, shown - start


def main():
    parser = Options(__doc__)
    parser.add_size("--turns", 9, quick=1, help="a further one comes first and does not count")
    turns = parser.parse_args().turns
    print(f"{date.today()}, {machine()}; seconds from the start of the command")
    with chromium() as browser, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "demo"
        shutil.copytree(DEMO, folder)
        runs = [measure(browser, folder) for _ in range(turns + 1)][1:]
    names = ("address printed:", "first paint:    ", "questions shown:")
    for name, times in zip(names, zip(*runs, strict=True), strict=True):
        print(name, spread(list(times)))
    print("to reach: first paint 1.0")


if __name__ == "__main__":
    main()
