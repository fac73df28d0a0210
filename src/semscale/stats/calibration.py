"""Probabilities from scores: calibration curves, weighted scores, and calibration errors."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.special import expit, ndtri

from semscale.errors import InputError
from semscale.stats.intervals import (
    Estimate,
    IntervalPlan,
    MeanEstimate,
    check_interval,
    check_seed,
    estimate_mean,
    mean_of_known,
    wilson_interval,
)
from semscale.types import Floats, Integers, Mask

FOLDS = 5

PENALTIES = (0.01, 0.1, 1.0, 10.0)
"""Penalties towards equal weights; cross-validation chooses one."""

FEWEST_TUNING = 40
"""Least number of labelled items with a score for tuning."""

FEWEST_OF_EACH = FOLDS
"""Least number of labels of each of two kinds, such as right and wrong, so that every fold has both."""

CurveName = Literal["platt", "isotonic"]
"""``platt``: logistic, two parameters. ``isotonic``: any curve that never falls; needs more labels."""


class ProbabilityCurve(Protocol):
    """A curve from scores to the probability of being right."""

    def probability(self, scores: Floats) -> Floats:
        """Compute the probability (n,) for scores (n,), NaN for NaN."""
        ...

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Compute both ends of the interval of the probability, each (n,), for scores (n,); NaN for NaN."""
        ...


@dataclass(frozen=True)
class PlattCurve:
    """A logistic curve: 1 / (1 + exp(-(slope * score + intercept))).

    Attributes:
        slope: per unit of score; below 0 if higher scores are right less often.
        intercept: log odds at score 0.
        n: labels it was fitted to.
        n_left_out: items without a score or a label.
        covariance: variance of the slope, covariance of both, variance of the intercept.
    """

    slope: float
    intercept: float
    n: int
    n_left_out: int
    covariance: tuple[float, float, float]

    def probability(self, scores: Floats) -> Floats:
        """Compute the probability (n,) for scores (n,), NaN for NaN."""
        return np.asarray(expit(self._log_odds(scores)))

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Compute both ends of the interval of the probability, each (n,), for scores (n,); NaN for NaN.

        This is Wald's interval of the log odds, slope times score plus intercept. It is valid if the curve is
        logistic.

        Args:
            scores: shape (n,).
            interval: nominal coverage, between 0 and 1.

        References:
            Hosmer, Lemeshow and Sturdivant (2013), Applied Logistic Regression, sections 1.4 and 2.5,
            doi 10.1002/9781118548387.
        """
        check_interval(interval)
        of_slope, shared, of_intercept = self.covariance
        x = np.asarray(scores, dtype=np.float64)
        variance = np.maximum(of_slope * x**2 + 2 * shared * x + of_intercept, 0.0)
        reach = ndtri((1 + interval) / 2) * np.sqrt(variance)
        return np.asarray(expit(self._log_odds(x) - reach)), np.asarray(expit(self._log_odds(x) + reach))

    def _log_odds(self, scores: Floats) -> Floats:
        return self.slope * np.asarray(scores, dtype=np.float64) + self.intercept


@dataclass(frozen=True)
class IsotonicCurve:
    """A curve that never falls: linear between its corners, constant beyond them.

    Attributes:
        corners: shape (c,), scores in ascending order.
        heights: shape (c,), probabilities there.
        n: labels it was fitted to.
        n_left_out: items without a score or a label.
        pooled: shape (c,), number of labels from which each height comes.
    """

    corners: Floats
    heights: Floats
    n: int
    n_left_out: int
    pooled: Integers

    def probability(self, scores: Floats) -> Floats:
        """Compute the probability (n,) for scores (n,), NaN for NaN."""
        return np.interp(np.asarray(scores, dtype=np.float64), self.corners, self.heights)

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Compute both ends of the interval of the probability, each (n,), for scores (n,); NaN for NaN.

        At a corner, it is Wilson's interval of the share of right labels pooled there; between corners, the
        ends are interpolated linearly.

        Args:
            scores: shape (n,).
            interval: nominal coverage, between 0 and 1.

        References:
            Wilson (1927), see ``wilson_interval``.
        """
        check_interval(interval)
        shares = [
            wilson_interval(round(height * n), n, interval)
            for height, n in zip(self.heights.tolist(), self.pooled.tolist(), strict=True)
        ]
        x = np.asarray(scores, dtype=np.float64)
        low, high = [share.low for share in shares], [share.high for share in shares]
        return np.interp(x, self.corners, low), np.interp(x, self.corners, high)


def fit_curve(scores: Floats, correct: Floats, curve: CurveName) -> ProbabilityCurve:
    """Fit the curve with a name.

    Raises:
        InputError: an unknown name, or as ``fit_platt``.
    """
    if curve == "platt":
        return fit_platt(scores, correct)
    if curve == "isotonic":
        return fit_isotonic(scores, correct)
    raise InputError("curve", f"must be platt or isotonic, got {curve!r}")


def fit_platt(scores: Floats, correct: Floats) -> PlattCurve:
    """Fit Platt's logistic curve by Newton's method.

    The targets are not 0 and 1 but 1 / (n0 + 2) and (n1 + 1) / (n1 + 2), for n0 wrong and n1 right labels,
    which keeps the curve finite if scores separate right from wrong perfectly.

    Args:
        scores: shape (n,), NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.

    Raises:
        InputError: lengths differ, an infinite score, values other than 0, 1 and NaN, or fewer than two
            labels.

    References:
        Platt (1999), Probabilistic Outputs for Support Vector Machines. Lin, Lin and Weng (2007), doi
        10.1007/s10994-007-5018-6, for the backtracking Newton method.

    Examples:
        >>> curve = fit_platt(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0.0, 1, 0, 1]))
        >>> curve.probability(np.array([0.5])).round(6).tolist()
        [0.5]
    """
    x, y, left_out = select_labelled(scores, correct)
    right = y.sum()
    wrong = len(y) - right
    target = np.where(y == 1, (right + 1) / (right + 2), 1 / (wrong + 2))
    centre, spread = x.mean(), x.std()
    spread = spread if spread > 1e-12 * max(np.abs(x).max(), 1e-300) else 0.0
    design = np.column_stack([(x - centre) / spread if spread else np.zeros_like(x), np.ones_like(x)])
    weights = _newton(design, target, np.array([0.0, np.log((right + 1) / (wrong + 1))]))
    # From weights of the standardised score to slope and intercept; a score without spread has no slope.
    back = np.array([[1 / spread, 0.0], [-centre / spread, 1.0]]) if spread else np.diag([0.0, 1.0])
    p = expit(design @ weights)
    information = design.T @ (design * (p * (1 - p))[:, None])
    covariance = back @ np.linalg.pinv(information) @ back.T
    slope, intercept = (back @ weights).tolist()
    of_both = float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])
    return PlattCurve(slope, intercept, len(y), left_out, of_both)


def fit_isotonic(scores: Floats, correct: Floats) -> IsotonicCurve:
    """Fit the curve that never falls and has the smallest squared error, by pooling adjacent violators.

    Equal scores have one height. Between the scores of labels, the curve is linear.

    Args:
        scores: shape (n,), NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.

    Raises:
        InputError: as ``fit_platt``.

    References:
        Zadrozny and Elkan (2002), doi 10.1145/775047.775151.

    Examples:
        >>> curve = fit_isotonic(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0.0, 1, 0, 1]))
        >>> curve.probability(np.array([0.0, 0.5, 0.75])).tolist()
        [0.0, 0.5, 0.75]
    """
    from scipy.optimize import isotonic_regression  # takes a fifth of a second to import

    x, y, left_out = select_labelled(scores, correct)
    corners, which, n = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=y) / n
    heights = np.asarray(isotonic_regression(means, weights=n).x)
    # Points inside a level stretch add nothing: only its corners are stored.
    level = np.r_[False, heights[1:-1] == heights[:-2], False] if len(heights) > 1 else np.array([False])
    level[1:-1] &= heights[1:-1] == heights[2:]
    pool = np.r_[0, np.cumsum(np.diff(heights) != 0)]
    pooled = np.bincount(pool, weights=n).astype(np.int64)[pool]
    return IsotonicCurve(corners[~level], heights[~level], len(y), left_out, pooled[~level])


def cross_fitted(
    scores: Floats,
    correct: Floats,
    curve: CurveName = "platt",
    *,
    folds: int = FOLDS,
    clusters: Integers | None = None,
    seed: int = 0,
) -> Floats:
    """Compute each labelled item's probability by a curve that was fitted without this item.

    Accuracy measured with these probabilities is unbiased; on the labels that a curve was fitted to, it is
    too high.

    Args:
        scores: shape (n,), NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.
        curve: name of the curve.
        folds: number of parts; each is predicted from the others.
        clusters: shape (n,), cluster of each item, never split between folds, such as answers to one
            question.
        seed: seed of the random folds.

    Returns:
        Shape (n,); NaN where there is no score or no label.

    Raises:
        InputError: as ``fit_curve``; fewer than 2 folds or fewer clusters than folds.

    Examples:
        >>> fitted = cross_fitted(np.array([0.1, np.nan, 0.4, 0.9]), np.array([0.0, 1, 1, 1]), folds=3)
        >>> np.isnan(fitted).tolist()
        [False, True, False, False]
    """
    check_seed(seed)
    scores, correct = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    select_labelled(scores, correct)
    usable = np.flatnonzero(~np.isnan(scores) & ~np.isnan(correct))
    groups = usable if clusters is None else np.asarray(clusters)[usable]
    m = len(np.unique(groups))
    if folds < 2 or m < folds:
        raise InputError(
            "folds", f"must be 2 to the {m} labelled items or clusters that there are, got {folds}"
        )
    fold = random_folds(len(usable), groups=groups, folds=folds, seed=seed)
    probabilities = np.full(len(scores), np.nan)
    for part in range(folds):
        inside, outside = usable[fold == part], usable[fold != part]
        fitted = fit_curve(scores[outside], correct[outside], curve)
        probabilities[inside] = fitted.probability(scores[inside])
    return probabilities


_MOST_STEPS = 100

_CONVERGED = 1e-10


def select_labelled(scores: Floats, correct: Floats) -> tuple[Floats, Floats, int]:
    """Return the items that have a score and a label, and count the others.

    Raises:
        InputError: lengths differ, an infinite score, labels other than 0, 1 and NaN, or fewer than two.
    """
    scores, correct = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if scores.ndim != 1 or scores.shape != correct.shape:
        raise InputError(
            "scores and correct must be two lists of one length (NaN where not known), "
            f"got shapes {scores.shape} and {correct.shape}"
        )
    if np.isinf(scores).any():
        raise InputError("scores", "must be finite, or NaN where missing, got an infinite value")
    if not np.isin(correct[~np.isnan(correct)], (0, 1)).all():
        raise InputError("correct", "must be 1 for right, 0 for wrong, or NaN, got another value")
    both = ~np.isnan(scores) & ~np.isnan(correct)
    if both.sum() < 2:
        raise InputError("correct", f"must have at least 2 labels of items with a score, got {both.sum()}")
    return scores[both], correct[both], int((~both).sum())


def _newton(design: Floats, target: Floats, weights: Floats) -> Floats:
    """Minimise the cross-entropy of two weights, halving each step that does not reduce it."""
    loss = _cross_entropy(design @ weights, target)
    for _ in range(_MOST_STEPS):
        p = expit(design @ weights)
        gradient = design.T @ (p - target)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + _CONVERGED * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        if np.abs(step).max() < _CONVERGED:
            break
        size = 1.0
        while (new := _cross_entropy(design @ (weights - size * step), target)) > loss and size > _CONVERGED:
            size /= 2
        weights, loss = weights - size * step, new
    return weights


def _cross_entropy(log_odds: Floats, target: Floats) -> float:
    return float((np.logaddexp(0, log_odds) - target * log_odds).sum())


_SIMULATIONS = 1000

_BLOCK_CELLS = 5_000_000


@dataclass(frozen=True)
class BrierParts:
    """Parts of a Brier score: reliability - resolution + uncertainty + within_bins.

    Attributes:
        reliability: mean squared difference of bins' mean probability and their share of right items; 0 is
            best.
        resolution: mean squared difference of bins' shares and the overall share; higher is better.
        uncertainty: share of right items times share of wrong items, the same for every forecast.
        within_bins: variance and covariance inside bins, so that the parts add up.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


@dataclass(frozen=True)
class ReliabilityBin:
    """A bin of items with similar probabilities.

    Attributes:
        predicted: their mean probability.
        observed: share of right items, with Wilson's interval.
        n: number of items.
    """

    predicted: float
    observed: Estimate
    n: int


@dataclass(frozen=True)
class CalibrationFigures:
    """Measures of calibration of probabilities of being right.

    Attributes:
        brier: mean squared error of probabilities, 0 to 1, with its interval.
        brier_of_share: Brier score if every item had the overall share as its probability; a useful forecast
            is lower.
        parts: parts of the Brier score, over the bins.
        error: expected calibration error, 0 to 1: mean over items of the absolute difference of their bin's
            share and mean probability. It is above 0 for the best forecast too.
        error_by_chance: mean of this error if the probabilities were right.
        error_p_value: probability of an error at least as large if they were right.
        debiased_error: root of the mean squared difference minus the part that chance adds; 0 if that is
            negative.
        bins: with about equal numbers of items, lowest probabilities first.
        n: items used.
        n_left_out: items without a probability or a label.
    """

    brier: MeanEstimate
    brier_of_share: float
    parts: BrierParts
    error: float
    error_by_chance: float
    error_p_value: float
    debiased_error: float
    bins: tuple[ReliabilityBin, ...]
    n: int
    n_left_out: int


def calibration_figures(
    probabilities: Floats,
    correct: Floats,
    *,
    n_bins: int = 10,
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> CalibrationFigures:
    """Measure the calibration of probabilities on the items with a known outcome.

    Bins have about equal numbers of items; equal probabilities are never split. With w the share of items in
    a bin, p their mean probability and o their share of right items, error is the sum of w |p - o|, and
    debiased_error the root of the sum of w ((p - o)^2 - o (1 - o) / (n - 1)).

    Args:
        probabilities: shape (n,), 0 to 1, of a curve that was fitted without these labels (``cross_fitted``);
            NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.
        n_bins: greatest number of bins, at least 1.
        clusters: shape (n,), cluster of each item, resampled as a whole, for the Brier score's interval.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap and of outcomes drawn by chance.

    Raises:
        InputError: lengths differ, probabilities beyond 0 to 1, other labels than 0, 1 and NaN, fewer than
            two, or a setting out of range.

    References:
        Brier (1950), doi 10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2. Murphy (1973),
        doi 10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2; parts within bins: Stephenson, Coelho and
        Jolliffe (2008), doi 10.1175/2007WAF2006116.1. Debiased: Kumar, Liang and Ma (2019), arXiv 1909.10155.
        By chance: Vaicenavicius et al. (2019), arXiv 1902.06977.

    Examples:
        >>> right = np.array([0.0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
        >>> figures = calibration_figures(np.repeat([0.2, 0.8], 5), right)
        >>> round(figures.brier.value, 6), round(figures.error, 6)
        (0.16, 0.0)
    """
    check_seed(seed)
    p, y, left_out = select_labelled(probabilities, correct)
    if p.min() < 0 or p.max() > 1:
        raise InputError("probabilities", f"must lie within 0 to 1, got {p.min()} to {p.max()}")
    if n_bins < 1:
        raise InputError("n_bins", f"must be at least 1, got {n_bins}")
    bins = equal_bins(p, n_bins)
    n = np.bincount(bins).astype(np.float64)
    predicted, observed = np.bincount(bins, p) / n, np.bincount(bins, y) / n
    error, chance = float(n @ np.abs(predicted - observed) / len(p)), _by_chance(bins, p, seed)
    squared: Floats = (predicted - observed) ** 2 - observed * (1 - observed) / np.maximum(n - 1, 1)
    return CalibrationFigures(
        brier=estimate_mean(
            (np.asarray(probabilities) - correct) ** 2,
            bounds=(0, 1),
            clusters=clusters,
            plan=IntervalPlan(interval=interval, seed=seed),
        ),
        brier_of_share=float(y.mean() * (1 - y.mean())),
        parts=_brier_parts(p, y, n, predicted, observed),
        error=error,
        error_by_chance=float(chance.mean()),
        error_p_value=float((1 + (chance >= error - 1e-12).sum()) / (1 + len(chance))),
        debiased_error=max(0.0, float(n @ squared) / len(p)) ** 0.5,
        bins=tuple(
            ReliabilityBin(float(mean), wilson_interval(round(share * size), int(size), interval), int(size))
            for mean, share, size in zip(predicted, observed, n, strict=True)
        ),
        n=len(p),
        n_left_out=left_out,
    )


def equal_bins(values: Floats, n_bins: int) -> Integers:
    """Put values into bins of about equal size; equal values share a bin.

    Returns:
        Shape (n,), the bin of each value, from 0 for the lowest; no bin is empty.

    Examples:
        >>> equal_bins(np.array([0.1, 0.9, 0.1, 0.5]), 2).tolist()
        [0, 1, 0, 1]
    """
    distinct, number, n = np.unique(values, return_inverse=True, return_counts=True)
    before = np.cumsum(n) - n
    # A value belongs to the bin that the middle of its items falls into.
    bins = ((before + n / 2) * min(n_bins, len(distinct)) / len(values)).astype(np.int64)
    return np.asarray(np.unique(bins, return_inverse=True)[1][number])


def _by_chance(bins: Integers, p: Floats, seed: int) -> Floats:
    """Calibration errors of random outcomes drawn with these probabilities."""
    rng = np.random.default_rng(seed)
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], np.arange(bins.max() + 1))
    p = p[order]
    expected = np.add.reduceat(p, starts)
    size = max(1, _BLOCK_CELLS // len(p))
    errors = []
    for start in range(0, _SIMULATIONS, size):
        drawn = rng.random((min(size, _SIMULATIONS - start), len(p))) < p
        right = np.add.reduceat(drawn.astype(np.float64), starts, axis=1)
        errors.append(np.abs(right - expected).sum(axis=1) / len(p))
    return np.concatenate(errors)


def _brier_parts(p: Floats, y: Floats, n: Floats, predicted: Floats, observed: Floats) -> BrierParts:
    share = n / len(p)
    reliability = float(share @ (predicted - observed) ** 2)
    resolution = float(share @ (observed - y.mean()) ** 2)
    uncertainty = float(y.mean() * (1 - y.mean()))
    rest = float(((p - y) ** 2).mean()) - (reliability - resolution + uncertainty)
    return BrierParts(reliability, resolution, uncertainty, rest)


_LEAST_MASS = 1e-6  # a mass of 0 would give an infinite score if one person chose that point


def ranked_probability_scores(pmf: Floats, human: Floats) -> Floats:
    """Compute each text's ranked probability score: its squared distance from people's answers.

    With F the distribution function, it is the mean over the k - 1 thresholds of (F - [answer at or below])^2
    for one answer; for several, the mean over answers. So a text's score is 0 only if all people agree and
    all mass is on their point.

    Args:
        pmf: shape (n, k), predicted masses.
        human: shape (n, k), shares of people's answers.

    Returns:
        Shape (n,), 0 (best) to 1; NaN for NaN.

    References:
        Epstein (1969), doi 10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2. Gneiting and Raftery (2007),
        doi 10.1198/016214506000001437.

    Examples:
        >>> ranked_probability_scores(np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.5, 0.5]])).tolist()
        [0.25]
    """
    below, answered = (np.cumsum(masses, axis=1)[:, :-1] for masses in (pmf, human))
    costs = below**2 * (1 - answered) + (1 - below) ** 2 * answered
    scores: Floats = costs.mean(axis=1)
    return scores


def log_scores(pmf: Floats, human: Floats) -> Floats:
    """Compute each text's log score: mean of -ln(predicted mass) over people's answers, masses at least 1e-6.

    Args:
        pmf: shape (n, k), predicted masses.
        human: shape (n, k), shares of people's answers.

    Returns:
        Shape (n,), in nats, 0 is best; NaN for NaN.

    References:
        Good (1952), doi 10.1111/j.2517-6161.1952.tb00104.x.

    Examples:
        >>> log_scores(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).round(4).tolist()
        [0.6931]
    """
    scores: Floats = -(human * np.log(np.maximum(pmf, _LEAST_MASS))).sum(axis=1)
    return scores


@dataclass(frozen=True)
class EnsembleWeights:
    """Weights of k scores.

    Attributes:
        weights: shape (k,), at least 0; they sum to 1.
        penalty: strength of the ridge penalty towards equal weights.
        n: number of labels they were fitted to.
    """

    weights: Floats
    penalty: float
    n: int


def weighted_mean(scores: Floats, weights: Floats | None = None) -> Floats:
    """Average k scores of each item; a missing score is replaced by its mean over the other items.

    So the remaining scores alone decide the rank of an item without one of the scores. If no item has a
    score, its weight goes to the others.

    Args:
        scores: shape (k, n), NaN where missing.
        weights: shape (k,), at least 0; equal by default.

    Returns:
        Shape (n,); NaN where an item has no score with a weight.

    Examples:
        >>> weighted_mean(np.array([[0.0, 1.0], [0.5, np.nan]]), np.array([0.75, 0.25])).tolist()
        [0.125, 0.875]
    """
    used = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    present = ~np.isnan(scores) & (used > 0)[:, None]
    filled = fill_scores(scores)
    there = ~np.isnan(filled) & (used > 0)[:, None]
    total = (used[:, None] * there).sum(axis=0)
    means: Floats = np.full(scores.shape[1], np.nan)
    summed = (used[:, None] * np.where(there, filled, 0.0)).sum(axis=0)
    np.divide(summed, total, out=means, where=present.any(axis=0))
    return means


def fill_scores(scores: Floats) -> Floats:
    """Replace each missing score by its mean over the items that have it; no label is needed.

    Args:
        scores: shape (k, n), NaN where missing.

    Returns:
        Shape (k, n); NaN for an item without any score, and for a score that no item has.

    Examples:
        >>> fill_scores(np.array([[0.2, 0.4, np.nan], [0.5, np.nan, np.nan]])).tolist()
        [[0.2, 0.4, nan], [0.5, 0.5, nan]]
    """
    there = ~np.isnan(scores)
    return np.where(there | ~there.any(axis=0), scores, mean_of_known(scores)[:, None])


def tune_weights(scores: Floats, correct: Floats, *, seed: int = 0) -> EnsembleWeights:
    """Tune the weights of a mean, so that it separates right items from wrong ones.

    The weights are the slopes of a logistic regression of the labels on the standardised scores, at least 0,
    with a ridge penalty towards their mean that cross-validation chooses.

    Args:
        scores: shape (k, n), NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.
        seed: seed of the 5 random folds.

    Raises:
        InputError: fewer than 40 labelled items with a score, or fewer than 5 right or 5 wrong ones.

    References:
        Weighted means of scorers, tuned on graded answers: Bouchard and Chauhan (2025), arXiv 2504.19254.
    """
    _check_labels(scores, correct)
    return _tune(scores, correct, seed)


def _tune(scores: Floats, correct: Floats, seed: int) -> EnsembleWeights:
    rows = rows_with_label(scores, correct)
    # A score that no item has is 0 throughout, and gets no slope.
    x, y = np.nan_to_num(fill_scores(scores)[:, rows]).T, correct[rows]
    part = stratified_folds(y, folds=min(FOLDS, int(y.sum()), int((1 - y).sum())), seed=seed)
    losses = [
        sum(_validation_loss(x, y, part == fold, penalty) for fold in range(int(part.max()) + 1))
        for penalty in PENALTIES
    ]
    penalty = PENALTIES[int(np.argmin(losses))]
    slopes = _fit(x, y, penalty)[0] / _spread(x)
    total = slopes.sum()
    weights = slopes / total if total > 0 else np.full(len(slopes), 1 / len(slopes))
    return EnsembleWeights(weights, penalty, len(y))


def out_of_fold_scores(scores: Floats, correct: Floats, *, seed: int = 0) -> Floats:
    """Compute each labelled item's weighted mean with weights and penalty that were tuned without this item.

    Accuracy measured with these scores is unbiased; on the labels that weights were tuned on, it is too high.

    Args:
        scores: shape (k, n), NaN where missing.
        correct: shape (n,), 1 right, 0 wrong, NaN unknown.
        seed: seed of the 5 random folds, of the outer and of the inner cross-validation.

    Returns:
        Shape (n,); NaN where there is no score or no label.

    Raises:
        InputError: as ``tune_weights``.
    """
    _check_labels(scores, correct)
    rows, filled = rows_with_label(scores, correct), fill_scores(scores)
    part = stratified_folds(correct[rows], seed=seed)
    nested: Floats = np.full(len(correct), np.nan)
    for fold in range(int(part.max()) + 1):
        inside, outside = rows[part == fold], rows[part != fold]
        tuned = _tune(filled[:, outside], correct[outside], seed + 1)
        nested[inside] = weighted_mean(scores, tuned.weights)[inside]
    return nested


def rows_with_label(scores: Floats, correct: Floats) -> Integers:
    """Return the positions of items with a label and a score, from scores (k, n) and correct (n,)."""
    return np.flatnonzero(~np.isnan(correct) & ~np.isnan(scores).all(axis=0))


def _check_labels(scores: Floats, correct: Floats) -> None:
    y = correct[rows_with_label(scores, correct)]
    right = int(y.sum())
    wrong = len(y) - right
    if len(y) < FEWEST_TUNING or min(right, wrong) < FEWEST_OF_EACH:
        raise InputError(
            f"tuned weights need at least {FEWEST_TUNING} labels of items with a score, {FEWEST_OF_EACH} or "
            f"more of them right and {FEWEST_OF_EACH} or more wrong, got {right} right and {wrong} wrong: "
            "take the plain mean"
        )


def _fit(x: Floats, y: Floats, penalty: float) -> tuple[Floats, float]:
    """Fit slopes of standardised scores, at least 0, and an intercept."""
    from scipy.optimize import minimize  # takes a fifth of a second to import

    z, k = (x - x.mean(axis=0)) / _spread(x), x.shape[1]

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slopes, away = parameters[:k], parameters[:k] - parameters[:k].mean()
        odds = z @ slopes + parameters[k]
        value = float((np.logaddexp(0, odds) - y * odds).sum() + penalty * (away**2).sum())
        wrong = 1 / (1 + np.exp(-odds)) - y
        return value, np.append(z.T @ wrong + 2 * penalty * away, wrong.sum())

    bounds = [(0.0, 50.0)] * k + [(-50.0, 50.0)]
    fitted = minimize(loss, np.append(np.full(k, 1 / k), 0.0), jac=True, bounds=bounds, method="L-BFGS-B").x
    return fitted[:k], float(fitted[k])


def _validation_loss(x: Floats, y: Floats, inside: Mask, penalty: float) -> float:
    outside = ~inside
    slopes, height = _fit(x[outside], y[outside], penalty)
    z = (x[inside] - x[outside].mean(axis=0)) / _spread(x[outside])
    odds = z @ slopes + height
    return float((np.logaddexp(0, odds) - y[inside] * odds).sum())


def _spread(x: Floats) -> Floats:
    spread: Floats = x.std(axis=0)
    return np.where(spread > 1e-12, spread, 1.0)


def random_folds(n: int, *, groups: Integers | None = None, folds: int = FOLDS, seed: int = 0) -> Integers:
    """Split n items at random into folds of similar size; groups stay together.

    Args:
        n: number of items.
        groups: shape (n,), group number of each item; groups are never split. By default each item is a
            group.
        folds: greatest number of folds; fewer if there are fewer groups.
        seed: seed of the random folds.

    Returns:
        Shape (n,), the fold of each item, from 0.

    Examples:
        >>> sorted(np.bincount(random_folds(7, folds=3)).tolist())
        [2, 2, 3]
    """
    number = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    m = int(number.max()) + 1
    drawn = np.random.default_rng(seed).permutation(m) % min(folds, m)
    parted: Integers = drawn[number].astype(np.int64)
    return parted


def stratified_folds(classes: Floats | Integers, *, folds: int = FOLDS, seed: int = 0) -> Integers:
    """Split items at random into folds of similar size, with the same share of every class in each fold.

    Items of a class go to the folds in turn; each class continues at the fold after the previous class. So
    every fold has c / folds items of a class of c items, rounded up or down.

    Args:
        classes: shape (n,), the class of each item.
        folds: number of folds, at least 1.
        seed: seed of the random folds.

    Returns:
        Shape (n,), the fold of each item, from 0.

    Examples:
        >>> fold = stratified_folds(np.repeat([0, 1], [4, 2]), folds=2)
        >>> np.bincount(fold[:4]).tolist(), np.bincount(fold[4:]).tolist()
        ([2, 2], [1, 1])
    """
    mixed = np.random.default_rng(seed).permutation(len(classes))
    dealt = mixed[np.argsort(np.asarray(classes)[mixed], kind="stable")]
    parted: Integers = np.empty(len(classes), np.int64)
    parted[dealt] = np.arange(len(classes)) % folds
    return parted
