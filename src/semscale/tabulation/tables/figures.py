"""Figures of lines in columns, cut out of estimates that were made for many questions at once."""

from dataclasses import dataclass, fields

import numpy as np

from semscale.stats.survey.differences import SurveyDifferences, group_differences
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.survey.share_intervals import share_interval
from semscale.tabulation.asked.question import Line
from semscale.types import Floats, Integers, Mask

_BETWEEN_GROUPS = ("covariance", "pair_df")


@dataclass(frozen=True, eq=False)
class CellFigures:
    """Figures of v lines in c columns, all arrays of shape (v, c).

    Attributes:
        values: shares from 0 to 1, or means; NaN where nobody counts.
        low: lower ends of the intervals; NaN where there is none.
        high: upper ends.
        n: respondents with an answer, unweighted.
        n_missing: respondents of the column without one.
        weight: sum of the weights behind a figure.
        effective_n: Kish's effective number of respondents.
    """

    values: Floats
    low: Floats
    high: Floats
    n: Integers
    n_missing: Integers
    weight: Floats
    effective_n: Floats

    def beside(self, other: "CellFigures") -> "CellFigures":
        """Put the columns of another part behind these."""
        names = [one.name for one in fields(self)]
        return CellFigures(
            *(np.concatenate([getattr(self, name), getattr(other, name)], axis=1) for name in names)
        )


def lines_of(estimates: SurveyEstimates, lines: slice | Integers) -> SurveyEstimates:
    """Cut some lines out of estimates."""
    return SurveyEstimates(*(getattr(estimates, one.name)[lines] for one in fields(estimates)))


def columns_of(estimates: SurveyEstimates, columns: Integers) -> SurveyEstimates:
    """Cut some groups out of estimates."""
    cut = {}
    for one in fields(estimates):
        figure = getattr(estimates, one.name)[:, columns]
        cut[one.name] = figure[:, :, columns] if one.name in _BETWEEN_GROUPS else figure
    return SurveyEstimates(**cut)


def cell_figures(estimates: SurveyEstimates, lines: tuple[Line, ...], level: float) -> CellFigures:
    """Take the figures of estimates with their intervals: of log odds for shares, of t for means.

    Args:
        estimates: of v lines in c columns.
        lines: what the v lines are.
        level: coverage of the intervals.
    """
    low, high = (end.copy() for end in estimates.interval(level))
    shares = np.flatnonzero([line.kind == "share" for line in lines])
    if len(shares):
        low[shares], high[shares] = share_interval(_within(lines_of(estimates, shares)), level)
    return CellFigures(
        values=estimates.values,
        low=low,
        high=high,
        n=estimates.n,
        n_missing=estimates.n_missing,
        weight=estimates.weight,
        effective_n=estimates.effective_n,
    )


def _within(shares: SurveyEstimates) -> SurveyEstimates:
    """Take off what rounding puts a share beyond 0 or 1; a larger excess stays, and is refused."""
    near = np.clip(shares.values, 0.0, 1.0)
    rounding = np.abs(shares.values - near) < 1e-9  # noqa: PLR2004 - rounding of sums of weights
    parts = {one.name: getattr(shares, one.name) for one in fields(shares)}
    return SurveyEstimates(**{**parts, "values": np.where(rounding, near, shares.values)})


def with_spread_at_the_ends(estimates: SurveyEstimates, lines: tuple[Line, ...]) -> SurveyEstimates:
    """Give shares of 0 and 1 a variance for tests, where all answers alike leave none.

    It is that of a share with one success and one failure added, ``p (1 - p) / (n + 2)`` with
    ``p = (x + 1) / (n + 2)`` and Kish's effective number for n; without it a group in which nobody gave an
    answer would count as known exactly.

    References:
        Agresti and Caffo (2000), The American Statistician 54(4), 280-288,
        doi 10.1080/00031305.2000.10474560.
    """
    is_share = np.array([line.kind == "share" for line in lines])[:, None]
    variances = np.diagonal(estimates.covariance, axis1=1, axis2=2)
    at_an_end = (estimates.values <= 0) | (estimates.values >= 1)
    flat = is_share & at_an_end & (variances <= 0) & (estimates.effective_n > 0)
    larger = estimates.effective_n + 2
    p = (estimates.values * estimates.effective_n + 1) / larger
    added = np.where(flat, p * (1 - p) / larger, 0.0)
    places = np.arange(variances.shape[1])
    covariance = estimates.covariance.copy()
    covariance[:, places, places] += added
    parts = {one.name: getattr(estimates, one.name) for one in fields(estimates)}
    return SurveyEstimates(**{**parts, "covariance": covariance})


def changes_between(estimates: SurveyEstimates, now: Integers, before: Integers) -> SurveyDifferences:
    """Differences of pairs of columns, the first of each minus the second, shape (v, pairs).

    Args:
        estimates: of v lines in c columns.
        now: shape (pairs,), the later column of each pair.
        before: shape (pairs,), its earlier column, with a lower number.
    """
    found = group_differences(estimates)
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    places = [pairs.index(pair) for pair in zip(before.tolist(), now.tolist(), strict=True)]
    # The differences are those of the first less the second column, and the earlier one stands first.
    return SurveyDifferences(-found.values[:, places], found.standard_errors[:, places], found.df[:, places])


def standard_deviations(columns: Floats, means: Floats, weights: Floats, domains: Domains) -> Floats:
    """Standard deviation of columns in each group, with weights, shape (v, g).

    ``sum of w (y - mean) ** 2 / sum of w * n / (n - 1)``; NaN with fewer than two respondents.

    Args:
        columns: shape (n, v); NaN without an answer.
        means: shape (v, g), of the groups.
        weights: shape (n,).
        domains: the groups.
    """
    counting: Mask = ~np.isnan(columns) & (weights > 0)[:, None]
    apart = np.where(counting, columns - domains.spread_out(np.nan_to_num(means)), 0.0)
    n = domains.sums(counting.astype(np.float64))
    total = domains.sums(counting * weights[:, None])
    squares = domains.sums(apart**2 * weights[:, None])
    variances = np.divide(squares * n, total * (n - 1), out=np.full_like(squares, np.nan), where=n > 1)
    return np.sqrt(variances)
