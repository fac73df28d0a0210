"""Learning curve: the error with fewer labels, and what more labels may be worth."""

from typing import NamedTuple

import numpy as np

from semscale.rating.calibration.calibrators import MethodName, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.stats.agreement.correlations import pearson
from semscale.stats.agreement.panels import mean_defined
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.types import Floats, Integers

_SHARES = (0.2, 0.4, 0.8)
_DRAWS = 5
_FEWEST_LABELS = 8
_TIMES = (2, 4)


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
    method: MethodName,
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    seed: int = 0,
) -> tuple[CurvePoint, ...]:
    """Fit a method to 20, 40 and 80 % of the labels, five times each, and test it on the same other texts.

    Twice and four times the labels are extrapolated by a + b / n through the measured errors.

    Args:
        method: which one.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the draws.

    Returns:
        Measured points, then forecasts; empty where fewer than two shares have 8 labels.
    """
    n = len(predictors)
    names = predictors.distinct if groups is None else np.unique(groups, return_inverse=True)[1]
    found: dict[float, list[tuple[int, float, float]]] = {share: [] for share in _SHARES}
    rng = np.random.default_rng(seed)
    for _ in range(_DRAWS):
        place = (rng.permutation(names.max() + 1)[names] + 0.5) / (names.max() + 1)
        test = place > _SHARES[-1]
        new = predictors.without(test)
        for share in _SHARES:
            train = (place <= share) & new
            if train.sum() < _FEWEST_LABELS or not test.any():
                continue
            fitted = fit_calibrator(method, predictors.rows(train), human[train])
            found[share].append(
                (
                    int(train.sum()),
                    *_tested(fitted.pmf(predictors.rows(test)), human[test], predictors.values),
                )
            )
    measured = [mean_defined(np.array(each)) for each in found.values() if each]
    points = [CurvePoint(round(n), float(rps), float(r), is_forecast=False) for n, rps, r in measured]
    return (*points, *_forecasts(points, n)) if len(points) > 1 else ()


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
