"""Curves from scores to the probability of being right: Platt's and isotonic, with cross-fitting."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, ndtri

from semscale.errors import InputError
from semscale.stats.calibration.folds import FOLDS, folds_of
from semscale.stats.intervals.resampling import check_interval, check_seed
from semscale.stats.intervals.shares import wilson_interval
from semscale.types import Floats, Integers

CurveName = Literal["platt", "isotonic"]
"""``platt``: logistic, two numbers. ``isotonic``: any curve that does not fall; needs more labels."""

_MOST_STEPS = 100
_CONVERGED = 1e-10
_FEWEST_LABELS = 2


class ProbabilityCurve(Protocol):
    """Gives the probability of being right for scores."""

    def probability(self, scores: Floats) -> Floats:
        """Give the probability (n,) for scores (n,), NaN for NaN."""
        ...

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Give both ends of the interval of the probability, each (n,), for scores (n,), NaN for NaN."""
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
        """Give the probability (n,) for scores (n,), NaN for NaN."""
        return np.asarray(expit(self._log_odds(scores)))

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Give both ends of the interval of the probability, each (n,), for scores (n,), NaN for NaN.

        Wald's interval of the log odds, whose variance is that of a sum of slope times score and intercept.
        It holds if the curve is logistic.

        Args:
            scores: shape (n,).
            interval: coverage to aim at, between 0 and 1.

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
    """A curve that never falls: straight between its corners, level beyond them.

    Attributes:
        corners: shape (c,), scores in ascending order.
        heights: shape (c,), probabilities there.
        n: labels it was fitted to.
        n_left_out: items without a score or a label.
        pooled: shape (c,), labels that the height is the share of.
    """

    corners: Floats
    heights: Floats
    n: int
    n_left_out: int
    pooled: Integers

    def probability(self, scores: Floats) -> Floats:
        """Give the probability (n,) for scores (n,), NaN for NaN."""
        return np.interp(np.asarray(scores, dtype=np.float64), self.corners, self.heights)

    def bounds(self, scores: Floats, interval: float) -> tuple[Floats, Floats]:
        """Give both ends of the interval of the probability, each (n,), for scores (n,), NaN for NaN.

        At a corner it is Wilson's interval of the share right among the labels that were pooled there;
        between corners its ends are straight.

        Args:
            scores: shape (n,).
            interval: coverage to aim at, between 0 and 1.

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


def fit_platt(scores: Floats, correct: Floats) -> PlattCurve:
    """Fit Platt's logistic curve by Newton's method.

    The targets are not 0 and 1 but 1 / (n0 + 2) and (n1 + 1) / (n1 + 2), for n0 wrong and n1 right labels,
    which keeps the curve finite where scores part right from wrong without an error.

    Args:
        scores: shape (n,), NaN where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.

    Raises:
        InputError: lengths differ, an infinite score, values other than 0, 1 and NaN, or fewer than two
            labels.

    References:
        Platt (1999), Probabilistic Outputs for Support Vector Machines. Lin, Lin and Weng (2007),
        doi 10.1007/s10994-007-5018-6, whose backtracking Newton method this is.

    Example:
        >>> curve = fit_platt(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0.0, 1, 0, 1]))
        >>> curve.probability(np.array([0.5])).round(6).tolist()
        [0.5]
    """
    x, y, left_out = labelled(scores, correct)
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

    Equal scores have one height. Between scores that were seen the curve is straight.

    Args:
        scores: shape (n,), NaN where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.

    Raises:
        InputError: as ``fit_platt``.

    References:
        Zadrozny and Elkan (2002), doi 10.1145/775047.775151.

    Example:
        >>> curve = fit_isotonic(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0.0, 1, 0, 1]))
        >>> curve.probability(np.array([0.0, 0.5, 0.75])).tolist()
        [0.0, 0.5, 0.75]
    """
    x, y, left_out = labelled(scores, correct)
    places, which, n = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=y) / n
    heights = np.asarray(isotonic_regression(means, weights=n).x)
    # The inside of a level stretch says nothing: only its corners are kept.
    level = np.r_[False, heights[1:-1] == heights[:-2], False] if len(heights) > 1 else np.array([False])
    level[1:-1] &= heights[1:-1] == heights[2:]
    pool = np.r_[0, np.cumsum(np.diff(heights) != 0)]
    pooled = np.bincount(pool, weights=n).astype(np.int64)[pool]
    return IsotonicCurve(places[~level], heights[~level], len(y), left_out, pooled[~level])


def fit_curve(scores: Floats, correct: Floats, curve: CurveName) -> ProbabilityCurve:
    """Fit a curve by its name.

    Raises:
        InputError: an unknown name, or as ``fit_platt``.
    """
    if curve == "platt":
        return fit_platt(scores, correct)
    if curve == "isotonic":
        return fit_isotonic(scores, correct)
    raise InputError(f"curve must be platt or isotonic, got {curve!r}")


def cross_fitted(  # noqa: PLR0913 - how folds are made
    scores: Floats,
    correct: Floats,
    curve: CurveName = "platt",
    *,
    folds: int = FOLDS,
    clusters: Integers | None = None,
    seed: int = 0,
) -> Floats:
    """Give each labelled item its probability by a curve that was fitted without it.

    Figures from these are honest; those of a curve on the labels that it was fitted to are not.

    Args:
        scores: shape (n,), NaN where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.
        curve: which one.
        folds: how many parts; each is predicted from the others.
        clusters: shape (n,), what must not be parted, such as answers to one question.
        seed: of the parting.

    Returns:
        Shape (n,); NaN where there is no score or no label.

    Raises:
        InputError: as ``fit_curve``; fewer than 2 folds or fewer clusters than folds.

    Example:
        >>> fitted = cross_fitted(np.array([0.1, np.nan, 0.4, 0.9]), np.array([0.0, 1, 1, 1]), folds=3)
        >>> np.isnan(fitted).tolist()
        [False, True, False, False]
    """
    check_seed(seed)
    scores, correct = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    labelled(scores, correct)
    usable = np.flatnonzero(~np.isnan(scores) & ~np.isnan(correct))
    groups = usable if clusters is None else np.asarray(clusters)[usable]
    m = len(np.unique(groups))
    if folds < 2 or m < folds:  # noqa: PLR2004
        raise InputError(f"folds must be 2 to the {m} labelled items or clusters that there are, got {folds}")
    fold = folds_of(len(usable), groups=groups, folds=folds, seed=seed)
    probabilities = np.full(len(scores), np.nan)
    for part in range(folds):
        inside, outside = usable[fold == part], usable[fold != part]
        fitted = fit_curve(scores[outside], correct[outside], curve)
        probabilities[inside] = fitted.probability(scores[inside])
    return probabilities


def labelled(scores: Floats, correct: Floats) -> tuple[Floats, Floats, int]:
    """Take the items that have a score and a label, and count the others.

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
        raise InputError("scores must be finite, or NaN where missing, got an infinite value")
    if not np.isin(correct[~np.isnan(correct)], (0, 1)).all():
        raise InputError("correct must be 1 for right, 0 for wrong, or NaN, got another value")
    both = ~np.isnan(scores) & ~np.isnan(correct)
    if both.sum() < _FEWEST_LABELS:
        raise InputError(f"correct must have at least 2 labels of items with a score, got {both.sum()}")
    return scores[both], correct[both], int((~both).sum())


def _newton(design: Floats, target: Floats, weights: Floats) -> Floats:
    """Minimise the cross-entropy of two weights, halving a step that does not lead down."""
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
