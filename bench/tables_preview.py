"""Time of the preview on the workbench's page of tables: 10,000 respondents, 20 questions, 10 columns.

Run with ``python bench/tables_preview.py``. Each request has another least base, so that none is remembered.
"""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from measuring import Options

QUESTIONS, GROUPS, PORT = 20, 10, 8765


def survey(n: int) -> pl.DataFrame:
    """Answers 1 to 5 of n respondents to each question, groups, and weights, at random."""
    random = np.random.default_rng(0)
    answers = {f"q{number:02}": random.integers(1, 6, n) for number in range(1, QUESTIONS + 1)}
    groups = np.array([f"region {number:02}" for number in range(1, GROUPS + 1)])
    return pl.DataFrame({
        **answers,
        "region": groups[random.integers(0, GROUPS, n)],
        "weight": random.uniform(0.5, 2.0, n).round(3),
    })  # fmt: skip


def measure(client, weight: str, requests: int) -> None:
    """Print the times of requests with a weight."""
    questions = [("questions", f"q{number:02}") for number in range(1, QUESTIONS + 1)]
    seconds, processor = [], []
    for least in range(31, 32 + requests):
        fields = [*questions, ("banners", "region"), ("weight", weight), ("min_base", str(least))]
        start, used = time.perf_counter(), time.process_time()
        page = client.get("/tables", params=fields)
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
        assert '<section id="question-0-0"' in page.text, page.text[-2000:]
    print(
        f"{'weighted' if weight else 'unweighted'}: first {1000 * seconds[0]:.0f} ms, "
        f"median {1000 * median(seconds[1:]):.0f} ms, of the processor "
        f"{1000 * median(processor[1:]):.0f} ms, {len(page.content) / 1e6:.1f} MB"
    )


def main() -> None:
    """Print the times of the page."""
    parser = Options(__doc__)
    parser.add_size("--respondents", 10_000, quick=500)
    parser.add_size("--requests", 9, quick=1)
    options = parser.parse_args()
    try:
        from starlette.testclient import TestClient

        from semscale.workbench.access import Access, TokenAccess
        from semscale.workbench.application import workbench
        from semscale.workbench.project import Project
    except ImportError as error:
        print(f'skipped: {error.name} is not there: pip install "semscale[workbench]" httpx')
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        survey(options.respondents).write_csv(Path(folder) / "answers.csv")
        pages = workbench(Project.open(Path(folder) / "answers.csv"))
        app = Access(pages, rule=TokenAccess("t" * 32, PORT))
        with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
            client.get(f"/?token={'t' * 32}")
            while "Reading the file" in client.get("/tables").text:
                time.sleep(0.1)
            for weight in ("", "weight"):
                measure(client, weight, options.requests)


if __name__ == "__main__":
    main()
