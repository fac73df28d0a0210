"""Paired bootstrap of many items beside SciPy's and the plain NumPy form, and the level of its p-values.

Run with ``python bench/bootstrap.py``. All three draw the same number of items as often; ours gives p-values
of a studentised bootstrap beside the intervals. The level is how often a true "no drift" is rejected at 5 %:
by the t-test, by the bootstrap-t, and by the greater of both p-values, which the gate takes.
"""

from functools import partial

import numpy as np
from scipy.stats import bootstrap

from measuring import Options, machine, ratios, seconds, spread
from semscale.stats.drift_tests import paired_means
from semscale.stats.intervals import IntervalPlan

BLOCK = 200
COLUMNS = 8
SHARE, SHAPE = 0.2, (2, 3)  # of items that lose something, and how much of it
EXPECTED = SHARE * SHAPE[0] / sum(SHAPE)


def rare(rng, n):
    """Losses that most items do not have."""
    return (rng.random(n) < SHARE) * rng.beta(*SHAPE, n)


POPULATIONS = {
    "rare losses, one rerun": lambda rng, n: rare(rng, n) - rare(rng, n),
    "rare losses, many reruns": lambda rng, n: rare(rng, n) - EXPECTED,
    "all or nothing, one rerun": lambda rng, n: (rng.random(n) < 0.1) * 1.0 - (rng.random(n) < 0.1),
    "all or nothing, many reruns": lambda rng, n: (rng.random(n) < 0.05) - 0.05,
    "skewed to the right": lambda rng, n: rng.exponential(size=n) - 1,
    "skewed to the left": lambda rng, n: 1 - rng.exponential(size=n),
}


def ours(values, replicates):
    paired_means(values, plan=IntervalPlan(replicates=replicates))


def plain(values, replicates):
    """What one writes down first: draw items, take their values, average; in blocks, as memory is finite."""
    rng = np.random.default_rng(0)
    means = [
        values[rng.integers(0, len(values), size=(min(BLOCK, replicates - start), len(values)))].mean(axis=1)
        for start in range(0, replicates, BLOCK)
    ]
    return np.quantile(np.concatenate(means), [0.025, 0.975])


def scipys(values, replicates):
    return bootstrap(
        (values,),
        np.mean,
        n_resamples=replicates,
        batch=BLOCK,
        method="percentile",
        rng=np.random.default_rng(0),
    )


def speed(items, replicates, turns):
    rng = np.random.default_rng(0)
    values = rng.normal(0.01, 0.3, (items, COLUMNS))
    runs = {
        "ours, 1 figure": partial(ours, values[:, :1], replicates),
        f"ours, {COLUMNS} figures": partial(ours, values, replicates),
        "NumPy, 1 figure": partial(plain, values[:, 0], replicates),
        "SciPy, 1 figure": partial(scipys, values[:, 0], replicates),
    }
    took = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            took[name].append(seconds(run))
    print(f"{items:,} items x {replicates:,} replicates, {turns} turns, on {machine()}; seconds:")
    for name, turn in took.items():
        faster = spread(ratios(turn, took["ours, 1 figure"]))
        print(f"{name:<18}{spread(turn):>24}   times ours: {faster}")


def levels(draws):
    print(f"rejections in % of {draws:,} draws without drift, at 5 %; t | bootstrap-t | greater of both")
    for name, draw in POPULATIONS.items():
        shown = []
        for n in (10, 30, 100):
            rng = np.random.default_rng(n)
            values = np.column_stack([draw(rng, n) for _ in range(draws)])
            rejected = [100 * np.mean(p < 0.05) for p in p_values(values)]
            shown.append(f"{n:>5} items" + " | ".join(f"{share:5.1f}" for share in rejected))
        print(f"{name:<28}" + "".join(shown), flush=True)


def p_values(values):
    """P-values by t, by the bootstrap-t alone, and as the gate has them."""
    found = paired_means(values, plan=IntervalPlan())
    by_bootstrap = np.array([column.p_by_bootstrap for column in found])
    gate = np.array([column.p_value for column in found])
    return np.array([column.p_by_t for column in found]), by_bootstrap, gate


def main():
    parser = Options(__doc__)
    parser.add_size("--items", 10_000, quick=200)
    parser.add_size("--replicates", 10_000, quick=200)
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--draws", 4000, quick=5)
    asked = parser.parse_args()
    speed(asked.items, asked.replicates, asked.turns)
    levels(asked.draws)


if __name__ == "__main__":
    main()
