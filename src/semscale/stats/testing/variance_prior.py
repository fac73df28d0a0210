"""Variances that borrow from earlier samples: an empirical prior, and how far a new sample agrees with it."""

from dataclasses import dataclass
from math import exp, inf, log

import numpy as np
from scipy.special import digamma, fdtr, fdtrc, polygamma

from semscale.types import Floats

_LARGE, _SMALL, _PRECISION, _MOST_STEPS = 1e7, 1e-6, 1e-8, 50


@dataclass(frozen=True)
class VariancePrior:
    """Scaled inverse chi-square distribution of a variance.

    Attributes:
        variance: its scale, about the typical variance, at least 0.
        freedom: degrees of freedom that it is worth: 0 where samples say nothing, infinite where they differ
            by no more than chance.
    """

    variance: float
    freedom: float


def fit_variance_prior(variances: Floats, freedom: Floats) -> VariancePrior:
    """Fit the distribution of the variances of several samples, by the moments of their logarithms.

    With ``e = ln s^2 - digamma(d / 2) + ln(d / 2)`` for a sample with d degrees of freedom, the prior's d0
    solves ``trigamma(d0 / 2) = mean(t / (t - 1) (e - mean e)^2 - trigamma(d / 2))`` over t samples, and its
    scale is ``exp(mean e + digamma(d0 / 2) - ln(d0 / 2))``. Samples of which one has no spread at all differ
    without bounds, and are worth nothing.

    Args:
        variances: shape (t,), t >= 2, at least 0.
        freedom: shape (t,), degrees of freedom of each, above 0.

    References:
        Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3(1), 3, section 6.2, doi
        10.2202/1544-6115.1027.

    Example:
        >>> found = fit_variance_prior(np.array([2.0, 2.0, 2.0]), np.array([1e9, 1e9, 1e9]))
        >>> round(found.variance, 3), found.freedom
        (2.0, inf)
    """
    if (variances <= 0).any():
        return VariancePrior(0.0, 0.0)
    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    beyond_chance = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    centre = float(logs.mean())
    if beyond_chance <= 0:
        return VariancePrior(exp(centre), inf)
    half = trigamma_inverse(beyond_chance)
    return VariancePrior(exp(centre + float(digamma(half)) - log(half)), 2 * half)


def agreement(variance: float, freedom: float, prior: VariancePrior) -> float:
    """Tell how far a sample's variance agrees with a prior: twice the smaller tail of the F-distribution.

    Args:
        variance: the sample's, at least 0.
        freedom: its degrees of freedom.
        prior: with a finite freedom above 0, and a scale above 0.

    Returns:
        0 to 1; 1 at the distribution's median.

    Example:
        >>> prior = VariancePrior(1.0, 20.0)
        >>> round(agreement(1.0, 20, prior), 6), agreement(0.0, 20, prior)
        (1.0, 0.0)
    """
    ratio = variance / prior.variance
    tails = fdtr(freedom, prior.freedom, ratio), fdtrc(freedom, prior.freedom, ratio)
    return min(1.0, 2 * float(min(tails)))


def trigamma_inverse(value: float) -> float:
    """Solve ``trigamma(y) = value`` for y, by Newton's method (Smyth 2004, appendix).

    Args:
        value: above 0.

    Example:
        >>> round(trigamma_inverse(1.644934), 5)  # trigamma(1) is pi^2 / 6
        1.0
    """
    if value > _LARGE:
        return float(1 / np.sqrt(value))
    if value < _SMALL:
        return 1 / value
    found = 0.5 + 1 / value
    for _ in range(_MOST_STEPS):
        trigamma = float(polygamma(1, found))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, found))
        found += step
        if -step / found < _PRECISION:
            break
    return found
