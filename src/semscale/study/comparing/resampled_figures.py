"""Figures of persons with intervals and random halves, from how often each person counts."""

import numpy as np

from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.resampling import drawn_counts, percentile_interval
from semscale.study.comparing.counted_sums import CountedFigures
from semscale.study.comparing.sides import ComparedSide
from semscale.types import Floats

REPLICATES = 500
"""Resamples of the persons of one side."""

SPLITS = 200
"""Random halves of the people, and shuffles of the personas."""


def figures_and_resamples(
    figures: CountedFigures, n: int, plan: IntervalPlan, side: int
) -> tuple[Floats, Floats]:
    """Compute figures (f,) of all persons, and (r, f) of resamples; ``side`` makes the draws differ."""
    rng = np.random.default_rng([plan.seed, side])
    drawn = np.concatenate([figures(counts) for counts in drawn_counts(n, REPLICATES, rng)])
    return figures(np.ones((1, n)))[0], drawn


def halves(people: ComparedSide, plan: IntervalPlan, figures: CountedFigures) -> tuple[Floats, Floats]:
    """Figures (splits, f) of random halves of the people."""
    rng = np.random.default_rng(plan.seed)
    half = np.argsort(rng.random((SPLITS, people.n)), axis=1) < people.n // 2
    return figures(half.astype(np.float64)), figures((~half).astype(np.float64))


def percentile_estimate(value: float, drawn: Floats, n: int, plan: IntervalPlan) -> Estimate:
    """Put percentiles of resamples (r,) of n persons around a figure."""
    low, high = percentile_interval(drawn[:, None], n, plan.interval)
    return Estimate(float(value), float(low[0]), float(high[0]))
