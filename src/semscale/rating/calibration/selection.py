"""Choice of a method by cross-validation, and honest predictions of what was chosen by nesting it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.rating.calibration.calibrators import METHODS, MethodName, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.stats.calibration.folds import folds_of
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.types import Floats, Integers

PREFERRED: MethodName = "ridge"


@dataclass(frozen=True)
class Choice:
    """A method chosen by cross-validation.

    Attributes:
        method: ``ridge``, or the one with the lowest error where that is clearly lower.
        errors: mean ranked probability score of each method, on texts that it was not fitted to.
    """

    method: MethodName
    errors: dict[MethodName, float]


def cross_predicted(method: MethodName, predictors: Predictors, human: Floats, fold: Integers) -> Floats:
    """Masses (n, k) of each text by a fit to the other folds.

    Args:
        method: which one.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        fold: shape (n,), as ``folds_of`` gives them.
    """
    pmf = np.empty_like(human)
    for part in np.unique(fold):
        inside = fold == part
        fitted = fit_calibrator(method, predictors.rows(~inside), human[~inside])
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
    with few labels. It is therefore left only for a method whose error is lower by more than one standard
    error of the difference.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.

    References:
        The one-standard-error rule: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical
        Learning, section 7.10.
    """
    fold = folds_of(len(predictors), groups=groups, seed=seed)
    scores = {
        method: ranked_probability_scores(cross_predicted(method, predictors, human, fold), human)
        for method in methods
    }
    errors = {method: float(each.mean()) for method, each in scores.items()}
    best = min(errors, key=lambda method: errors[method])
    if PREFERRED not in scores:
        return Choice(best, errors)
    excess = scores[PREFERRED] - scores[best]
    is_clear = excess.mean() > excess.std(ddof=1) / np.sqrt(len(excess))
    return Choice(best if is_clear else PREFERRED, errors)


def nested_predictions(
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    methods: Sequence[MethodName] = tuple(METHODS),
    seed: int = 0,
) -> tuple[Floats, tuple[MethodName, ...]]:
    """Predict each fold by the method that was chosen and fitted without it, as a new text would be.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.

    Returns:
        Masses (n, k), and the method that each fold chose.
    """
    outer = folds_of(len(predictors), groups=groups, seed=seed + 1)
    pmf, chosen = np.empty_like(human), []
    for part in np.unique(outer):
        inside = outer == part
        known, answers = predictors.rows(~inside), human[~inside]
        inner = None if groups is None else groups[~inside]
        method = choose_method(known, answers, groups=inner, methods=methods, seed=seed).method
        chosen.append(method)
        pmf[inside] = fit_calibrator(method, known, answers).pmf(predictors.rows(inside))
    return pmf, tuple(chosen)
