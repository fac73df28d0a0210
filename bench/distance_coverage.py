"""Coverage of 95 % intervals of single distances, also for two equal distributions.

Run with ``python bench/distance_coverage.py``. Persons on both sides choose one of five points, or state a
PMF around it. Their distributions are known, and so are the true distances.
"""

import numpy as np

from measuring import Options
from semscale.stats.distances import DISTANCES, PmfSample, all_distances
from semscale.stats.intervals import IntervalPlan
from semscale.stats.panel_benchmarks import distance_benchmarks

VALUES = np.arange(1.0, 6.0)
EVEN = np.full(5, 0.2)
LEANING = np.array([0.05, 0.1, 0.2, 0.35, 0.3])
HIGH = np.array([0.02, 0.05, 0.08, 0.25, 0.6])
PAIRS = {
    "alike, even": (EVEN, EVEN),
    "alike, leaning": (LEANING, LEANING),
    "alike, high": (HIGH, HIGH),
    "near": (LEANING, np.array([0.06, 0.12, 0.22, 0.34, 0.26])),
    "apart": (LEANING, EVEN),
    "far": (HIGH, EVEN),
}
SIZES = ((40, 60), (150, 200))


def picked(rng, shares, n):
    """Draw answers on single points, shape (n, 5)."""
    return np.eye(5)[rng.choice(5, n, p=shares)]


def stated(rng, shares, n):
    """Draw answers that are PMFs, shape (n, 5): half on a drawn point, half the population's PMF."""
    return (picked(rng, shares, n) + shares) / 2


def counted(pair, sizes, draws, own_answers):
    """Return percentages of draws whose interval contains the true distance, lies above it, or below it."""
    p, q = PAIRS[pair]
    truth = all_distances(p, q, VALUES)
    rng = np.random.default_rng(sizes[0])
    ends = np.empty((draws, 2, len(DISTANCES)))
    for draw in range(draws):
        panel, people = own_answers(rng, p, sizes[0]), picked(rng, q, sizes[1])
        plan = IntervalPlan(seed=draw, replicates=400)
        found = distance_benchmarks([PmfSample(panel)], [PmfSample(people)], [VALUES], plan=plan, splits=2)
        estimates = [found.by_survey[name][0] for name in DISTANCES]
        ends[draw] = [each.low for each in estimates], [each.high for each in estimates]
    above, below = ends[:, 0] > truth, ends[:, 1] < truth
    width = (ends[:, 1] - ends[:, 0]).mean(axis=0)
    return truth, 100 * (1 - (above | below).mean(axis=0)), 100 * above.mean(axis=0), width


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 500, quick=1)
    draws = parser.parse_args().draws
    print(
        f"% of {draws:,} intervals that hold the true distance; in brackets % that lie above it; mean width"
    )
    print(f"{'':<46}" + "".join(f"{name:>27}" for name in DISTANCES))
    for name, own_answers in (("points", picked), ("PMFs", stated)):
        for sizes in SIZES:
            for pair in PAIRS:
                truth, held, above, width = counted(pair, sizes, draws, own_answers)
                cells = "".join(
                    f"{f'{true:.3f}: {h:5.1f} ({a:4.1f}) {w:.2f}':>27}"
                    for true, h, a, w in zip(truth, held, above, width, strict=True)
                )
                print(f"{f'{name}, {sizes[0]} beside {sizes[1]}, {pair}':<46}{cells}", flush=True)


if __name__ == "__main__":
    main()
