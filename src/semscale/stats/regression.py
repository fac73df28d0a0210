"""Linear regression with robust errors, and strengths from paired comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, stdtr

from semscale.errors import InputError
from semscale.stats.intervals import DEFAULT_INTERVAL, Estimate, check_interval, t_half_width
from semscale.types import Floats, Integers

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of a linear model, without the intercept.

    Attributes:
        value: shape (k,), change per unit of each predictor, with the others constant.
        low: shape (k,), lower end of the interval.
        high: shape (k,), upper end.
        p_value: shape (k,), p-value of the hypothesis that it is 0.
        n: number of rows.
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
    leverages h; a row that alone decides its fit has leverage 1, which is an error. With clusters, it is that
    of ``cluster_robust``, with degrees of freedom for each coefficient.

    Args:
        response: shape (n,), finite.
        predictors: shape (n, k), finite, without the constant.
        weights: shape (n,), above 0, weights of the squared residuals; all equal by default.
        clusters: shape (n,), cluster of each row, such as its respondent; at least two clusters.
        interval: nominal coverage, between 0 and 1.

    Raises:
        InputError: no more rows than coefficients, predictors that depend on each other, a row that alone
            decides a coefficient, or one cluster alone.

    References:
        MacKinnon and White (1985), doi 10.1016/0304-4076(85)90158-7; Long and Ervin (2000),
        doi 10.1080/00031305.2000.10474549, who recommend HC3. CR2: as ``cluster_robust``.

    Examples:
        >>> fitted = robust_regression(np.array([1.0, 3, 4, 6]), np.array([[0.0], [0], [1], [1]]))
        >>> fitted.value.round(6).tolist()
        [3.0]
    """
    n, k = predictors.shape
    used = np.ones(n) if weights is None else weights / weights.mean()
    design = np.column_stack([np.ones(n), predictors])
    if n <= k + 1 or np.linalg.matrix_rank(design * np.sqrt(used)[:, None]) <= k:
        raise InputError(
            "predictors", f"must be independent and fewer than the rows, got {k} of them and {n} rows"
        )
    weighted = used[:, None] * design
    inverse = np.linalg.inv(design.T @ weighted)
    fitted = inverse @ weighted.T @ response
    residuals = response - design @ fitted
    if clusters is None:
        errors, freedom = _by_rows(design, weighted, inverse, residuals)
    elif len(np.unique(clusters)) == 1:
        raise InputError(
            "clusters", "must be 2 or more: a single cluster does not show the variation between clusters"
        )
    else:
        errors, freedom = cluster_robust(design, residuals, used, clusters)
    value, errors, freedom = fitted[1:], errors[1:], freedom[1:]
    half = t_half_width(errors, freedom, interval)
    t = np.divide(np.abs(value), errors, out=np.full(k, np.inf), where=errors > 0)
    total = float((used * (response - np.average(response, weights=used)) ** 2).sum())
    explained = 1 - float((used * residuals**2).sum()) / total if total > 0 else float("nan")
    return Coefficients(value, value - half, value + half, 2 * stdtr(freedom, -t), n, explained)


def _by_rows(design: Floats, weighted: Floats, inverse: Floats, residuals: Floats) -> tuple[Floats, Floats]:
    """HC3 standard errors and degrees of freedom, each of shape (k + 1,).

    Raises:
        InputError: a row that alone decides a coefficient.
    """
    leverage = np.einsum("ij,jk,ik->i", weighted, inverse, design)
    if leverage.max() > 1 - _ROUNDING:
        raise InputError("predictors", f"must not mark a single row, as row {int(leverage.argmax()) + 1} is")
    spread = weighted * (residuals / (1 - leverage))[:, None]
    errors = np.sqrt(np.diag(inverse @ (spread.T @ spread) @ inverse))
    return errors, np.full(len(errors), float(len(design) - len(errors)))


def independent_columns(predictors: Floats) -> list[int]:
    """Choose columns, from the first, whose coefficients can be told apart by more than a single row.

    A column is left out if it is constant, a linear combination of earlier ones, or one but for a single row,
    which would alone decide a coefficient.

    Examples:
        >>> rows = np.array([[1.0, 0, 1, 0, 0], [1, 1, 0, 1, 1], [1, 0, 1, 1, 0], [1, 0, 1, 0, 0]])
        >>> independent_columns(np.vstack([rows, rows]))
        [1, 3]
        >>> independent_columns(np.vstack([rows, rows, [[1, 0, 1, 0, 1]]]))  # the last is the second but here
        [1, 3]
    """
    chosen: list[int] = []
    design = np.ones((len(predictors), 1))
    for column in range(predictors.shape[1]):
        wider = np.column_stack([design, predictors[:, column]])
        if np.linalg.matrix_rank(wider) < wider.shape[1]:
            continue
        leverage = (np.linalg.qr(wider).Q ** 2).sum(axis=1)
        if leverage.max() <= 1 - _ROUNDING:
            chosen.append(column)
            design = wider
    return chosen


_SINGULAR = 1e-12


def cluster_robust(
    design: Floats, residuals: Floats, weights: Floats, clusters: Integers
) -> tuple[Floats, Floats]:
    """Estimate the standard errors of weighted least squares, with degrees of freedom for each coefficient.

    With M = (X'WX)^-1 and H = X M X'W, the covariance is the sum over clusters i of v_i v_i', where v_i = M
    X_i' W_i A_i e_i, and A_i is the symmetric inverse root of (I - H)_i (I - H)_i'. So the variance is
    unbiased if errors are independent with equal variance, and consistent for many clusters otherwise. The
    variance of one coefficient is a quadratic form of the errors; its degrees of freedom are those of the
    chi-square with the same first two moments, (sum of p_ii)^2 / (sum of p_ij^2) with p_ij the products of
    the clusters' parts. They are few with few clusters, or if a predictor differs in few of them.

    Args:
        design: shape (n, p), with the constant.
        residuals: shape (n,), of the weighted fit.
        weights: shape (n,), above 0.
        clusters: shape (n,), the cluster of each row.

    Returns:
        Standard errors and degrees of freedom, each of shape (p,).

    References:
        Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
        samples, Survey Methodology 28; Pustejovsky and Tipton (2018), doi 10.1080/07350015.2016.1247004,
        equations 5, 6 and 11, with independent errors of one variance as the working model. Results equal
        those of ``clubSandwich`` for ``lm``.
    """
    inverse = np.linalg.inv(design.T @ (weights[:, None] * design))
    weighted = weights[:, None] * design
    squared = inverse @ (weighted.T @ weighted) @ inverse
    core = np.block([[squared, -inverse], [-inverse, np.zeros_like(inverse)]])
    reach = weighted @ inverse
    p = design.shape[1]
    numbers = np.unique(clusters, return_inverse=True)[1]
    m = int(numbers.max()) + 1
    moved, squares = np.empty((m, p)), np.empty((m, p))
    sides = np.empty((m, 2 * p, p))
    order, sizes = np.argsort(numbers, kind="stable"), np.bincount(numbers)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        rows = order[starts[those][:, None] + np.arange(size)]
        both = np.concatenate([design[rows], weighted[rows]], axis=2)
        parts = _adjust(both, core, reach[rows])
        moved[those] = np.einsum("isp,is->ip", parts, residuals[rows])
        squares[those] = (parts**2).sum(axis=1)
        sides[those] = both.transpose(0, 2, 1) @ parts
    freedom = np.array([_freedom(squares[:, column], sides[:, :, column], core) for column in range(p)])
    return np.sqrt((moved**2).sum(axis=0)), freedom


def _adjust(both: Floats, core: Floats, reach: Floats) -> Floats:
    """Multiply rows of ``reach`` (m, s, p) by A of their clusters, all of size s.

    (I - H)_i (I - H)_i' is I + U C U' with U = [X_i, W_i X_i]; so its root differs from I only in the space
    of U's columns, and the cost is linear in the rows of a cluster.
    """
    basis, coordinates = np.linalg.qr(both)
    values, vectors = np.linalg.eigh(
        np.eye(basis.shape[2]) + coordinates @ core @ coordinates.transpose(0, 2, 1)
    )
    roots = np.zeros_like(values)
    np.power(values, -0.5, out=roots, where=values > _SINGULAR)
    turned = vectors.transpose(0, 2, 1) @ (basis.transpose(0, 2, 1) @ reach)
    adjusted: Floats = reach + basis @ (vectors @ ((roots - 1)[:, :, None] * turned))
    return adjusted


def _freedom(squared: Floats, sides: Floats, core: Floats) -> float:
    """Degrees of freedom by the products p_ij: ``squared`` (m,) on the diagonal, S C S' with S (m, 2 p)."""
    product = sides @ core
    diagonal = (product * sides).sum(axis=1)
    trace = squared.sum() + diagonal.sum()
    inner = core @ (sides.T @ sides)
    squares = (squared**2).sum() + 2 * (squared * diagonal).sum() + np.trace(inner @ inner)
    return float(trace**2 / squares)


_MOST_STEPS = 200

_SMALLEST_STEP = 1e-10

_NO_VARIANCE = 1e-12  # variance on the scale of log-odds


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths of k competitors, on the scale of log-odds.

    The chance that i is preferred to j is ``1 / (1 + exp(strength j - strength i))``.

    A chance has no interval if all clusters have the same scores, as the variance is then unknown.

    Attributes:
        strengths: shape (k,); their mean is 0.
        covariance: shape (k, k), of the strengths; NaN with fewer than two clusters.
        n_clusters: independent units: comparisons, or the caller's clusters.
    """

    strengths: Floats
    covariance: Floats
    n_clusters: int

    def chance(self, first: int, second: int, *, interval: float = DEFAULT_INTERVAL) -> Estimate:
        """Estimate the chance that one competitor is preferred to another, from 0 to 1.

        Args:
            first: number of the first competitor, from 0.
            second: number of the second competitor.
            interval: nominal coverage of the interval, between 0 and 1.
        """
        contrast = np.zeros(len(self.strengths))
        contrast[first] += 1.0
        contrast[second] -= 1.0
        return self._chance(contrast, interval)

    def chance_against_average(self, which: int, *, interval: float = DEFAULT_INTERVAL) -> Estimate:
        """Estimate the chance, 0 to 1, to be preferred to a competitor with the others' mean strength."""
        k = len(self.strengths)
        contrast = np.full(k, -1.0 / (k - 1))
        contrast[which] = 1.0
        return self._chance(contrast, interval)

    def _chance(self, contrast: Floats, interval: float) -> Estimate:
        check_interval(interval)
        logit = float(contrast @ self.strengths)
        if self.n_clusters < 2:
            return Estimate(float(expit(logit)))
        variance = max(float(contrast @ self.covariance @ contrast), 0.0)
        if variance < _NO_VARIANCE:  # all clusters are equal, so their variance is unknown
            return Estimate(float(expit(logit)))
        reach = float(t_half_width(np.sqrt(variance), self.n_clusters - 1, interval))
        return Estimate(*(float(expit(logit + move)) for move in (0.0, -reach, reach)))


def bradley_terry(
    first: Integers,
    second: Integers,
    points: Floats,
    *,
    names: Sequence[str],
    clusters: Integers | None = None,
) -> BradleyTerry:
    """Estimate strengths by maximum likelihood, with a cluster-robust covariance.

    A tie counts as half a win of each. The covariance is the sandwich ``H^+ S H^+``: H is the information
    matrix, and S sums the outer products of the clusters' scores, times ``g / (g - 1)`` for g clusters.
    Intervals use the t quantile with g - 1 degrees of freedom.

    Args:
        first: shape (m,), numbers of competitors from 0 to k - 1.
        second: shape (m,), their opponents.
        points: shape (m,), points of ``first``: 1 for a win, 0.5 for a tie, 0 for a loss, or between.
        names: names of the k competitors, for messages.
        clusters: shape (m,), cluster number of each comparison, such as its item; by default each comparison
            is its own cluster.

    Raises:
        InputError: there are fewer than two competitors, points out of range, a competitor who is compared
            with itself, competitors that no comparisons link, or some who never lost a point to the others,
            so that their strengths have no finite value.

    References:
        Bradley and Terry (1952), Biometrika 39, 324-345, doi 10.2307/2334029. Hunter (2004), Annals of
        Statistics 32(1), 384-406, doi 10.1214/aos/1079120141: when the estimate exists (Assumption 1).

    Examples:
        >>> first, second = np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1])
        >>> model = bradley_terry(first, second, np.array([1.0, 1.0, 1.0, 0.0]), names=("a", "b"))
        >>> round(model.chance(0, 1).value, 6)
        0.75
    """
    k = len(names)
    _check(first, second, points, k)
    _check_finite(first, second, points, names)
    design = np.zeros((len(points), k))
    design[np.arange(len(points)), first] = 1.0
    design[np.arange(len(points)), second] = -1.0
    strengths = _most_likely(design, points)
    expected = expit(design @ strengths)
    bread = np.linalg.pinv(_information(design, expected), hermitian=True)
    groups = np.arange(len(points)) if clusters is None else np.asarray(clusters)
    _, cluster = np.unique(groups, return_inverse=True)
    g = int(cluster.max()) + 1
    scores = np.zeros((g, k))
    np.add.at(scores, cluster, design * (points - expected)[:, None])
    if g < 2:
        return BradleyTerry(strengths, np.full((k, k), np.nan), g)
    spread = g / (g - 1) * scores.T @ scores
    return BradleyTerry(strengths, bread @ spread @ bread, g)


def _most_likely(design: Floats, points: Floats) -> Floats:
    """Maximise the concave log-likelihood by Newton's steps that never decrease it."""
    strengths = np.zeros(design.shape[1])
    reached = _log_likelihood(design, points, strengths)
    for _ in range(_MOST_STEPS):
        expected = expit(design @ strengths)
        gradient = design.T @ (points - expected)
        step = np.linalg.pinv(_information(design, expected), hermitian=True) @ gradient
        while (likelihood := _log_likelihood(design, points, strengths + step)) < reached - _SMALLEST_STEP:
            step = step / 2
        strengths, reached = strengths + step, likelihood
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    centred: Floats = strengths - strengths.mean()
    return centred


def _log_likelihood(design: Floats, points: Floats, strengths: Floats) -> float:
    logits = design @ strengths
    return float(points @ log_expit(logits) + (1 - points) @ log_expit(-logits))


def _information(design: Floats, expected: Floats) -> Floats:
    information: Floats = design.T @ (design * (expected * (1 - expected))[:, None])
    return information


def _check(first: Integers, second: Integers, points: Floats, k: int) -> None:
    if k < 2:
        raise InputError("names", f"must have at least two competitors, got {k}")
    if not len(first) == len(second) == len(points):
        raise InputError(
            f"first, second and points must be of equal length, got {len(first)}, {len(second)}, "
            f"{len(points)}"
        )
    if not ((points >= 0) & (points <= 1)).all():
        raise InputError("points", "must be from 0 for a loss to 1 for a win")
    if (np.asarray(first) == np.asarray(second)).any():
        raise InputError("a competitor cannot be compared with itself: first and second must differ")


def _check_finite(first: Integers, second: Integers, points: Floats, names: Sequence[str]) -> None:
    """Check that each competitor got a point, directly or through others, against every other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    k = len(names)
    got = np.zeros((k, k))
    np.add.at(got, (first, second), points)
    np.add.at(got, (second, first), 1 - points)
    n_linked, linked = connected_components(csr_array(got), directed=True, connection="weak")
    if n_linked > 1:
        first_group, rest = (
            _join_members(names, side) for side in (linked == linked[0], linked != linked[0])
        )
        raise InputError(
            f"{first_group} and {rest} have no comparison that links them, so that their strengths cannot be "
            "compared: compare one of each"
        )
    n_strong, strong = connected_components(csr_array(got), directed=True, connection="strong")
    if n_strong > 1:
        unbeaten = next(
            members
            for members in (strong == component for component in range(n_strong))
            if not got[np.ix_(~members, members)].any()
        )
        raise InputError(
            f"{_join_members(names, unbeaten)} won every comparison with the others, so that no finite "
            "strength fits: a tie or a loss is needed to estimate it"
        )


def _join_members(names: Sequence[str], members: np.ndarray) -> str:
    return " and ".join(repr(name) for name, is_member in zip(names, members, strict=True) if is_member)
