"""Weighted means of several scores, with weights tuned on labels."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from semscale.errors import InputError
from semscale.stats.calibration.folds import FOLDS, stratified_folds
from semscale.types import Floats, Integers, Mask

PENALTIES = (0.01, 0.1, 1.0, 10.0)
"""How strongly weights are drawn to equal ones; cross-validation chooses."""
FEWEST_TUNING = 40
"""Labels of items with a score that tuning needs, of both kinds together."""
FEWEST_OF_EACH = FOLDS
"""Labels of each kind that tuning needs, so that every fold has one."""


@dataclass(frozen=True)
class EnsembleWeights:
    """Weights of k scores.

    Attributes:
        weights: shape (k,), at least 0; they sum to 1.
        penalty: how strongly they were drawn to equal ones.
        n: labels they were fitted to.
    """

    weights: Floats
    penalty: float
    n: int


def weighted_mean(scores: Floats, weights: Floats | None = None) -> Floats:
    """Average k scores of each item; a missing one counts as the mean of that score over the other items.

    So an item without one of the scores is placed by the others alone, whatever scale each of them has. A
    score that no item has leaves its weight to the others.

    Args:
        scores: shape (k, n), NaN where there is none.
        weights: shape (k,), at least 0; equal unless given.

    Returns:
        Shape (n,); NaN where an item has no score with a weight.

    Example:
        >>> weighted_mean(np.array([[0.0, 1.0], [0.5, np.nan]]), np.array([0.75, 0.25])).tolist()
        [0.125, 0.875]
    """
    used = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    own = ~np.isnan(scores) & (used > 0)[:, None]
    filled = filled_scores(scores)
    there = ~np.isnan(filled) & (used > 0)[:, None]
    total = (used[:, None] * there).sum(axis=0)
    means: Floats = np.full(scores.shape[1], np.nan)
    summed = (used[:, None] * np.where(there, filled, 0.0)).sum(axis=0)
    np.divide(summed, total, out=means, where=own.any(axis=0))
    return means


def filled_scores(scores: Floats) -> Floats:
    """Put in the place of a missing score its mean over the items that have it; no label is needed.

    Args:
        scores: shape (k, n), NaN where there is none.

    Returns:
        Shape (k, n); NaN where an item has no score at all, and in a score that no item has.

    Example:
        >>> filled_scores(np.array([[0.2, 0.4, np.nan], [0.5, np.nan, np.nan]])).tolist()
        [[0.2, 0.4, nan], [0.5, 0.5, nan]]
    """
    there = ~np.isnan(scores)
    counts = there.sum(axis=1)
    means: Floats = np.full(len(scores), np.nan)
    np.divide(np.where(there, scores, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return np.where(there | ~there.any(axis=0), scores, means[:, None])


def tune_weights(scores: Floats, correct: Floats, *, folds: int = FOLDS, seed: int = 0) -> EnsembleWeights:
    """Tune the weights of a mean, so that it tells right items from wrong ones.

    The weights are the slopes of a logistic regression of the labels on the scores, each divided by its
    spread, none of them below 0, drawn to their mean by a ridge penalty that cross-validation chooses.

    Args:
        scores: shape (k, n), NaN where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.
        folds: parts of the cross-validation.
        seed: of the parting.

    Raises:
        InputError: fewer than 40 labels of items with a score, or fewer of one kind than ``folds``.

    References:
        Weighted means of scorers, tuned on graded answers: Bouchard and Chauhan (2025), arXiv 2504.19254.
    """
    _check_labels(scores, correct, folds)
    return _tuned(scores, correct, folds=folds, seed=seed)


def _tuned(scores: Floats, correct: Floats, *, folds: int, seed: int) -> EnsembleWeights:
    x, y = _usable(scores, correct)
    part = stratified_folds(y, folds=min(folds, int(y.sum()), int((1 - y).sum())), seed=seed)
    losses = [
        sum(_held_out_loss(x, y, part == fold, penalty) for fold in range(int(part.max()) + 1))
        for penalty in PENALTIES
    ]
    penalty = PENALTIES[int(np.argmin(losses))]
    return EnsembleWeights(_weights(_fit(x, y, penalty)[0], x), penalty, len(y))


def nested_scores(scores: Floats, correct: Floats, *, folds: int = FOLDS, seed: int = 0) -> Floats:
    """Give each labelled item the weighted mean whose weights and penalty were tuned without it.

    Figures from these are honest; those of weights on the labels that they were tuned on are not.

    Args:
        scores: shape (k, n), NaN where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.
        folds: parts of the outer and of the inner cross-validation.
        seed: of the parting.

    Returns:
        Shape (n,); NaN where there is no score or no label.

    Raises:
        InputError: as ``tune_weights``.
    """
    _check_labels(scores, correct, folds)
    rows, filled = labelled_rows(scores, correct), filled_scores(scores)
    part = stratified_folds(correct[rows], folds=folds, seed=seed)
    found: Floats = np.full(len(correct), np.nan)
    for fold in range(int(part.max()) + 1):
        inside, outside = rows[part == fold], rows[part != fold]
        tuned = _tuned(filled[:, outside], correct[outside], folds=folds, seed=seed + 1)
        found[inside] = weighted_mean(scores, tuned.weights)[inside]
    return found


def _usable(scores: Floats, correct: Floats) -> tuple[Floats, Floats]:
    """Give the labelled items' scores, shape (m, k), missing ones filled; 0 for a score that no item has."""
    rows = labelled_rows(scores, correct)
    return np.nan_to_num(filled_scores(scores)[:, rows]).T, correct[rows]


def labelled_rows(scores: Floats, correct: Floats) -> Integers:
    """Number the items that have a label and a score: scores (k, n), correct (n,), both NaN where missing."""
    return np.flatnonzero(~np.isnan(correct) & ~np.isnan(scores).all(axis=0))


def _check_labels(scores: Floats, correct: Floats, of_each: int) -> None:
    y = correct[labelled_rows(scores, correct)]
    right = int(y.sum())
    wrong = len(y) - right
    if len(y) < FEWEST_TUNING or min(right, wrong) < of_each:
        raise InputError(
            f"tuned weights need at least {FEWEST_TUNING} labels of items with a score, {of_each} or more of "
            f"them right and {of_each} or more wrong, got {right} right and {wrong} wrong: take the plain "
            "mean"
        )


def _fit(x: Floats, y: Floats, penalty: float) -> tuple[Floats, float]:
    """Fit slopes of standardised scores, at least 0, and an intercept."""
    z, k = (x - x.mean(axis=0)) / _spread(x), x.shape[1]

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slopes, away = parameters[:k], parameters[:k] - parameters[:k].mean()
        odds = z @ slopes + parameters[k]
        value = float((np.logaddexp(0, odds) - y * odds).sum() + penalty * (away**2).sum())
        wrong = 1 / (1 + np.exp(-odds)) - y
        return value, np.append(z.T @ wrong + 2 * penalty * away, wrong.sum())

    bounds = [(0.0, 50.0)] * k + [(-50.0, 50.0)]
    found = minimize(loss, np.append(np.full(k, 1 / k), 0.0), jac=True, bounds=bounds, method="L-BFGS-B").x
    return found[:k], float(found[k])


def _weights(slopes: Floats, x: Floats) -> Floats:
    """Turn slopes of standardised scores into weights that sum to 1; equal ones if all slopes are 0."""
    raw = slopes / _spread(x)
    total = raw.sum()
    return raw / total if total > 0 else np.full(len(raw), 1 / len(raw))


def _held_out_loss(x: Floats, y: Floats, inside: Mask, penalty: float) -> float:
    outside = ~inside
    slopes, height = _fit(x[outside], y[outside], penalty)
    z = (x[inside] - x[outside].mean(axis=0)) / _spread(x[outside])
    odds = z @ slopes + height
    return float((np.logaddexp(0, odds) - y[inside] * odds).sum())


def _spread(x: Floats) -> Floats:
    spread: Floats = x.std(axis=0)
    return np.where(spread > 1e-12, spread, 1.0)  # noqa: PLR2004 - a constant score has no slope
