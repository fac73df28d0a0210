"""Sufficient statistics of weighted mean PMFs: sums that can be merged."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semscale.types import Floats


def effective_size(total: float, squares: float) -> float:
    """Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; 0 without weight.

    Args:
        total: sum of the weights.
        squares: sum of their squares.

    References:
        Kish (1965), Survey Sampling, section 11.7.
    """
    return total**2 / squares if squares > 0 else 0.0


@dataclass(frozen=True)
class Moments:
    """Sums over clusters of their totals.

    A cluster's total is ``(sum of w * p, sum of w)`` over its rows, k + 1 numbers.

    Attributes:
        n: how many clusters were added.
        total: shape (k + 1,), sum of the totals.
        outer: shape (k + 1, k + 1), sum of the totals' outer products.
    """

    n: int
    total: Floats
    outer: Floats

    @classmethod
    def empty(cls, k: int) -> Self:
        """Start with no clusters, for PMFs of k points."""
        return cls(0, np.zeros(k + 1), np.zeros((k + 1, k + 1)))

    def added(self, totals: Floats) -> "Moments":
        """Add clusters.

        Args:
            totals: shape (m, k + 1), each cluster complete: its rows must not be spread over several calls.
        """
        return Moments(self.n + len(totals), self.total + totals.sum(axis=0), self.outer + totals.T @ totals)

    def scaled(self, factor: float) -> "Moments":
        """Multiply all weights by a factor."""
        return Moments(self.n, self.total * factor, self.outer * factor**2)

    def merged(self, other: "Moments") -> "Moments":
        """Join two disjoint lots of clusters."""
        return Moments(self.n + other.n, self.total + other.total, self.outer + other.outer)

    @property
    def mean(self) -> Floats:
        """Weighted mean PMF, shape (k,); NaN where the weights sum to 0.

        Example:
            >>> Moments.empty(2).added(np.array([[0.5, 0.5, 1.0], [3.0, 0.0, 3.0]])).mean.tolist()
            [0.875, 0.125]
        """
        weight = self.total[-1]
        return self.total[:-1] / weight if weight > 0 else np.full(len(self.total) - 1, np.nan)

    @property
    def effective_n(self) -> float:
        """Kish's effective number of clusters, ``sum(w) ** 2 / sum(w ** 2)``; 0 without weight."""
        return effective_size(float(self.total[-1]), float(self.outer[-1, -1]))

    @property
    def covariance(self) -> Floats:
        """Covariance of the mean, shape (k, k), by Taylor linearization; NaN with fewer than two clusters.

        With residuals ``z = (t - mean * w) / sum(w)`` of the clusters, it is ``m / (m - 1) * sum(z z')``.

        References:
            Woodruff (1971), JASA 66(334), 411-414, doi 10.1080/01621459.1971.10482279. Clusters as drawn with
            replacement.
        """
        k = len(self.total) - 1
        weight = self.total[-1]
        if self.n < 2 or not weight > 0:  # noqa: PLR2004
            return np.full((k, k), np.nan)
        residual = np.hstack([np.eye(k), -self.mean[:, None]])
        covariance: Floats = residual @ self.outer @ residual.T * (self.n / (self.n - 1) / weight**2)
        return covariance
