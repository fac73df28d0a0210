"""Learning curve: the error with fewer labels, and what more labels may be worth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semscale.rating.calibration.calibrators import MethodName, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.rating.calibration.selection import NestedPredictions, outer_folds
from semscale.stats.agreement.correlations import pearson
from semscale.stats.agreement.panels import mean_defined
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.types import Floats, Integers, Mask

_SHARES = (0.25, 0.5)
_DRAWS = 2
_FEWEST_LABELS = 8
_TIMES = (1, 2, 4)


class CurvePoint(NamedTuple):
    """Error and correlation with some number of labels.

    Attributes:
        n: labelled texts.
        ranked_probability: mean ranked probability score on other texts.
        pearson: correlation with people's means on other texts; NaN where it was extrapolated.
        is_forecast: whether it was extrapolated and not measured.
    """

    n: int
    ranked_probability: float
    pearson: float
    is_forecast: bool


def learning_curve(
    nested: NestedPredictions,
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    seed: int = 0,
) -> tuple[CurvePoint, ...]:
    """Test the chosen methods with a quarter, a half and all of the labels that each fold leaves.

    Each text is predicted by fits without its fold, so all sizes are tested on the same texts. The last
    measured point is the nested predictions' own error. All labels, twice and four times as many are
    extrapolated by a + b / n through the measured errors.

    Args:
        nested: of the same texts and seed.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the draws.

    Returns:
        Measured points, then forecasts; empty where fewer than two sizes have 8 labels.
    """
    names = predictors.distinct if groups is None else np.unique(groups, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    folds = tuple(outer_folds(predictors, groups, seed))
    known = [predictors.without(inside) for inside in folds]
    points = []
    for share in _SHARES:
        found = []
        for _ in range(_DRAWS):
            parts = [rows & (_places(names, rows, rng) <= share) for rows in known]
            if min(part.sum() for part in parts) < _FEWEST_LABELS:
                break
            pmf = _predicted(predictors, human, folds, parts, nested.chosen)
            n = float(np.mean([part.sum() for part in parts]))
            found.append((n, *_tested(pmf, human, predictors.values)))
        if found:
            n, rps, r = mean_defined(np.array(found))
            points.append(CurvePoint(round(n), float(rps), float(r), is_forecast=False))
    whole = round(float(np.mean([rows.sum() for rows in known])))
    points.append(CurvePoint(whole, *_tested(nested.pmf, human, predictors.values), is_forecast=False))
    return (*points, *_forecasts(points, len(predictors))) if len(points) > 1 else ()


def _places(names: Integers, rows: Mask, rng: np.random.Generator) -> Floats:
    """Put names of some rows in random order, shape (n,): places above 0 to 1."""
    present = np.unique(names[rows])
    place = np.full(names.max() + 1, np.inf)
    place[present] = (rng.permutation(len(present)) + 0.5) / len(present)
    places: Floats = place[names]
    return places


def _predicted(
    predictors: Predictors,
    human: Floats,
    folds: Sequence[Mask],
    parts: Sequence[Mask],
    methods: Sequence[MethodName],
) -> Floats:
    """Masses (n, k) of each fold by its method, fitted to a part of the others."""
    pmf = np.empty_like(human)
    for inside, part, method in zip(folds, parts, methods, strict=True):
        fitted = fit_calibrator(method, predictors.rows(part), human[part])
        pmf[inside] = fitted.pmf(predictors.rows(inside))
    return pmf


def extrapolated(sizes: Floats, errors: Floats, n: int) -> float:
    """Error at n labels by least squares of a + b / n, where a and b are not negative.

    Example:
        >>> round(extrapolated(np.array([10.0, 20.0]), np.array([0.3, 0.2]), 40), 6)
        0.15
    """
    inverse = 1 / sizes
    slope = np.cov(inverse, errors, bias=True)[0, 1] / inverse.var()
    slope = min(max(float(slope), 0.0), float(errors.mean() / inverse.mean()))
    return float(errors.mean() - slope * inverse.mean()) + slope / n


def _tested(pmf: Floats, human: Floats, values: Floats) -> tuple[float, float]:
    return float(ranked_probability_scores(pmf, human).mean()), pearson(pmf @ values, human @ values)


def _forecasts(points: list[CurvePoint], n: int) -> list[CurvePoint]:
    sizes = np.array([float(point.n) for point in points])
    errors = np.array([point.ranked_probability for point in points])
    return [
        CurvePoint(times * n, extrapolated(sizes, errors, times * n), float("nan"), is_forecast=True)
        for times in _TIMES
    ]
