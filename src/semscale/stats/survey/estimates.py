"""Estimates of many columns in many groups, with standard errors and intervals."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from semscale.stats.intervals.resampling import check_interval
from semscale.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class SurveyEstimates:
    """A figure of v columns in g groups; a group without rows has NaN.

    Attributes:
        values: shape (v, g).
        covariance: shape (v, g, g), between the groups of one column.
        pair_df: shape (v, g, g), degrees of freedom of two groups together; of one on the diagonal.
        n: shape (v, g), rows that count, unweighted: with a value and a weight above 0.
        n_missing: shape (v, g), rows of the group without a value; they are in no base.
        weight: shape (v, g), sum of the weights of the rows that count.
        effective_n: shape (v, g), Kish's effective number of these rows.
    """

    values: Floats
    covariance: Floats
    pair_df: Floats
    n: Integers
    n_missing: Integers
    weight: Floats
    effective_n: Floats

    @property
    def df(self) -> Floats:
        """Degrees of freedom, shape (v, g)."""
        return np.diagonal(self.pair_df, axis1=1, axis2=2)

    @property
    def standard_errors(self) -> Floats:
        """Standard errors, shape (v, g); NaN where fewer than two clusters leave nothing to compare."""
        variances = np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0)
        known = (self.df >= 1) & ~np.isnan(self.values)
        return np.where(known, np.sqrt(variances), np.nan)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends of t intervals, each of shape (v, g).

        Args:
            level: coverage to aim at, between 0 and 1.

        Raises:
            InputError: ``level`` out of range.
        """
        return t_interval(self.values, self.standard_errors, self.df, level)


def t_interval(values: Floats, errors: Floats, df: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of ``value +- t_df se``; NaN with fewer than one degree of freedom.

    Example:
        >>> low, high = t_interval(np.array([1.0]), np.array([0.1]), np.array([10.0]), 0.95)
        >>> low.round(4).tolist(), high.round(4).tolist()  # t_10 is 2.2281
        ([0.7772], [1.2228])
    """
    check_interval(level)
    half = stdtrit(np.where(df >= 1, df, np.nan), (1 + level) / 2) * errors
    return values - half, values + half
