"""How far earlier nights count in the estimate of tonight's noise."""

import numpy as np

from semscale.drift.gate.decision import FEWEST_TO_PASS
from semscale.stats.drift_tests import VariancePrior, agreement, fit_variance_prior
from semscale.types import Floats

FEWEST_NIGHTS = 5
"""Nights from which it can be told how far they agree."""

NO_NIGHTS = VariancePrior(0.0, 0.0)
"""Nights that do not count."""


def night_noise(nights: Floats, variance: float, freedom: float) -> VariancePrior:
    """Estimate the variance of the items' drift from earlier nights, and how much it counts tonight.

    Each night has a variance of its own over the same items; how far the nights' variances agree says how
    many degrees of freedom they are worth (``fit_variance_prior``). That is bounded twice, so that quiet
    nights do not hide the noise of tonight. They count no more than tonight's own degrees of freedom; and
    these are multiplied by the agreement of tonight's variance with theirs (``agreement``), so that they
    count nothing where tonight is clearly noisier, or quieter.

    Args:
        nights: shape (t, n), the items' drift in earlier nights; NaN where a night has none. A night with
            fewer than 10 items is left out.
        variance: of the items' drift tonight, at least 0.
        freedom: its degrees of freedom.

    Returns:
        The nights' variance, with the degrees of freedom that count; ``NO_NIGHTS`` of fewer than 5 nights.

    References:
        Smyth (2004), doi 10.2202/1544-6115.1027: degrees of freedom add up. Hobbs, Carlin, Mandrekar and
        Sargent (2011), Biometrics 67(3), 1047-1056, doi 10.1111/j.1541-0420.2011.01564.x: earlier data that
        count as far as they agree with the present ones.
    """
    known = [night[~np.isnan(night)] for night in nights]
    known = [night for night in known if len(night) >= FEWEST_TO_PASS]
    if len(known) < FEWEST_NIGHTS:
        return NO_NIGHTS
    sizes = np.array([len(night) - 1 for night in known], dtype=np.float64)
    fitted = fit_variance_prior(np.array([night.var(ddof=1) for night in known]), sizes)
    most = min(fitted.freedom, float(sizes.sum()), freedom)
    if not most > 0:
        return NO_NIGHTS
    prior = VariancePrior(fitted.variance, most)
    return VariancePrior(prior.variance, most * agreement(variance, freedom, prior))
