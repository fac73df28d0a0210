"""Equivalence: whether a drift is shown to lie below what is tolerated, and how the noise is estimated."""

from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import TypeVar

import numpy as np
from scipy.special import stdtr, stdtrit

from semscale.drift.nights.night_noise import NO_NIGHTS, night_noise
from semscale.types import Floats

PRIOR_ITEMS = 10
"""Weight of the noise between all runs, in items, when the spread of the items' drift is estimated."""

_Number = TypeVar("_Number", float, Floats)


@dataclass(frozen=True)
class DriftBound:
    """How far a mean drift is known, from one side.

    Attributes:
        sd: standard deviation of the items' drift, shrunk towards the noise between runs; NaN if unknown.
        bound: one-sided upper confidence bound of the mean; NaN if unknown.
        p_value: one-sided p-value of "the mean drift is at least what is tolerated"; NaN if unknown, or
            if all items are alike and there is no spread.
        skewness: third central moment of the items' drift as a share of ``sd ** 3``, at least 0.
        further_freedom: degrees of freedom of ``sd`` beyond those of the n items, n - 1.
        of_nights: those of them that earlier nights add.
    """

    sd: float
    bound: float
    p_value: float
    skewness: float = 0.0
    further_freedom: float = PRIOR_ITEMS
    of_nights: float = 0.0

    def excess(self, sd: float, n: int, alpha: float) -> float:
        """Return how far a bound of this kind lies above the mean of n items with a standard deviation.

        Args:
            sd: standard deviation, above 0; the items' third moment stays what it is.
            n: number of items, at least 2.
            alpha: level of the bound.
        """
        skewness = self.skewness * (self.sd / sd) ** 3
        quantile = -float(stdtrit(n - 1 + self.further_freedom, alpha))
        return for_skewness(quantile, skewness, n) * sd / sqrt(n)


def equivalence(by_role: Floats, tolerated: float, alpha: float, nights: Floats | None = None) -> DriftBound:
    """Test whether a mean drift lies below what is tolerated, by a one-sided t-test, modified for skewness.

    A drift that few items have is skewed to the right: a sample without them has too small a mean and a
    spread of hardly anything. So the bound is ``mean + (t + g (1 + 2 t^2) / (6 sqrt(n))) s / sqrt(n)`` with
    the skewness g of the items' drift; a negative one counts as 0, and the p-value inverts that.

    The variance of the items' drift is estimated from n - 1 degrees of freedom of its own. It is shrunk
    towards the variance of the noise, with the weight of ``PRIOR_ITEMS``, as an inverse-gamma prior with so
    many degrees of freedom would: ``(df s^2 + 10 s0^2) / (df + 10)``. The noise is the mean over items of the
    variance over all roles, so that each pair of runs counts. Earlier nights, where there are any, are
    another prior (``night_noise``): their variance counts with as many degrees of freedom as they are worth.

    Args:
        by_role: shape (n, k): the items' drift, and beside it that of other runs in the candidate's place;
            k = 1 without a rerun, and then nothing is shrunk. Items with NaN are left out.
        tolerated: drift that is tolerated.
        alpha: level of the test and the bound.
        nights: shape (t, n), the same items' drift in earlier nights; ``None`` without any.

    References:
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680, doi
        10.1007/BF01068419: one-sided tests of equivalence. Smyth (2004), Statistical Applications in Genetics
        and Molecular Biology 3(1), 3, doi 10.2202/1544-6115.1027: variances that are shrunk so. Johnson
        (1978), Journal of the American Statistical Association 73(363), 536-544, doi
        10.1080/01621459.1978.10480051: the t-test for skewed values.

    Example:
        >>> rows = np.array([[0.1, -0.1], [-0.1, 0.1]] * 5)
        >>> found = equivalence(rows, 0.1, 0.05)  # sd**2 = (9 * .01111 + 10 * .01) / 19 = .01053
        >>> round(found.sd, 4), round(found.bound, 4)  # 1.7291 * .1026 / sqrt(10)
        (0.1026, 0.0561)
    """
    there = ~np.isnan(by_role).any(axis=1)
    known, n = by_role[there], int(there.sum())
    if n < 2:  # noqa: PLR2004 - no spread
        return DriftBound(nan, nan, nan)
    mean, variance, further = float(known[:, 0].mean()), float(known[:, 0].var(ddof=1)), 0.0
    if known.shape[1] > 1:
        variance = _pooled((variance, n - 1), (float(known.var(axis=1).mean()), PRIOR_ITEMS))
        further += PRIOR_ITEMS
    earlier = NO_NIGHTS if nights is None else night_noise(nights[:, there], variance, n - 1 + further)
    variance = _pooled((variance, n - 1 + further), (earlier.variance, earlier.freedom))
    further += earlier.freedom
    if variance == 0:
        return DriftBound(0.0, mean, nan, further_freedom=further, of_nights=earlier.freedom)
    sd = sqrt(variance)
    skewness = max(0.0, float(((known[:, 0] - mean) ** 3).mean()) / sd**3)
    quantile = _without_skewness((tolerated - mean) / sd * sqrt(n), skewness, n)
    p_value = float(stdtr(n - 1 + further, -quantile))
    found = DriftBound(sd, mean, p_value, skewness, further, earlier.freedom)
    return replace(found, bound=mean + found.excess(sd, n, alpha))


def _pooled(*estimates: tuple[float, float]) -> float:
    """Return the mean of variances, weighted by their degrees of freedom."""
    return sum(variance * freedom for variance, freedom in estimates) / sum(
        freedom for _, freedom in estimates
    )


def for_skewness(quantile: _Number, skewness: _Number, n: _Number) -> _Number:
    """Correct a quantile of Student's t for the skewness of n values (Johnson 1978).

    Example:
        >>> for_skewness(2.0, 1.0, 36)  # 2 + (1 + 2 * 4) / (6 * 6)
        2.25
    """
    corrected: _Number = quantile + skewness * (1 + 2 * quantile**2) / (6 * n**0.5)
    return corrected


def _without_skewness(corrected: float, skewness: float, n: int) -> float:
    """Invert ``for_skewness``: the greater root of ``2 c q^2 + q + c = corrected``, c = g / (6 sqrt(n)).

    Below its vertex the correction grows again; such values lie far on the side that does not pass.
    """
    c = skewness / (6 * sqrt(n))
    root: float = sqrt(max(0.0, 1 - 8 * c * (c - corrected)))
    return 2 * (corrected - c) / (1 + root)
