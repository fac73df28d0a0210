"""Times the tables of 100 questions by 10 groups of 50,000 respondents, and says the peak of memory.

Run with ``python bench/tables.py``. Each question has five points: eight lines, with intervals, letters and a
chi-square test. ``cpu`` is time of the processor, which other jobs on the machine do not lengthen as much.
"""

import argparse
import resource
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from semscale.tabulation.crosstabs import crosstabs

POINTS = 5


def survey(rows, questions, groups):
    rng = np.random.default_rng(0)
    answers = rng.integers(1, POINTS + 1, (rows, questions))
    columns = {f"q{place}": answers[:, place] for place in range(questions)}
    return pl.DataFrame(
        {
            **columns,
            "group": rng.integers(0, groups, rows),
            "w": rng.uniform(0.5, 2, rows),
            "town": np.arange(rows) // 20,
        }
    )


def timed(name, work):
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    print(f"{name}: {time.perf_counter() - wall:.2f} s, cpu {time.process_time() - cpu:.2f} s")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000, help="respondents")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--groups", type=int, default=10)
    options = parser.parse_args()
    frame = survey(options.rows, options.questions, options.groups)
    names = [f"q{place}" for place in range(options.questions)]
    settings = {"questions": names, "banners": ["group"], "weight": "w"}
    tables = timed("weighted", lambda: crosstabs(frame, **settings))
    timed("weighted, clusters", lambda: crosstabs(frame, **settings, cluster="town"))
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".xlsx", ".html", ".parquet"):
            timed(f"writing {ending}", partial(tables.report, Path(folder, f"tables{ending}")))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"peak memory, everything included: {peak / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
