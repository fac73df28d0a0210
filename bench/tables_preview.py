"""Time of the preview on the workbench's page of tables: 10,000 respondents, 20 questions, 10 columns.

Run with ``python bench/tables_preview.py``. Each request has another least base, so that none is remembered.
The tables are those of one file, with ratings and codes of an open question before the others, and with an
earlier wave of as many respondents in a second file.
"""

import json
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from measuring import Options
from opened_workbench import opened_workbench

QUESTIONS, GROUPS, CODES = 20, 10, 12
MEASURED = {"ratings": "semscale_why_mean", "codes": "semscale_why_outcome"}
WAVES = ("wave1", "wave2")


def survey(n: int) -> pl.DataFrame:
    """Answers 1 to 5 of n respondents to each question, groups, and weights, at random."""
    random = np.random.default_rng(0)
    answers = {f"q{number:02}": random.integers(1, 6, n) for number in range(1, QUESTIONS + 1)}
    groups = np.array([f"region {number:02}" for number in range(1, GROUPS + 1)])
    words = np.array(["battery", "price", "screen", "sound"])
    return pl.DataFrame({
        **answers,
        "region": groups[random.integers(0, GROUPS, n)],
        "weight": random.uniform(0.5, 2.0, n).round(3),
        "why": [" ".join(row) for row in words[random.integers(0, len(words), (n, 6))]],
    })  # fmt: skip


def results(n: int) -> dict[str, dict[str, np.ndarray]]:
    """Columns of ratings and codes of n texts, at random, as ``rate`` and ``code`` write them."""
    random = np.random.default_rng(1)
    masses, likeness = random.dirichlet(np.ones(5), n), random.random((n, CODES))
    codes = {"semscale_outcome": np.full(n, "coded")}
    for code in range(CODES):
        codes[f"semscale_code {code}"] = (likeness[:, code] > 0.5).astype(np.int8)
        codes[f"semscale_code {code}_likeness"] = likeness[:, code]
    return {"ratings": {f"semscale_p_{point + 1}": masses[:, point] for point in range(5)}, "codes": codes}


def write_project(folder: Path, n: int) -> None:
    """Write two waves with their description, and the results of their open question."""
    (folder / "results").mkdir()
    for wave in WAVES:
        answers = survey(n)
        answers.write_csv(folder / f"{wave}.csv")
        for measured, columns in results(n).items():
            facts = json.dumps([{"measured": measured, "text": "why"}])
            table = answers.with_columns(pl.Series(*entry) for entry in columns.items())
            path = folder / "results" / f"{wave}-why-{measured}.parquet"
            table.write_parquet(path, metadata={"semscale": facts})
    kinds = {"region": "single", "weight": "weight", "why": "open"}
    kinds = {f"q{number:02}": "scale" for number in range(1, QUESTIONS + 1)} | kinds
    questions = "".join(f"- {{name: {name}, kind: {kind}}}\n" for name, kind in kinds.items())
    (folder / "survey.yaml").write_text(f"survey: 1\nfile: {WAVES[-1]}.csv\nquestions:\n{questions}")


def measure(client, name: str, further: list[tuple[str, str]], requests: int) -> None:
    """Print the times of requests with further fields."""
    questions = [("questions", f"q{number:02}") for number in range(1, QUESTIONS + 1)]
    seconds, processor = [], []
    for least in range(31, 32 + requests):
        fields = [*further, *questions, ("banners", "region"), ("min_base", str(least))]
        start, used = time.perf_counter(), time.process_time()
        page = client.get("/tables", params=fields)
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
        assert '<section id="question-0-0"' in page.text, page.text[-2000:]
    print(
        f"{name}: first {1000 * seconds[0]:.0f} ms, "
        f"median {1000 * median(seconds[1:]):.0f} ms, of the processor "
        f"{1000 * median(processor[1:]):.0f} ms, {len(page.content) / 1e6:.1f} MB"
    )


def main() -> None:
    """Print the times of the page."""
    parser = Options(__doc__)
    parser.add_size("--respondents", 10_000, quick=500)
    parser.add_size("--requests", 9, quick=1)
    options = parser.parse_args()
    with opened_workbench(lambda folder: write_project(folder, options.respondents)) as (client, project):
        weight = ("weight", "weight")
        measured = [("questions", name) for name in MEASURED.values()]
        measure(client, "unweighted", [("weight", "")], options.requests)
        measure(client, "weighted", [weight], options.requests)
        measure(client, "with ratings and codes", [weight, *measured], options.requests)
        (project / "tables.yaml").write_text(f"earlier: [{WAVES[0]}.csv]\ntables: []\n")
        measure(client, "with an earlier wave", [weight], options.requests)
        measure(client, "with both", [weight, *measured], options.requests)


if __name__ == "__main__":
    main()
