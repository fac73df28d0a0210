"""Equivalence: whether a drift is shown to lie below what is tolerated, and how the noise is estimated."""

from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from semscale.types import Floats

PRIOR_ITEMS = 10
"""Weight of the noise between all runs, in items, when the spread of the items' drift is estimated."""


@dataclass(frozen=True)
class DriftBound:
    """How far a mean drift is known, from one side.

    Attributes:
        sd: standard deviation of the items' drift, shrunk towards the noise between runs; NaN if unknown.
        bound: one-sided upper confidence bound of the mean; NaN if unknown.
        p_value: one-sided p-value of "the mean drift is at least what is tolerated"; NaN if unknown, or
            if all items are alike and there is no spread.
    """

    sd: float
    bound: float
    p_value: float


def equivalence(by_role: Floats, tolerated: float, alpha: float) -> DriftBound:
    """Test whether a mean drift lies below what is tolerated, by a one-sided t-test.

    The variance of the items' drift is estimated from n - 1 degrees of freedom of its own. It is shrunk
    towards the variance of the noise, with the weight of ``PRIOR_ITEMS``, as an inverse-gamma prior with so
    many degrees of freedom would: ``(df s^2 + 10 s0^2) / (df + 10)``. The noise is the mean over items of the
    variance over all roles, so that each pair of runs counts.

    Args:
        by_role: shape (n, k): the items' drift, and beside it that of other runs in the candidate's place;
            k = 1 without a rerun, and then nothing is shrunk. Items with NaN are left out.
        tolerated: drift that is tolerated.
        alpha: level of the test and the bound.

    References:
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680, doi
        10.1007/BF01068419: one-sided tests of equivalence. Smyth (2004), Statistical Applications in Genetics
        and Molecular Biology 3(1), 3, doi 10.2202/1544-6115.1027: variances that are shrunk so.

    Example:
        >>> rows = np.array([[0.1, -0.1], [-0.1, 0.1]] * 5)
        >>> found = equivalence(rows, 0.1, 0.05)  # sd**2 = (9 * .01111 + 10 * .01) / 19 = .01053
        >>> round(found.sd, 4), round(found.bound, 4)  # 1.7291 * .1026 / sqrt(10)
        (0.1026, 0.0561)
    """
    known = by_role[~np.isnan(by_role).any(axis=1)]
    n = len(known)
    if n < 2:  # noqa: PLR2004 - no spread
        return DriftBound(nan, nan, nan)
    mean, variance, freedom = float(known[:, 0].mean()), float(known[:, 0].var(ddof=1)), n - 1
    noise = float(known.var(axis=1).mean()) if known.shape[1] > 1 else nan
    if not isnan(noise):
        variance = (freedom * variance + PRIOR_ITEMS * noise) / (freedom + PRIOR_ITEMS)
        freedom += PRIOR_ITEMS
    error = sqrt(variance / n)
    if error == 0:
        return DriftBound(0.0, mean, nan)
    bound = mean - float(stdtrit(freedom, alpha)) * error
    return DriftBound(sqrt(variance), bound, float(stdtr(freedom, (mean - tolerated) / error)))
