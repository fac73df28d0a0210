"""Tests of many thresholds in one order that together keep the error rate of a single test."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.exact_shares import binomial_tail
from semscale.stats.testing.bisection import smallest_enough
from semscale.types import Floats

_STARTS = 4
_CANDIDATES = 50
_FEWEST_UNLABELLED = 50
_MOST_LABELS = 10**6


class ThresholdStep(NamedTuple):
    """One candidate threshold.

    Attributes:
        threshold: scores from here on are accepted.
        n: labelled items that are.
        errors: how many of these are wrong.
    """

    threshold: float
    n: int
    errors: int


def candidate_thresholds(
    unlabelled: Floats, candidates: Floats | None, bounds: tuple[float, float]
) -> Floats:
    """Give the thresholds to try, strictest first: those given, or quantiles, or equal steps.

    Args:
        unlabelled: shape (m,), scores of items without a label.
        candidates: thresholds that the caller wants tried.
        bounds: least and greatest score that there can be.

    Raises:
        InputError: a candidate that is not finite.
    """
    if candidates is not None:
        chosen = np.asarray(candidates, dtype=np.float64).ravel()
        if not np.isfinite(chosen).all():
            raise InputError("candidates must be finite thresholds, got NaN or an infinite one")
    elif len(unlabelled) >= _FEWEST_UNLABELLED:
        chosen = np.quantile(unlabelled, np.arange(_CANDIDATES) / _CANDIDATES, method="inverted_cdf")
    else:
        chosen = np.linspace(*bounds, _CANDIDATES)
    return np.unique(chosen)[::-1]


def acceptance_steps(scores: Floats, correct: Floats, thresholds: Floats) -> list[ThresholdStep]:
    """Count what each threshold accepts, and the errors among that.

    Args:
        scores: shape (n,).
        correct: shape (n,), 1 right, 0 wrong.
        thresholds: shape (t,), strictest first.

    Example:
        >>> acceptance_steps(np.array([0.1, 0.5, 0.9]), np.array([0.0, 0.0, 1.0]), np.array([0.9, 0.5]))
        [ThresholdStep(threshold=0.9, n=1, errors=0), ThresholdStep(threshold=0.5, n=2, errors=1)]
    """
    order = np.argsort(scores)
    wrong = np.r_[0.0, np.cumsum(1 - correct[order])]
    below = np.searchsorted(scores[order], thresholds)
    return [
        ThresholdStep(float(threshold), len(scores) - int(place), int(wrong[-1] - wrong[place]))
        for threshold, place in zip(thresholds, below, strict=True)
    ]


def start_places(
    steps: Sequence[ThresholdStep], n: int, unlabelled: Floats, error_rate: float, chance: float
) -> list[int]:
    """Choose the steps at which testing starts: up to four, spread over those where success is possible.

    Possible is where items without an error would be enough. How many items to expect is read off the
    unlabelled scores where there are 50 or more, so that the order of tests does not depend on the labelled
    items.
    """
    if not steps:
        return []
    accepted = np.array([step.n for step in steps], dtype=np.float64)
    if len(unlabelled) >= _FEWEST_UNLABELLED:
        ordered, total = np.sort(unlabelled), len(unlabelled)
        below = np.searchsorted(ordered, [step.threshold for step in steps])
        accepted = (total - below) / total * n
    possible = np.flatnonzero(accepted >= np.log(chance / _STARTS) / np.log1p(-error_rate))
    if not len(possible):
        return [len(steps) - 1]
    # None at the loosest: whatever holds there has held before, or is lost to errors.
    places = np.linspace(0, len(possible) - 1, _STARTS + 1)[:-1]
    return sorted({int(possible[int(place)]) for place in places})


def holding_steps(
    steps: Sequence[ThresholdStep], starts: Sequence[int], error_rate: float, chance: float
) -> list[ThresholdStep]:
    """Find the steps at which an error rate is shown to hold, by the fallback procedure.

    Args:
        steps: in the order in which they are tested.
        starts: places of the steps at which testing starts, each with an equal share of ``chance``.
        error_rate: share of errors among accepted items that is tested, 0 to 1.
        chance: allowed probability that any step is wrongly shown to hold, 0 to 1.

    References:
        Wiens (2003), Pharmaceutical Statistics 2(3), 211-215, doi 10.1002/pst.64.

    Example:
        >>> steps = [ThresholdStep(0.9, 100, 0), ThresholdStep(0.5, 200, 1), ThresholdStep(0.1, 400, 80)]
        >>> [step.threshold for step in holding_steps(steps, [0], 0.05, 0.05)]
        [0.9, 0.5]
    """
    holding, budget = [], 0.0
    for place, step in enumerate(steps):
        budget += chance / len(starts) if place in starts else 0.0
        if binomial_tail(step.errors, step.n, error_rate) <= budget:
            holding.append(step)
        else:
            budget = 0.0
    return holding


def labels_for_a_step(steps: Sequence[ThresholdStep], n: int, error_rate: float, chance: float) -> int | None:
    """Find about how many labels would be enough at the best step, if shares stayed what they are."""
    totals = [
        labels * n / step.n
        for step in steps
        if step.n and (labels := _accepted_needed(step.errors / step.n, error_rate, chance / _STARTS))
    ]
    return max(n + 1, int(np.ceil(min(totals)))) if totals else None


def _accepted_needed(share: float, error_rate: float, chance: float) -> int | None:
    """Accepted items that show the rate where this share of them is wrong; ``None`` beyond a million."""

    def shown(n: int) -> bool:
        return binomial_tail(int(np.ceil(share * n)), n, error_rate) <= chance

    return None if share >= error_rate else smallest_enough(shown, 1, _MOST_LABELS)
