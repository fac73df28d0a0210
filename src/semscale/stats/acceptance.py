"""Thresholds for accepting, reviewing and abstaining, with a guaranteed error rate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.stats.calibration import select_labelled
from semscale.stats.intervals import binomial_tail, clopper_pearson_upper
from semscale.types import Floats


@dataclass(frozen=True)
class AcceptanceThreshold:
    """A threshold with a guaranteed error rate, or the reason why there is none.

    Attributes:
        value: items with at least this score are accepted; ``None`` if no threshold could be guaranteed.
        error_rate: guaranteed upper limit of the share of errors among accepted items.
        confidence: least probability with which the limit holds.
        n: labelled items from which the threshold was chosen.
        n_left_out: items left out: without a score, or without a label where labels are used.
        n_accepted: labelled items at or above the threshold.
        n_errors: number of errors among these.
        error_high: exact upper bound of the error rate at this one threshold, at the same confidence.
        accepted: share of all scored items that are accepted, 0 to 1; 0 without a threshold.
        labels_needed: without a threshold, the estimated total number of labels that would be enough if the
            share of errors stayed the same; ``None`` if that share is too high at every candidate.
        note: why there is no threshold.
    """

    value: float | None
    error_rate: float
    confidence: float
    n: int
    n_left_out: int
    n_accepted: int
    n_errors: int
    error_high: float
    accepted: float
    labels_needed: int | None = None
    note: str | None = None


@dataclass(frozen=True)
class Triage:
    """Two thresholds: accept items from the first on, abstain below the second, review those between.

    Attributes:
        accept: threshold for accepting, with the rate of errors among accepted items.
        abstain: threshold for abstaining: its errors are right answers among rejected items, and its value is
            the highest score that is still rejected.
        reviewed: share of all scored items between the two.
        confidence: probability with which both limits hold together.
    """

    accept: AcceptanceThreshold
    abstain: AcceptanceThreshold
    reviewed: float
    confidence: float


def triage(
    scores: Floats,
    correct: Floats,
    *,
    error_rate: float = 0.05,
    lost_rate: float = 0.2,
    confidence: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Triage:
    """Choose two thresholds: few errors among accepted items, few right answers among rejected ones.

    The threshold for accepting is the lowest at which an exact binomial test rejects the hypothesis that the
    error rate exceeds ``error_rate``. Candidates are tested from the strictest on, by the fallback procedure:
    four of them, spread over those at which success is possible, start with a quarter of the allowed
    probability each as their level. A test that succeeds passes its level on to the next one; the level of a
    test that fails is lost.

    The threshold for abstaining is chosen in the same way, with scores and labels reversed. Each uses half of
    1 - confidence, so both hold together. Where they would cross, items are accepted.

    Candidates are quantiles of the scores of unlabelled items where there are 50 or more, else 50 equal steps
    within ``bounds``.

    Args:
        scores: shape (n,), higher for items more likely right; NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN not known. Items with a label must be a random sample.
        error_rate: allowed share of wrong answers among accepted ones, between 0 and 1.
        lost_rate: allowed share of right answers among rejected ones, between 0 and 1.
        confidence: probability with which both must hold, between 0 and 1.
        bounds: least and greatest possible score.

    Raises:
        InputError: lengths differ, an infinite score, labels other than 0, 1 and NaN, fewer than two, or a
            setting out of range.

    References:
        Learn then test: Angelopoulos et al. (2021), arXiv 2110.01052, section 4; the order of tests is the
        fallback procedure of Wiens (2003), doi 10.1002/pst.64. Selective classification with a guarantee:
        Geifman and El-Yaniv (2017), arXiv 1705.08500.

    Examples:
        >>> scores = np.linspace(0, 1, 1000)
        >>> thresholds = triage(scores, (scores > 0.5).astype(float))
        >>> thresholds.abstain.value < thresholds.accept.value
        True
    """
    _check_shares(error_rate=error_rate, lost_rate=lost_rate, confidence=confidence)
    select_labelled(scores, correct)
    scores, correct = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    candidates = candidate_thresholds(_scores_without_label(scores, correct), bounds)
    half = (1 + confidence) / 2
    accept = _loosest(scores, correct, candidates, error_rate, half)
    above = -np.inf if accept.value is None else -accept.value
    abstain = _loosest(-scores, 1 - correct, -candidates[::-1], lost_rate, half, above)
    if abstain.value is not None:
        abstain = replace(abstain, value=-abstain.value)
    return Triage(accept, abstain, max(0.0, 1 - accept.accepted - abstain.accepted), confidence)


def _loosest(
    scores: Floats,
    correct: Floats,
    candidates: Floats,
    error_rate: float,
    confidence: float,
    above: float = -np.inf,
) -> AcceptanceThreshold:
    """Choose the loosest guaranteed threshold above a limit, from candidates in descending order."""
    x, y, left_out = select_labelled(scores, correct)
    steps, chance = acceptance_steps(x, y, candidates), 1 - confidence
    starts = start_steps(steps, len(x), _scores_without_label(scores, correct), error_rate, chance)
    holding = [step for step in holding_steps(steps, starts, error_rate, chance) if step.threshold > above]
    unknown = AcceptanceThreshold(
        None, error_rate, confidence, len(x), left_out, 0, 0, error_high=1.0, accepted=0.0
    )
    if not holding:
        needed = labels_for_a_step(steps, len(x), error_rate, chance)
        note = (
            f"no threshold keeps errors below {100 * error_rate:g} %"
            if needed is None
            else f"{len(x)} labels are too few to show a rate of {error_rate:g}: about {needed:,} are needed"
        )
        return replace(unknown, labels_needed=needed, note=note)
    threshold, n, errors = holding[-1]
    scored = np.asarray(scores)[~np.isnan(scores)]
    return replace(
        unknown,
        value=threshold,
        n_accepted=n,
        n_errors=errors,
        error_high=clopper_pearson_upper(errors, n, confidence),
        accepted=float((scored >= threshold).mean()),
    )


def _scores_without_label(scores: Floats, correct: Floats) -> Floats:
    """Scores of items without a label."""
    values = np.asarray(scores, dtype=np.float64)
    return values[~np.isnan(values) & np.isnan(correct)]


def _check_shares(**shares: float) -> None:
    for name, share in shares.items():
        if not 0 < share < 1:
            raise InputError(name, f"must lie between 0 and 1, got {share!r}")


_STARTS = 4

_CANDIDATES = 50

_FEWEST_UNLABELLED = 50

_MOST_LABELS = 10**6


class ThresholdStep(NamedTuple):
    """One candidate threshold.

    Attributes:
        threshold: scores from here on are accepted.
        n: labelled items that are accepted.
        errors: number of wrong items among these.
    """

    threshold: float
    n: int
    errors: int


def candidate_thresholds(unlabelled: Floats, bounds: tuple[float, float]) -> Floats:
    """Choose the thresholds to test, strictest first: quantiles, or equal steps.

    They do not depend on the labelled items, as the tests require.

    Args:
        unlabelled: shape (m,), scores of items without a label.
        bounds: least and greatest possible score.
    """
    if len(unlabelled) >= _FEWEST_UNLABELLED:
        chosen = np.quantile(unlabelled, np.arange(_CANDIDATES) / _CANDIDATES, method="inverted_cdf")
    else:
        chosen = np.linspace(*bounds, _CANDIDATES)
    return np.unique(chosen)[::-1]


def acceptance_steps(scores: Floats, correct: Floats, thresholds: Floats) -> list[ThresholdStep]:
    """Count the items that each threshold accepts, and the errors among them.

    Args:
        scores: shape (n,).
        correct: shape (n,), 1 right, 0 wrong.
        thresholds: shape (t,), strictest first.

    Examples:
        >>> acceptance_steps(np.array([0.1, 0.5, 0.9]), np.array([0.0, 0.0, 1.0]), np.array([0.9, 0.5]))
        [ThresholdStep(threshold=0.9, n=1, errors=0), ThresholdStep(threshold=0.5, n=2, errors=1)]
    """
    order = np.argsort(scores)
    wrong = np.r_[0.0, np.cumsum(1 - correct[order])]
    below = np.searchsorted(scores[order], thresholds)
    return [
        ThresholdStep(float(threshold), len(scores) - int(n), int(wrong[-1] - wrong[n]))
        for threshold, n in zip(thresholds, below, strict=True)
    ]


def start_steps(
    steps: Sequence[ThresholdStep], n: int, unlabelled: Floats, error_rate: float, chance: float
) -> list[int]:
    """Choose the steps at which testing starts: up to four, spread over those where success is possible.

    Success is possible at a step if its items would be enough without any error. The expected number of items
    comes from the unlabelled scores if there are 50 or more, so that the order of tests does not depend on
    the labelled items.
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
    # No start at the loosest step: an earlier start reaches it unless errors rule it out.
    spread = np.linspace(0, len(possible) - 1, _STARTS + 1)[:-1]
    return sorted({int(possible[int(number)]) for number in spread})


def holding_steps(
    steps: Sequence[ThresholdStep], starts: Sequence[int], error_rate: float, chance: float
) -> list[ThresholdStep]:
    """Return the steps at which an error rate is guaranteed, by the fallback procedure.

    Args:
        steps: the steps in the order of testing.
        starts: numbers of the steps at which testing starts, each with an equal share of ``chance``.
        error_rate: limit to test of the share of errors among accepted items, 0 to 1.
        chance: allowed probability that any step is returned wrongly, 0 to 1.

    References:
        Wiens (2003), Pharmaceutical Statistics 2(3), 211-215, doi 10.1002/pst.64.

    Examples:
        >>> steps = [ThresholdStep(0.9, 100, 0), ThresholdStep(0.5, 200, 1), ThresholdStep(0.1, 400, 80)]
        >>> [step.threshold for step in holding_steps(steps, [0], 0.05, 0.05)]
        [0.9, 0.5]
    """
    holding, budget = [], 0.0
    for number, step in enumerate(steps):
        budget += chance / len(starts) if number in starts else 0.0
        if binomial_tail(step.errors, step.n, error_rate) <= budget:
            holding.append(step)
        else:
            budget = 0.0
    return holding


def labels_for_a_step(steps: Sequence[ThresholdStep], n: int, error_rate: float, chance: float) -> int | None:
    """Estimate how many labels would be enough at the best step if shares stayed the same."""
    totals = [
        labels * n / step.n
        for step in steps
        if step.n and (labels := _acceptances_needed(step.errors / step.n, error_rate, chance / _STARTS))
    ]
    return max(n + 1, int(np.ceil(min(totals)))) if totals else None


def _acceptances_needed(share: float, error_rate: float, chance: float) -> int | None:
    """Number of accepted items needed if this share of them is wrong; ``None`` above a million."""

    def is_shown(n: int) -> bool:
        return binomial_tail(int(np.ceil(share * n)), n, error_rate) <= chance

    return None if share >= error_rate else smallest_enough(is_shown, 1, _MOST_LABELS)


def smallest_enough(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the smallest number that is enough by bisection; any greater number must be enough too.

    Args:
        enough: returns whether a number is enough.
        least: smallest number to try.
        most: greatest number to try.

    Returns:
        The number; ``None`` if ``most`` is not enough or lies below ``least``.

    Examples:
        >>> smallest_enough(lambda n: n * n >= 50, 1, 100), smallest_enough(lambda n: n > 100, 1, 100)
        (8, None)
    """
    if most < least or not enough(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
