"""Trend test by ranks: whether a series rises or falls over time, and by how much a day."""

from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.estimates import Estimate
from semscale.types import Floats

FEWEST_VALUES = 4
"""With fewer, no order of values is unlikely enough to say anything."""

_MOST_PAIRED = 1000


@dataclass(frozen=True)
class MonotoneTrend:
    """How a series runs over time.

    Attributes:
        p_value: two-sided, of no trend (Mann-Kendall); NaN with fewer than 4 values.
        slope: change per unit of time with its interval (Theil-Sen); NaN likewise.
    """

    p_value: float
    slope: Estimate


def monotone_trend(times: Floats, values: Floats, *, interval: float = 0.95) -> MonotoneTrend:
    """Test for a trend by Mann-Kendall, and estimate it by Theil-Sen: the median slope of all pairs.

    Of more than 1,000 values the slope is that of 1,000 means of neighbours, as pairs grow with the square.

    Args:
        times: shape (n,), in any unit, ascending; ties are allowed.
        values: shape (n,), all finite.
        interval: coverage of the slope's interval, 0 to 1.

    Raises:
        InputError: shapes that differ.

    References:
        Mann (1945), Econometrica 13(3), 245-259, doi 10.2307/1907187. Sen (1968), JASA 63(324), 1379-1389,
        doi 10.1080/01621459.1968.10480934.

    Example:
        >>> trend = monotone_trend(np.arange(8.0), np.array([1, 2, 4, 3, 5, 6, 8, 7]) / 10)
        >>> round(trend.slope.value, 3), trend.p_value < 0.01
        (0.1, True)
    """
    if times.shape != values.shape:
        raise InputError(f"times and values must have one shape, got {times.shape} and {values.shape}")
    if len(values) < FEWEST_VALUES or np.ptp(times) == 0:
        return MonotoneTrend(np.nan, Estimate(np.nan, np.nan, np.nan))
    from scipy.stats import kendalltau, theilslopes

    p_value = 1.0 if np.ptp(values) == 0 else float(kendalltau(times, values).pvalue)
    found = theilslopes(_condensed(values), _condensed(times), alpha=interval)
    return MonotoneTrend(
        p_value, Estimate(float(found.slope), float(found.low_slope), float(found.high_slope))
    )


def _condensed(values: Floats) -> Floats:
    """Means of neighbours, at most 1,000, of lots as equal as can be."""
    if len(values) <= _MOST_PAIRED:
        return values
    starts = np.linspace(0, len(values), _MOST_PAIRED, endpoint=False).astype(np.int64)
    lengths = np.diff(np.r_[starts, len(values)])
    condensed: Floats = np.add.reduceat(values, starts) / lengths
    return condensed
