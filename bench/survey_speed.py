"""Times raking 100,000 rows on 6 margins, a table of 100 questions by 10 groups of 50,000, and intervals.

Run with ``python bench/survey_speed.py``. The table has shares of all answers, means, standard errors,
differences between all groups, letters, and a chi-square test for each question. The intervals are those of
100,000 ratings of 5 points, by 10,000 replicates: as they come (linearized, above 20,000 people), of 20,000
(all replicates drawn), and of 100,000 ratings that 20,000 people gave.
"""

import argparse
import resource
import sys
import time

import numpy as np

from semscale.stats.groups import Tally, estimate_group
from semscale.stats.intervals import MAX_CLUSTERS, IntervalPlan, scale_figures
from semscale.stats.raking import rake
from semscale.stats.significance import column_letters, group_differences, rao_scott
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import indicators, survey_means

ANSWERS = 5


def timed(work):
    """The result, and how long it took: on the clock, and on the processor, which other jobs disturb less."""
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
    """Times the figures of as many ratings, from their PMFs to the ends of their intervals."""
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
    """Shares, means, letters and tests of all questions; returns how many cells were estimated."""
    columns = np.concatenate([indicators(one, ANSWERS) for one in answers.T], axis=1)
    shares = survey_means(columns, design, groups=groups)
    means = survey_means(np.where(answers < 0, np.nan, answers + 1.0), design, groups=groups)
    for estimates in (shares, means):
        column_letters(group_differences(estimates), tested=estimates.effective_n >= 30)
    tests = [rao_scott(one, groups, design) for one in answers.T]
    return shares.values.size + means.values.size + len(tests)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000, help="respondents of the table")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--groups", type=int, default=10)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    raked(rng, 2 * options.rows, 6)
    intervals(rng, 2 * options.rows, 10_000)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"peak memory so far: {peak / 1e9:.2f} GB")
    answers = rng.integers(-1, ANSWERS, (options.rows, options.questions))
    groups, weights = rng.integers(0, options.groups, options.rows), rng.uniform(0.5, 2, options.rows)
    clusters = np.arange(options.rows) // 20
    designs = {
        "plain": SurveyDesign(weights),
        "stratified clusters": SurveyDesign(weights, strata=clusters // 50, clusters=clusters),
    }
    for name, design in designs.items():
        cells, taken = timed(lambda design=design: crosstab(answers, groups, design))
        print(f"table, {name}: {taken} for {cells} figures and tests")


if __name__ == "__main__":
    main()
