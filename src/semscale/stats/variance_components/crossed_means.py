"""Variance components of complete ratings of respondents under several anchor sets, from running sums."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtri, gammaincinv

from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.moments import Moments


@dataclass(frozen=True)
class CrossedComponents:
    """Variances of respondents, anchor sets and what is left, with one rating of each pair.

    Attributes:
        respondent: between respondents, all sets together.
        anchor_set: between sets, all respondents together.
        residual: sets that order respondents differently, and noise.
        n: respondents with a rating under every set.
        n_sets: anchor sets, at least two.
    """

    respondent: Estimate
    anchor_set: Estimate
    residual: Estimate
    n: int
    n_sets: int

    @property
    def icc(self) -> float:
        """Intraclass correlation 2,1: the share of respondents in the variance under one set."""
        return self._share(1)

    @property
    def icc_of_all(self) -> float:
        """Intraclass correlation 2,k: likewise of the means of all sets."""
        return self._share(self.n_sets)

    def _share(self, sets: int) -> float:
        whole = self.respondent.value + (self.anchor_set.value + self.residual.value) / sets
        return self.respondent.value / whole if whole > 0 else float("nan")

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON, with errors of the mean as it is and with twice as many."""
        return {
            "respondent": self.respondent,
            "anchor_set": self.anchor_set,
            "residual": self.residual,
            "n": self.n,
            "sets": self.n_sets,
            "icc": self.icc,
            "icc_of_all": self.icc_of_all,
            "error": self.error(),
            "error_twice_respondents": self.error(respondents=2),
            "error_twice_sets": self.error(sets=2),
        }

    def error(self, *, respondents: float = 1, sets: float = 1) -> float:
        """Standard error of the mean with so many times the respondents and the sets."""
        n, s = self.n * respondents, self.n_sets * sets
        person, anchors, rest = (
            max(each.value, 0.0) for each in (self.respondent, self.anchor_set, self.residual)
        )
        return float(np.sqrt(person / n + anchors / s + rest / (n * s)))


def crossed_components(moments: Moments, n_sets: int, interval: float = 0.95) -> CrossedComponents | None:
    """Estimate variances by expected mean squares from the sums of each row's ratings under s sets.

    With the mean squares of respondents P, sets A and the rest E of an n by s table: respondents (P - E) / s,
    sets (A - E) / n, rest E. The intervals are those for normal effects: exact for the rest, and for the
    others Williams' from the F quantiles of P / E or A / E with its own chi-square quantiles.

    Args:
        moments: sums of n rows of s ratings, and of their products; further columns are passed over.
        n_sets: s.
        interval: coverage to aim at, between 0 and 1.

    Returns:
        ``None`` with fewer than two rows or sets, or where ratings do not vary.

    References:
        Searle, Casella and McCulloch (1992), Variance Components, doi 10.1002/9780470316856, section 4.4;
        Williams (1962), Biometrika 49(1/2), 278-281, doi 10.1093/biomet/49.1-2.278.

    Example:
        >>> table = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]])
        >>> found = crossed_components(Moments.empty(2).added(np.hstack([table, np.ones((3, 1))])), 2)
        >>> [round(each.value, 4) for each in (found.respondent, found.anchor_set, found.residual)]
        [1.5, 0.8333, 0.1667]
    """
    n, s = moments.n, n_sets
    if n < 2 or s < 2:  # noqa: PLR2004
        return None
    means = moments.total[:s] / n
    covariance = (moments.outer[:s, :s] - n * np.outer(means, means)) / (n - 1)
    total = float(np.trace(covariance))
    persons = float(covariance.sum()) / s  # mean square of respondents
    rest = (total - persons) / (s - 1)
    sets = n * float(means.var(ddof=1))
    if not total > 0 and not sets > 0:
        return None
    rest = max(rest, 0.0)
    df = (n - 1) * (s - 1)
    tail = (1 - interval) / 2
    low, high = (df * rest / _chi_square_quantile(end, df) for end in (1 - tail, tail))
    return CrossedComponents(
        _williams(persons, n - 1, rest, df, s, tail),
        _williams(sets, s - 1, rest, df, n, tail),
        Estimate(rest, low, high),
        n,
        s,
    )


def _williams(square: float, own_df: int, rest: float, df: int, times: int, tail: float) -> Estimate:
    """(square - rest) / times with Williams' interval; its ends may lie below 0."""
    low, high = (
        own_df * (square - rest * float(fdtri(own_df, df, end))) / (times * _chi_square_quantile(end, own_df))
        for end in (1 - tail, tail)
    )
    return Estimate((square - rest) / times, low, high)


def _chi_square_quantile(share: float, df: int) -> float:
    """Return what ``scipy.stats.chi2.ppf`` returns, without the half second that importing it takes."""
    return float(2 * gammaincinv(df / 2, share))
