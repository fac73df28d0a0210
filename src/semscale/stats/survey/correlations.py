"""Weighted correlations between columns, with standard errors of the design."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.agreement.correlations import correlation, weighted_spearman
from semscale.stats.intervals.resampling import check_interval
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.survey.figures_with_spread import FiguresWithSpread, replicated_sums
from semscale.stats.survey.means import estimated
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats, Mask

CorrelationKind = Literal["pearson", "spearman"]
"""``pearson``: of the values. ``spearman``: of their ranks, equal values sharing their average rank."""

_EQUAL = 1e-12
"""Distance of a squared correlation from 1 that is rounding alone."""

_NUMBERS_AT_ONCE = 4_000_000
"""Numbers of a table of ranks by replicates that are held at once."""


def survey_correlations(  # noqa: PLR0913 - the settings are those of the other estimates, and one more
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    design: AnyDesign,
    *,
    kind: CorrelationKind = "pearson",
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Weighted correlations of columns with columns, place by place, in each group.

    With u and v the values less their weighted mean, over their standard deviation, the influence of row i on
    Pearson's r is ``w_i (u_i v_i - r (u_i ** 2 + v_i ** 2) / 2) / sum of w``. A rank is the share of the
    weight below a value and half of that at it; Spearman's influence has what a row adds to all ranks as
    well. Replicates make correlations and ranks anew. ``correlation_interval`` gives intervals.

    Args:
        first: shape (n,) or (n, v); a row counts where both are there.
        second: of the same shape.
        design: how respondents were drawn.
        kind: Pearson's or Spearman's.
        groups: as in ``survey_means``.
        n_groups: likewise.

    Returns:
        Values from -1 to 1; NaN where a column does not vary in a group.

    Raises:
        InputError: values or lengths that do not fit, or an unknown kind.

    References:
        Deville (1999), Survey Methodology 25(2), 193-203 (influence of functions of totals and of ranks).

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> found = survey_correlations([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], SurveyDesign(np.ones(3)))
        >>> found.values.round(6).tolist()
        [[0.5]]
    """
    if kind not in get_args(CorrelationKind):
        raise InputError(f"kind must be {' or '.join(get_args(CorrelationKind))}, got {kind!r}")
    domains = checked_domains(groups, n_groups, design.n)
    return estimated([first, second], design, domains, _pearson if kind == "pearson" else _spearman)


def correlation_interval(estimates: SurveyEstimates, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends of intervals of correlations, each of shape (v, g), within -1 to 1.

    ``tanh(atanh r +- t_df se / (1 - r ** 2))``, Fisher's transformation.

    Args:
        estimates: what ``survey_correlations`` gives.
        level: coverage to aim at, between 0 and 1.

    Returns:
        NaN where there is no standard error above 0, as for a correlation of 1.

    Raises:
        InputError: a level out of range, or values outside -1 to 1.

    References:
        Fisher (1921), Metron 1, 3-32.
    """
    check_interval(level)
    r = estimates.values
    if np.any(np.abs(r) > 1):
        raise InputError("estimates must be correlations, but some lie outside -1 to 1")
    known = (estimates.standard_errors > 0) & (1 - r**2 > _EQUAL)
    inside = np.where(known, r, 0.0)
    df = np.where(known, estimates.df, np.nan)
    half = stdtrit(df, (1 + level) / 2) * estimates.standard_errors / (1 - inside**2)
    return np.tanh(np.arctanh(inside) - half), np.tanh(np.arctanh(inside) + half)


def _pearson(columns: list[Floats], valid: Mask, design: AnyDesign, domains: Domains) -> FiguresWithSpread:
    counts = valid.astype(np.float64)
    w = design.weights[:, None]
    total = _above_zero(domains.sums(w * counts))
    u, v = ((column - domains.spread_out(domains.sums(w * column) / total)) * counts for column in columns)
    products = (u, v, u * u, v * v, u * v)
    sums = [domains.sums(w * one) for one in products]
    values = correlation(total, *sums)
    if isinstance(design, ReplicateDesign):
        totals = _above_zero(replicated_sums(counts, design, domains))
        return FiguresWithSpread(
            values, correlation(totals, *(replicated_sums(one, design, domains) for one in products))
        )
    defined = ~np.isnan(values)
    u, v = (
        one
        * domains.spread_out(np.divide(1, squares / total, out=np.zeros_like(total), where=defined) ** 0.5)
        for one, squares in ((u, sums[2]), (v, sums[3]))
    )
    r = domains.spread_out(np.nan_to_num(values))
    return FiguresWithSpread(values, w / domains.spread_out(total) * (u * v - r * (u * u + v * v) / 2))


def _above_zero(totals: Floats) -> Floats:
    """Sums of weights to divide by; 1 for a group without rows, whose sums of products are 0."""
    return np.where(totals == 0, 1.0, totals)


def _spearman(columns: list[Floats], valid: Mask, design: AnyDesign, domains: Domains) -> FiguresWithSpread:
    shape = (columns[0].shape[1], domains.count)
    values = np.full(shape, np.nan)
    replicates = design.replicates if isinstance(design, ReplicateDesign) else None
    spread = np.zeros(valid.shape) if replicates is None else np.full((replicates.shape[1], *shape), np.nan)
    for column, group in np.ndindex(*shape):
        rows = np.flatnonzero(valid[:, column] & (domains.codes == group))
        x, y = (one[rows, column] for one in columns)
        values[column, group] = _rank_correlations(x, y, design.weights[rows][:, None])[0]
        if replicates is not None:
            spread[:, column, group] = _rank_correlations(x, y, replicates[rows])
        elif not np.isnan(values[column, group]):
            p = design.weights[rows] / design.weights[rows].sum()
            spread[rows, column] = p * _rank_influence(_Ranks(x, p), _Ranks(y, p))
    return FiguresWithSpread(values, spread)


def _rank_correlations(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Spearman's correlation under each column of weights, shape (n, r) to (r,); NaN without weight."""
    found = np.full(weights.shape[1], np.nan)
    some = np.flatnonzero(weights.sum(axis=0) > 0)
    step = max(1, _NUMBERS_AT_ONCE // max(len(x), 1))
    for start in range(0, len(some), step):
        block = some[start : start + step]
        found[block] = weighted_spearman(x, y, weights[:, block].T)
    return found


class _Ranks:
    """Values as shares of the weight below them, with half of that at them.

    Args:
        values: shape (n,).
        p: shape (n,), weights that sum to 1.
    """

    def __init__(self, values: Floats, p: Floats) -> None:
        _, self._place = np.unique(values, return_inverse=True)
        self.p = p
        tied = np.bincount(self._place, p)
        self.shares: Floats = (np.cumsum(tied) - tied / 2)[self._place]

    def sums_above(self, figures: Floats) -> Floats:
        """Weighted sum of figures over the rows above each row, and half of those at it."""
        tied = np.bincount(self._place, self.p * figures)
        return np.asarray((tied.sum() - np.cumsum(tied) + tied / 2)[self._place])


def _rank_influence(x: _Ranks, y: _Ranks) -> Floats:
    """Influence of rows on Spearman's correlation, shape (n,), before their weights."""
    shared, var_x, var_y = (_product_influence(*pair) for pair in ((x, y), (x, x), (y, y)))
    scale = np.sqrt(var_x[0] * var_y[0])
    changes = var_x[1] / var_x[0] + var_y[1] / var_y[0]
    return np.asarray((shared[1] - shared[0] / 2 * changes) / scale)


def _product_influence(x: _Ranks, y: _Ranks) -> tuple[float, Floats]:
    """Covariance of two ranks, whose means are 1/2, and the rows' influence on it.

    With U and V the ranks, the mean of U V is a sum over triples of rows: one whose ranks are multiplied, one
    that lies below it on x, and one on y. So a row's influence is its own U V, and V summed over the rows
    above it on x, and U over those above it on y, less three times the mean.
    """
    own = x.shares * y.shares
    mean = float(x.p @ own)
    return mean - 0.25, own + x.sums_above(y.shares) + y.sums_above(x.shares) - 3 * mean
