"""Coverage of intervals from few clusters: percentiles of a bootstrap compared with a t interval.

Run with ``python bench/coverage.py``. PMFs are drawn from three populations whose figures are known.
"""

import numpy as np

from measuring import Options
from semscale.stats.groups import Tally, estimate_group
from semscale.stats.intervals import IntervalPlan, draw_counts, percentile_interval, scale_figures

FIGURES = scale_figures(np.arange(1.0, 6.0))
SHOWN = {"mean": 0, "top_2_box": 1, "net": 3, "p_0": 4, "p_2": 6}
SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
EVEN, LEANING = np.ones(5), np.array([0.4, 0.6, 1.0, 2.0, 3.0])


def people(rng, m, lean):
    """Draw PMFs of four weighted texts per respondent; texts of one respondent resemble each other."""
    own = np.repeat(rng.dirichlet(lean, m), 4, axis=0)
    return (
        0.5 * own + 0.5 * rng.dirichlet(lean, 4 * m),
        rng.uniform(0.5, 1.5, 4 * m),
        np.repeat(np.arange(m), 4),
    )


def texts(rng, m, lean):
    """Draw PMFs of single texts with equal weights."""
    return rng.dirichlet(3 * lean, m), np.ones(m), np.arange(m)


POPULATIONS = {
    "people, even": (people, EVEN),
    "texts, even": (texts, EVEN),
    "texts, skewed": (texts, LEANING),
}


def percentiles(tally, seed):
    totals = tally.totals
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([counts @ totals for counts in draw_counts(len(totals), 1000, rng)])
    return percentile_interval(drawn[:, :-1] / drawn[:, -1:] @ FIGURES.matrix.T, len(totals), 0.95)


def t_interval(tally, _seed):
    group = estimate_group(None, tally, {}, FIGURES, IntervalPlan(method="linearized"))
    ends = [group.mean, group.top_2_box, group.bottom_2_box, group.net, *group.pmf]
    return np.array([end.low for end in ends]), np.array([end.high for end in ends])


def covered(population, m, draws):
    """Return the share of draws whose interval contains the truth, by method and figure."""
    sample, lean = POPULATIONS[population]
    truth = FIGURES.matrix @ (lean / lean.sum())
    rng = np.random.default_rng(m)
    methods = (percentiles, t_interval)
    hits = np.zeros((len(methods), len(truth)))
    for draw in range(draws):
        pmf, weights, clusters = sample(rng, m, lean)
        tally = Tally(5)
        tally.add(pmf, weights, clusters)
        for place, method in enumerate(methods):
            low, high = method(tally.whole(), draw)
            hits[place] += (low <= truth) & (truth <= high)
    return hits / draws


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 2000, quick=2)
    draws = parser.parse_args().draws
    print(f"coverage in % of nominal 95 % intervals, {draws:,} draws; percentiles | t")
    for population in POPULATIONS:
        print(f"{population:<16}" + "".join(f"{name:>14}" for name in SHOWN))
        for m in SIZES:
            both = covered(population, m, draws)
            cells = [" | ".join(f"{100 * hits[place]:4.1f}" for hits in both) for place in SHOWN.values()]
            print(f"{m:>4} clusters   " + "".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
