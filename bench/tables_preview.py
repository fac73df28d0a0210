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
from starlette.testclient import TestClient

from semscale.workbench.application import workbench
from semscale.workbench.project import Project

RESPONDENTS, QUESTIONS, GROUPS, REQUESTS = 10_000, 20, 10, 9
TOKEN, PORT = "t" * 32, 8765


def survey() -> pl.DataFrame:
    """Answers 1 to 5 to each question, groups, and weights, at random."""
    random = np.random.default_rng(0)
    answers = {f"q{n:02}": random.integers(1, 6, RESPONDENTS) for n in range(1, QUESTIONS + 1)}
    groups = np.array([f"region {n:02}" for n in range(1, GROUPS + 1)])
    return pl.DataFrame({
        **answers,
        "region": groups[random.integers(0, GROUPS, RESPONDENTS)],
        "weight": random.uniform(0.5, 2.0, RESPONDENTS).round(3),
    })  # fmt: skip


def main() -> None:
    """Print the times of the page."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        survey().write_csv(Path(folder) / "answers.csv")
        project = Project.open(Path(folder) / "answers.csv")
        with TestClient(
            workbench(project, token=TOKEN, port=PORT), base_url=f"http://127.0.0.1:{PORT}"
        ) as client:
            client.get(f"/?token={TOKEN}")
            while "Reading the file" in client.get("/tables").text:
                time.sleep(0.1)
            questions = [("questions", f"q{n:02}") for n in range(1, QUESTIONS + 1)]
            for weight in ("", "weight"):
                seconds, processor = [], []
                for least in range(31, 32 + REQUESTS):
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


if __name__ == "__main__":
    main()
