"""Time of the first load of the workbench's page of tables in a folder with 20 other Parquet files.

Run with ``python bench/tables_waves.py``. Two times are printed: until the page is there, and until it offers
the earlier waves; and how much of the processor both took, with that of processes that read files.
"""

import resource
import time
from pathlib import Path

import numpy as np
import polars as pl

from measuring import Options
from opened_workbench import opened_workbench


def write_project(folder: Path, n_files: int, n_rows: int) -> None:
    """Write the file of the last wave as CSV, and those of earlier ones as Parquet."""
    random = np.random.default_rng(0)
    columns = {f"q{number:02}": random.integers(1, 6, n_rows) for number in range(1, 21)}
    answers = pl.DataFrame(columns)
    for number in range(n_files):
        answers.write_parquet(folder / f"wave{number:02}.parquet")
    answers.write_csv(folder / f"wave{n_files:02}.csv")
    questions = "".join(f"- {{name: {name}, kind: scale}}\n" for name in columns)
    (folder / "survey.yaml").write_text(f"survey: 1\nfile: wave{n_files:02}.csv\nquestions:\n{questions}")


def used() -> float:
    """Return the seconds of the processor of this process and of those that it started and that ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    """Print the times."""
    parser = Options(__doc__)
    parser.add_size("--files", 20, quick=3)
    parser.add_size("--rows", 5_000, quick=100)
    options = parser.parse_args()
    with opened_workbench(lambda folder: write_project(folder, options.files, options.rows)) as (client, _):
        start, processor = time.perf_counter(), used()
        page = client.get("/tables")
        shown = time.perf_counter() - start
        while "Compare with an earlier wave" not in page.text:
            time.sleep(0.01)
            page = client.get("/tables")
        offered = time.perf_counter() - start
        print(
            f"{options.files} files: page {1000 * shown:.0f} ms, waves {1000 * offered:.0f} ms, "
            f"of the processor {1000 * (used() - processor):.0f} ms"
        )


if __name__ == "__main__":
    main()
