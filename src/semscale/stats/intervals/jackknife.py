"""Jackknife intervals of coefficients from few clusters, with t quantiles on a transformed scale."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from semscale.types import Floats

_ROUNDING = 1e-9
"""Spread of a coefficient in resamples below which they differ by rounding alone."""


class NormalizingTransform(NamedTuple):
    """A transform after which a coefficient's error is about normal, such as Fisher's z of a correlation.

    Attributes:
        forward: transforms values; infinite at an end of the range where the error has no size.
        inverse: transforms back.
        least: lower end of the range.
        greatest: upper end.
    """

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    least: float
    greatest: float


CORRELATION = NormalizingTransform(np.arctanh, np.tanh, -1.0, 1.0)
"""Fisher's z."""

SHARE = NormalizingTransform(np.asarray, np.asarray, 0.0, 1.0)
"""No transform: a share keeps its own scale."""

RELIABILITY = NormalizingTransform(lambda r: -np.log1p(-r) / 2, lambda z: -np.expm1(-2 * z), -np.inf, 1.0)
"""Fisher's z of the halves' correlation, from the reliability by Spearman and Brown's formula."""


def has_no_spread(resampled: Floats) -> bool:
    """Tell whether a coefficient is the same in all resamples, which then say nothing of its error.

    Args:
        resampled: shape (r,), r >= 1 values; NaN where it is not defined.

    Example:
        >>> has_no_spread(np.array([1.0, 1 - 1e-16, np.nan])), has_no_spread(np.array([0.9, 1.0]))
        (True, False)
    """
    defined = resampled[~np.isnan(resampled)]
    return defined.size > 0 and float(np.ptp(defined)) <= _ROUNDING


def jackknife_interval(
    value: float, left_out: Floats, interval: float, transform: NormalizingTransform
) -> tuple[float, float]:
    """Make a t interval from a coefficient's values with each cluster left out once.

    After the transform the variance is ``(m - 1) / m * sum((z_i - mean z) ** 2)``, with m - 1 degrees of
    freedom.

    Args:
        value: the coefficient itself.
        left_out: shape (m,), the coefficient without each cluster.
        interval: coverage, between 0 and 1.
        transform: of the coefficient.

    Returns:
        Low and high ends. NaN where the coefficient is the same whichever cluster is left out, and its error
        therefore unknown, where it is not defined without a cluster, and with fewer than two. The whole range
        where it is at its end without some clusters alone, or NaN without such a range.

    References:
        Tukey (1958), Annals of Mathematical Statistics 29(2), 614. Fisher (1921), Metron 1, 3-32.

    Example:
        >>> low, high = jackknife_interval(0.2, np.array([0.25, 0.2, 0.15]), 0.95, SHARE)  # of .1, .2 and .3
        >>> low, round(high, 3)
        (0.0, 0.448)
    """
    m = len(left_out)
    if m < 2 or np.isnan([value, *left_out]).any():  # noqa: PLR2004
        return float("nan"), float("nan")
    if has_no_spread(left_out):
        return float("nan"), float("nan")
    with np.errstate(divide="ignore"):
        centre, z = transform.forward(np.asarray(value)), transform.forward(left_out)
    if not (np.isfinite(centre) and np.isfinite(z).all()):
        known = np.isfinite(transform.least)
        return (transform.least, transform.greatest) if known else (float("nan"), float("nan"))
    variance = (m - 1) / m * ((z - z.mean()) ** 2).sum()
    half = stdtrit(m - 1, (1 + interval) / 2) * np.sqrt(variance)
    low, high = transform.inverse(centre - half), transform.inverse(centre + half)
    return max(float(low), transform.least), min(float(high), transform.greatest)
