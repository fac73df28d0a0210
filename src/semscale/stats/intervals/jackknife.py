"""Intervals of coefficients from few clusters: a jackknife with t quantiles, on a line of its own."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from semscale.types import Floats

_ROUNDING = 1e-12


class Stretch(NamedTuple):
    """A coefficient's range, and how it is stretched so that its error is about normal.

    Attributes:
        onto: stretches, infinite at an end where the error has no size.
        back: undoes that.
        least: lower end of the range.
        greatest: upper end.
    """

    onto: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]
    least: float
    greatest: float


CORRELATION = Stretch(np.arctanh, np.tanh, -1.0, 1.0)
"""Fisher's z."""

SHARE = Stretch(np.asarray, np.asarray, 0.0, 1.0)
"""As it is."""

RELIABILITY = Stretch(lambda r: -np.log1p(-r) / 2, lambda z: -np.expm1(-2 * z), -np.inf, 1.0)
"""Fisher's z of the correlation of halves that Spearman and Brown's formula steps up."""


def jackknife_interval(
    value: float, left_out: Floats, interval: float, stretch: Stretch
) -> tuple[float, float]:
    """Make a t interval from a coefficient's values with each cluster left out once.

    On the stretched line the variance is ``(m - 1) / m * sum((z_i - mean z) ** 2)``, with m - 1 degrees of
    freedom.

    Args:
        value: the coefficient itself.
        left_out: shape (m,), the coefficient without each cluster.
        interval: coverage, between 0 and 1.
        stretch: of the coefficient.

    Returns:
        Low and high ends. The whole range where the coefficient is at its end, or the same whichever cluster
        is left out, and its error therefore unknown; NaN where it is not defined without a cluster, with
        fewer than two, or without such a range.

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
    with np.errstate(divide="ignore"):
        centre, z = stretch.onto(np.asarray(value)), stretch.onto(left_out)
    finite = np.isfinite(centre) and np.isfinite(z).all()
    if not finite or np.ptp(z) <= _ROUNDING * max(1.0, abs(float(centre))):
        known = np.isfinite(stretch.least)
        return (stretch.least, stretch.greatest) if known else (float("nan"), float("nan"))
    variance = (m - 1) / m * ((z - z.mean()) ** 2).sum()
    half = stdtrit(m - 1, (1 + interval) / 2) * np.sqrt(variance)
    low, high = stretch.back(centre - half), stretch.back(centre + half)
    return max(float(low), stretch.least), min(float(high), stretch.greatest)
