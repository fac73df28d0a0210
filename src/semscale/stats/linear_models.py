"""Linear regression with standard errors that hold where the spread differs, or rows belong together."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from semscale.errors import InputError
from semscale.stats.cluster_robust import cluster_robust
from semscale.types import Floats, Integers

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of a linear model, the intercept left out.

    Attributes:
        value: shape (k,), per unit of each predictor, all others held fast.
        low: shape (k,), lower end of the interval.
        high: shape (k,), upper end.
        p_value: shape (k,), of the hypothesis that it is 0.
        n: rows.
        r_squared: share of the response's variance that the model explains, 0 to 1.
    """

    value: Floats
    low: Floats
    high: Floats
    p_value: Floats
    n: int
    r_squared: float


def robust_regression(
    response: Floats,
    predictors: Floats,
    *,
    weights: Floats | None = None,
    clusters: Integers | None = None,
    interval: float = 0.95,
) -> Coefficients:
    """Fit a linear model by least squares, with HC3 or CR2 standard errors and t quantiles.

    Without clusters the covariance is (X'X)^-1 X' diag(e_i^2 / (1 - h_i)^2) X (X'X)^-1 with residuals e and
    leverages h; a row that decides its own fit has leverage 1 and is refused. With clusters it is that of
    ``cluster_robust``, and each coefficient has its own degrees of freedom.

    Args:
        response: shape (n,), finite.
        predictors: shape (n, k), finite, without the constant.
        weights: shape (n,), above 0; each row's squares count by it. All alike unless given.
        clusters: shape (n,), to whom or what each row belongs; two or more of them.
        interval: coverage to aim at, between 0 and 1.

    Raises:
        InputError: no more rows than coefficients, predictors that depend on each other, a row that alone
            decides a coefficient, or one cluster alone.

    References:
        MacKinnon and White (1985), doi 10.1016/0304-4076(85)90158-7; Long and Ervin (2000),
        doi 10.1080/00031305.2000.10474549, who recommend HC3. CR2: as ``cluster_robust``.

    Example:
        >>> found = robust_regression(np.array([1.0, 3, 4, 6]), np.array([[0.0], [0], [1], [1]]))
        >>> found.value.round(6).tolist()
        [3.0]
    """
    n, k = predictors.shape
    used = np.ones(n) if weights is None else weights / weights.mean()
    design = np.column_stack([np.ones(n), predictors])
    if n <= k + 1 or np.linalg.matrix_rank(design * np.sqrt(used)[:, None]) <= k:
        raise InputError(
            f"predictors must be independent and fewer than the rows, got {k} of them and {n} rows"
        )
    weighted = used[:, None] * design
    inverse = np.linalg.inv(design.T @ weighted)
    fitted = inverse @ weighted.T @ response
    residuals = response - design @ fitted
    if clusters is None:
        errors, freedom = _by_rows(design, weighted, inverse, residuals)
    elif len(np.unique(clusters)) == 1:
        raise InputError("clusters must be 2 or more: one alone says nothing of how clusters differ")
    else:
        errors, freedom = cluster_robust(design, residuals, used, clusters)
    value, errors, freedom = fitted[1:], errors[1:], freedom[1:]
    half = stdtrit(freedom, (1 + interval) / 2) * errors
    t = np.divide(np.abs(value), errors, out=np.full(k, np.inf), where=errors > 0)
    total = float((used * (response - np.average(response, weights=used)) ** 2).sum())
    explained = 1 - float((used * residuals**2).sum()) / total if total > 0 else float("nan")
    return Coefficients(value, value - half, value + half, 2 * stdtr(freedom, -t), n, explained)


def _by_rows(design: Floats, weighted: Floats, inverse: Floats, residuals: Floats) -> tuple[Floats, Floats]:
    """HC3 standard errors, and the degrees of freedom that rows leave, each of shape (k + 1,).

    Raises:
        InputError: a row that alone decides a coefficient.
    """
    leverage = np.einsum("ij,jk,ik->i", weighted, inverse, design)
    if leverage.max() > 1 - _ROUNDING:
        raise InputError(f"predictors must not mark a single row, as row {int(leverage.argmax()) + 1} is")
    spread = weighted * (residuals / (1 - leverage))[:, None]
    errors = np.sqrt(np.diag(inverse @ (spread.T @ spread) @ inverse))
    return errors, np.full(len(errors), float(len(design) - len(errors)))


def independent_columns(predictors: Floats) -> list[int]:
    """Choose columns, from the first, that neither are constant nor follow from those before them.

    Example:
        >>> independent_columns(np.array([[1.0, 0, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1]]))
        [1, 3]
    """
    kept: list[int] = []
    design = np.ones((len(predictors), 1))
    for place in range(predictors.shape[1]):
        wider = np.column_stack([design, predictors[:, place]])
        if np.linalg.matrix_rank(wider) == wider.shape[1]:
            kept.append(place)
            design = wider
    return kept
