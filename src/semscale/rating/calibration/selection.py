"""Choice of a method by cross-validation, and honest predictions of what was chosen by nesting it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from semscale.rating.calibration.calibrators import METHODS, MethodName, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.stats.calibration.folds import folds_of
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.types import Floats, Integers, Mask

PREFERRED: MethodName = "ridge"
FEWEST_FOR_STEPS = 100
"""Distinct texts from which ``isotonic`` may be chosen: with fewer, its level steps lose the ranking."""
CHANCE = 0.05
"""Probability at most that a method no better than ``ridge`` is taken in its place."""


@dataclass(frozen=True)
class Choice:
    """A method chosen by cross-validation.

    Attributes:
        method: ``ridge``, or the one with the lowest error where chance is no explanation.
        errors: mean ranked probability score of each method, on texts that it was not fitted to.
    """

    method: MethodName
    errors: dict[MethodName, float]


class NestedPredictions(NamedTuple):
    """Predictions of each fold by the method that was chosen and fitted without it.

    Attributes:
        pmf: shape (n, k), masses.
        chosen: the method that each fold chose.
    """

    pmf: Floats
    chosen: tuple[MethodName, ...]


def cross_predicted(method: MethodName, predictors: Predictors, human: Floats, fold: Integers) -> Floats:
    """Masses (n, k) of each text by a fit to the other folds.

    Args:
        method: which one.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        fold: shape (n,), as ``folds_of`` gives them; a text that is in several is not learnt from for any.
    """
    pmf = np.empty_like(human)
    for part in np.unique(fold):
        inside = fold == part
        known = predictors.without(inside)
        fitted = fit_calibrator(method, predictors.rows(known), human[known])
        pmf[inside] = fitted.pmf(predictors.rows(inside))
    return pmf


def choose_method(
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    methods: Sequence[MethodName] = tuple(METHODS),
    seed: int = 0,
) -> Choice:
    """Choose a method by its cross-validated ranked probability score.

    ``ridge`` shrinks itself towards the zero-shot rating, and differences between methods are mostly chance
    with few labels. It is therefore left only for the method with the lowest error, and only where the
    difference is above the t quantile of ``CHANCE``, shared among the methods that ``ridge`` is compared
    with, times its standard error: over groups where there are some, and over distinct texts otherwise.
    ``isotonic`` is not taken with fewer than 100 distinct texts.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.

    References:
        Sharing a probability of error among comparisons: Dunn (1961), doi 10.1080/01621459.1961.10482090.
    """
    together = predictors.distinct if groups is None else groups
    fold = folds_of(len(predictors), groups=together, seed=seed)
    scores = {
        method: ranked_probability_scores(cross_predicted(method, predictors, human, fold), human)
        for method in methods
    }
    errors = {method: float(each.mean()) for method, each in scores.items()}
    allowed = [method for method in methods if method != "isotonic" or _has_enough_for_steps(predictors)]
    best = min(allowed, key=lambda method: errors[method])
    if PREFERRED not in scores:
        return Choice(best, errors)
    excess = scores[PREFERRED] - scores[best]
    is_clear = excess.mean() > _largest_by_chance(excess, together, len(allowed) - 1)
    return Choice(best if is_clear else PREFERRED, errors)


def nested_predictions(
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    methods: Sequence[MethodName] = tuple(METHODS),
    seed: int = 0,
) -> NestedPredictions:
    """Predict each fold by the method that was chosen and fitted without it, as a new text would be.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.
    """
    pmf, chosen = np.empty_like(human), []
    for inside in outer_folds(predictors, groups, seed):
        outside = predictors.without(inside)
        known, answers = predictors.rows(outside), human[outside]
        inner = None if groups is None else groups[outside]
        method = choose_method(known, answers, groups=inner, methods=methods, seed=seed).method
        chosen.append(method)
        pmf[inside] = fit_calibrator(method, known, answers).pmf(predictors.rows(inside))
    return NestedPredictions(pmf, tuple(chosen))


def fewest_learnt_from(predictors: Predictors, *, groups: Integers | None = None, seed: int = 0) -> int:
    """Count the distinct texts of the smallest fit that ``nested_predictions`` makes.

    Args:
        predictors: of n texts.
        groups: shape (n,), groups that are left out whole.
        seed: of the folds.
    """
    together = predictors.distinct if groups is None else groups
    fewest = len(predictors)
    for inside in outer_folds(predictors, groups, seed):
        outside = predictors.without(inside)
        if not outside.any():
            return 0
        known = predictors.rows(outside)
        inner = folds_of(len(known), groups=together[outside], seed=seed)
        for part in np.unique(inner):
            learnt = known.distinct[known.without(inner == part)]
            fewest = min(fewest, len(np.unique(learnt)))
    return fewest


def grouped_standard_error(differences: Floats, groups: Integers) -> float:
    """Standard error of a mean whose items vary by groups: from the sums of deviations in each group.

    Args:
        differences: shape (n,).
        groups: shape (n,), at least two.

    References:
        Sarndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, section 4.2.

    Example:
        >>> each = grouped_standard_error(np.array([0.0, 0.0, 2.0, 2.0]), np.arange(4))
        >>> pairs = grouped_standard_error(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
        >>> round(each, 4), pairs
        (0.5774, 1.0)
    """
    place = np.unique(groups, return_inverse=True)[1]
    sums = np.bincount(place, differences - differences.mean())
    m = len(sums)
    return float(np.sqrt(m / (m - 1) * (sums**2).sum()) / len(differences))


def _has_enough_for_steps(predictors: Predictors) -> bool:
    return len(np.unique(predictors.distinct)) >= FEWEST_FOR_STEPS


def _largest_by_chance(excess: Floats, groups: Integers, comparisons: int) -> float:
    """Mean difference that the best of several equal methods reaches with the probability ``CHANCE``."""
    freedom = len(np.unique(groups)) - 1
    quantile = float(stdtrit(freedom, 1 - CHANCE / max(comparisons, 1)))
    return quantile * grouped_standard_error(excess, groups)


def outer_folds(predictors: Predictors, groups: Integers | None, seed: int) -> Iterator[Mask]:
    """Mark the texts (n,) of each fold that is predicted by a choice and a fit without it.

    Args:
        predictors: of n texts.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the folds.
    """
    together = predictors.distinct if groups is None else groups
    fold = folds_of(len(predictors), groups=together, seed=seed + 1)
    for part in np.unique(fold):
        yield fold == part
