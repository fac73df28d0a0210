"""Quantiles of weighted columns in many groups, with Woodruff's intervals."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.means import checked_columns, survey_means
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats

QuantileRule = Literal["math", "school"]
"""``math``: the least value with at least a share p at or below it. ``school``: the mean of that value and
the next one where the share is exactly p, as the median of an even number of values is taught."""

_EQUAL = 1e-12
"""Difference of two shares that is rounding alone."""


@dataclass(frozen=True, eq=False)
class SurveyQuantiles:
    """Quantiles with intervals, all arrays of shape (v, g, q); NaN where a group has no rows.

    Attributes:
        values: the quantiles.
        low: lower ends of the intervals; NaN where no value ends it: the interval of the share reaches
            below 0, the share has no spread, or there is no degree of freedom.
        high: upper ends, likewise, and above 1.
    """

    values: Floats
    low: Floats
    high: Floats


def survey_quantiles(  # noqa: PLR0913 - the settings are those of the other estimates, and two more
    columns: npt.ArrayLike,
    design: AnyDesign,
    probabilities: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
    rule: QuantileRule = "math",
    level: float = 0.95,
) -> SurveyQuantiles:
    """Quantiles of weighted columns in each group.

    The interval comes from that of the share of rows at or below the quantile, a t interval: its ends are
    turned back into values by the same rule.

    Args:
        columns: shape (n,) or (n, v); NaN where a row has no value.
        design: how respondents were drawn.
        probabilities: shape (q,), between 0 and 1.
        groups: as in ``survey_means``.
        n_groups: likewise.
        rule: which value a quantile is (``qrule`` of R's survey).
        level: coverage to aim at, between 0 and 1.

    Raises:
        InputError: values or lengths that do not fit.

    References:
        Woodruff (1952), JASA 47(260), 635-646, doi 10.1080/01621459.1952.10483443.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> survey_quantiles([3.0, 1.0, 2.0], SurveyDesign(np.array([1.0, 1.0, 4.0])), [0.5]).values.tolist()
        [[[2.0]]]
    """
    wanted = np.atleast_1d(np.asarray(probabilities, dtype=np.float64))
    if not np.all((wanted > 0) & (wanted < 1)):
        raise InputError(f"probabilities must be between 0 and 1, got {wanted.tolist()}")
    if rule not in ("math", "school"):
        raise InputError(f"rule must be 'math' or 'school', got {rule!r}")
    domains = checked_domains(groups, n_groups, design.n)
    table = checked_columns(columns, design.n).astype(np.float64)
    shape = (table.shape[1], domains.count)
    found = [_one_quantile(table, design, domains, np.full(shape, p), (rule, level)) for p in wanted]
    return SurveyQuantiles(*(np.stack(part, axis=-1) for part in zip(*found, strict=True)))


def _one_quantile(
    table: Floats, design: AnyDesign, domains: Domains, p: Floats, settings: tuple[QuantileRule, float]
) -> tuple[Floats, Floats, Floats]:
    rule, level = settings
    values = _inverted(table, design.weights, domains, p, rule)
    below = np.where(np.isnan(table), np.nan, table <= domains.spread_out(values))
    shares = survey_means(below, design, groups=domains.codes, n_groups=domains.count)
    # A share without spread, as of the greatest value, says nothing about where the quantile may lie.
    varies = shares.standard_errors > 0
    ends = (np.where(varies, end, np.nan) for end in shares.interval(level))
    low, high = (_inverted(table, design.weights, domains, end, rule) for end in ends)
    return values, low, high


def _inverted(table: Floats, weights: Floats, domains: Domains, p: Floats, rule: QuantileRule) -> Floats:
    """Find the value with the share p at or below it, for each column and group, shape (v, g)."""
    found = np.full(p.shape, np.nan)
    for group in range(domains.count):
        rows = np.flatnonzero((domains.codes == group) & (weights > 0))
        order = np.argsort(table[rows], axis=0)
        for column in range(table.shape[1]):
            ordered = rows[order[:, column]]
            ordered = ordered[~np.isnan(table[ordered, column])]
            if len(ordered) and 0 < p[column, group] <= 1:
                x = table[ordered, column]
                found[column, group] = _value_at(x, np.cumsum(weights[ordered]), p[column, group], rule)
    return found


def _value_at(x: Floats, cumulated: Floats, p: float, rule: QuantileRule) -> float:
    shares = cumulated / cumulated[-1]
    place = min(int(np.searchsorted(shares, p - _EQUAL)), len(x) - 1)
    if rule == "school" and abs(shares[place] - p) <= _EQUAL and place + 1 < len(x):
        return float((x[place] + x[place + 1]) / 2)
    return float(x[place])
