"""Time of survey statistics, and of tables of 100 questions by 10 groups of 50,000 respondents.

Run with ``python bench/tables.py``. Raking has 100,000 rows and 6 margins. Intervals have 10,000 replicates
for ratings on 5 points: of 100,000 people (linearized, as above 20,000 people), of 20,000 people (all
replicates drawn), and of 20,000 people with 100,000 ratings. A table has shares of all answers, means,
standard errors, differences between all groups, letters, and a chi-square test for each question: first its
estimates alone, then all of ``crosstabs`` and its files. Other jobs on the machine affect processor time less
than seconds.
"""

import resource
import sys
import tempfile
import time
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from measuring import Options, machine
from semscale.stats.groups import Tally, estimate_group
from semscale.stats.intervals import MAX_CLUSTERS, IntervalPlan, scale_figures
from semscale.stats.raking import rake
from semscale.stats.significance import column_letters, group_differences, rao_scott
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import indicators, survey_means
from semscale.tabulation.crosstabs import crosstabs

ANSWERS = 5


def timed(work):
    """Return the result, its seconds and its processor seconds."""
    start, busy = time.perf_counter(), time.process_time()
    result = work()
    return result, f"{time.perf_counter() - start:.2f} s ({time.process_time() - busy:.2f} s of processor)"


def raked(rng, rows, margins):
    columns = {f"margin {place}": rng.integers(0, ANSWERS, rows).astype(str) for place in range(margins)}
    targets = {name: dict(zip("01234", rng.dirichlet([8] * ANSWERS), strict=True)) for name in columns}
    for bounds in ((0.0, np.inf), (0.3, 3.0)):
        found, taken = timed(lambda bounds=bounds: rake(columns, targets, bounds=bounds))
        print(f"raking, {rows} rows, {margins} margins, bounds {bounds}: {taken}, {found.rounds} rounds")


def intervals(rng, ratings, replicates):
    """Time the figures of n ratings, from their PMFs to the ends of their intervals."""
    pmf, figures = rng.dirichlet(np.ones(ANSWERS), ratings), scale_figures(np.arange(1.0, ANSWERS + 1))
    people = rng.permutation(np.arange(ratings) % min(ratings, MAX_CLUSTERS))
    for name, rows, clusters in (
        ("each a person's only one", pmf, None),
        ("each a person's only one", pmf[:MAX_CLUSTERS], None),
        (f"of {people.max() + 1:,} people", pmf, people),
    ):

        def estimated(rows=rows, clusters=clusters):
            tally = Tally(ANSWERS)
            tally.add(rows, np.ones(len(rows)), clusters)
            whole = tally.whole()
            plan = IntervalPlan(method="bootstrap" if whole.exact else "linearized", replicates=replicates)
            return estimate_group(None, whole, {}, figures, plan)

        found, taken = timed(estimated)
        print(f"intervals, {len(rows):,} ratings, {name}, {found.method}: {taken}")


def crosstab(answers, groups, design):
    """Compute shares, means, letters and tests of all questions; return the number of estimated cells."""
    columns = np.concatenate([indicators(one, ANSWERS) for one in answers.T], axis=1)
    shares = survey_means(columns, design, groups=groups)
    means = survey_means(np.where(answers < 0, np.nan, answers + 1.0), design, groups=groups)
    for estimates in (shares, means):
        column_letters(group_differences(estimates), tested=estimates.effective_n >= 30)
    tests = [rao_scott(one, groups, design) for one in answers.T]
    return shares.values.size + means.values.size + len(tests)


def survey(rows, questions, groups):
    """Return a table of respondents as in a file."""
    rng = np.random.default_rng(0)
    answers = rng.integers(1, ANSWERS + 1, (rows, questions))
    columns = {f"q{place}": answers[:, place] for place in range(questions)}
    return pl.DataFrame(
        {
            **columns,
            "group": rng.integers(0, groups, rows),
            "w": rng.uniform(0.5, 2, rows),
            "town": np.arange(rows) // 20,
        }
    )


def estimated_tables(rng, rows, questions, groups):
    """Time the estimates of a table, for respondents who were drawn singly and in clusters."""
    answers = rng.integers(-1, ANSWERS, (rows, questions))
    group, weights = rng.integers(0, groups, rows), rng.uniform(0.5, 2, rows)
    clusters = np.arange(rows) // 20
    designs = {
        "plain": SurveyDesign(weights),
        "stratified clusters": SurveyDesign(weights, strata=clusters // 50, clusters=clusters),
    }
    for name, design in designs.items():
        cells, taken = timed(lambda design=design: crosstab(answers, group, design))
        print(f"estimates of a table, {name}: {taken} for {cells} figures and tests")


def whole_tables(rows, questions, groups):
    """Time all of ``crosstabs``, and the writing of its result."""
    frame = survey(rows, questions, groups)
    settings = {"questions": [f"q{place}" for place in range(questions)], "banners": ["group"], "weight": "w"}
    tables, taken = timed(lambda: crosstabs(frame, **settings))
    print(f"tables, weighted: {taken}")
    _, taken = timed(lambda: crosstabs(frame, **settings, cluster="town"))
    print(f"tables, weighted, clusters: {taken}")
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".xlsx", ".html", ".parquet"):
            _, taken = timed(partial(tables.report, Path(folder, f"tables{ending}")))
            print(f"writing {ending}: {taken}")


def show_peak(title):
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"{title}: {peak / 1e9:.2f} GB")


def main():
    parser = Options(__doc__)
    parser.add_size("--rows", 50_000, quick=300, help="respondents; raking and intervals have twice as many")
    parser.add_size("--questions", 100, quick=3)
    parser.add_size("--groups", 10, quick=3)
    parser.add_size("--replicates", 10_000, quick=100)
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}")
    rng, size = np.random.default_rng(0), (options.rows, options.questions, options.groups)
    raked(rng, 2 * options.rows, 6)
    intervals(rng, 2 * options.rows, options.replicates)
    show_peak("peak memory so far")
    estimated_tables(rng, *size)
    whole_tables(*size)
    show_peak("peak memory, everything included")


if __name__ == "__main__":
    main()
