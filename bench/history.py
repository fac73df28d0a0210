"""A history of a million scores: listing its comparisons, loading their scores, and recording runs.

Run with ``python bench/history.py``; PostgreSQL is measured, too, if pgserver is installed or ``--postgres``
has the URL of an empty database.
"""

import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from measuring import Options, machine, postgres, seconds, spread
from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.history.stored_comparison import StoredComparison, StoredFigure

OUTPUTS = 3
GROUPS = 9
METRIC = "match"
START = datetime(2026, 1, 1, tzinfo=UTC)


def made_up_run(n_items, note):
    words = "the answer names the right cause but leaves out what was asked about its effect on memory"
    items = tuple(
        Item(
            f"item-{place}",
            tuple(Output(f"{words} {place} {turn}", {"credits": turn / 2}) for turn in range(OUTPUTS)),
            f"Question {place}?",
            {"exercise": str(place % GROUPS)},
        )
        for place in range(n_items)
    )
    return Run(dataset="answers", model="model-a", items=items, note=note)


def made_up_comparison(day, n_items, rng):
    scores = rng.random(n_items)
    groups = [None, *(("exercise", str(group)) for group in range(GROUPS))]
    figures = tuple(
        StoredFigure(METRIC, group, scores.mean(), 0.1, 0.05, 0.15, 0.05, n_items, 0) for group in groups
    )
    return StoredComparison(
        baseline_id="baseline",
        candidate_id=f"candidate-{day}",
        model="model-b",
        dataset="answers",
        signature="semscale|drift",
        outcome="pass",
        figures=figures,
        scores={METRIC: scores},
        compared=START + timedelta(days=day),
    )


def measure(name, where, options):
    rng = np.random.default_rng(0)
    n_items, turns = options.items, options.turns
    with open_history(where) as history:
        runs = [made_up_run(n_items, f"run {turn}") for turn in range(turns)]
        recording = [seconds(lambda run=run: history.record(run)) for run in runs]
        loading = [seconds(lambda run=run: history.run(run.id)) for run in runs]
        made = [made_up_comparison(day, n_items, rng) for day in range(options.rows // n_items)]
        keeping = seconds(lambda: [history.record_comparison(comparison) for comparison in made])
        listing, scoring = [], []
        for _ in range(turns):
            listing.append(seconds(lambda: history.comparisons(dataset="answers")))
            listed = history.comparisons(dataset="answers")
            scoring.append(seconds(lambda listed=listed: [history.scores(each.id) for each in listed]))
        loaded = sum(len(history.scores(each.id)[METRIC]) for each in listed)
    if loaded != n_items * len(made):
        raise SystemExit(f"{loaded} scores were loaded of {n_items * len(made)}")
    both = [first + second for first, second in zip(listing, scoring, strict=True)]
    print(f"{name}, {len(made)} comparisons of {n_items:,} items, {loaded:,} scores")
    print(f"  list with all figures: {spread(listing, 3)} s; load every score: {spread(scoring, 3)} s")
    print(f"  both: {spread(both, 3)} s; to reach, with the plot: 2 s")
    print(f"  keep all: {keeping:.2f} s")
    print(
        f"  one run of {n_items:,} items with {OUTPUTS} outputs: record {spread(recording)} s, "
        f"load {spread(loading)} s"
    )


def main():
    parser = Options(__doc__)
    parser.add_size("--rows", 1_000_000, quick=400, help="scores to store")
    parser.add_size("--items", 10_000, quick=100, help="of a run")
    parser.add_size("--turns", 5, quick=1, help="how often each is measured")
    parser.add_argument("--postgres", help="URL of an empty database to measure, rather than pgserver's")
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}")
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", Path(folder) / "history.sqlite", options)
    if options.postgres:
        measure("PostgreSQL", options.postgres, options)
        return
    with postgres(tempfile.mkdtemp(prefix="semscale-pg-")) as url:
        if url is None:
            print("PostgreSQL: left out, for want of a server: pip install pgserver, or give --postgres URL")
        else:
            measure("PostgreSQL", url, options)


if __name__ == "__main__":
    main()
