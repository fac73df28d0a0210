"""A running tally of cluster totals: exact while clusters are few, bounded in memory when they are many."""

import numpy as np

from semscale.stats.intervals.moments import Moments, effective_size
from semscale.types import Floats, Integers, Refits

MAX_CLUSTERS = 20_000
"""Up to here cluster totals are kept, for the bootstrap; above, sums suffice."""

RANDOM_GROUPS = 2048
"""Random groups into which the clusters of a tally are put together above that."""

FAR = 200
"""Powers of two that weights may grow before the unit changes; the square of so large a number is a float."""


class Tally:
    """Totals of the rows of one group, by cluster.

    Rows of weight 0 are passed over, so that they count neither as rows nor as clusters. Rows without a
    cluster are clusters of their own. Above ``MAX_CLUSTERS`` clusters, those are given up in
    favour of their sums; named clusters, whose rows may still come, are put together into 2,048 random groups
    by their number. Random groups of whole clusters leave the variance estimate unbiased.

    Weights are divided by a power of two, which changes no digit, so that neither they nor their squares
    leave the range of floats, whatever their unit.

    Args:
        k: number of points.

    References:
        Random groups: Wolter (2007), Introduction to Variance Estimation, chapter 2,
        doi 10.1007/978-0-387-35099-8.
    """

    def __init__(self, k: int) -> None:
        self.n_rows = 0
        self.weight = 0.0
        self.squared_weight = 0.0
        self.exact = True
        self._sums = Moments.empty(k)
        self._kept: list[Floats] = []
        self._clusters = np.zeros(0, dtype=np.int64)
        self._totals = np.zeros((0, k + 1))
        self._refits: Floats | None = None
        self._exponent: int | None = None

    def add(
        self,
        pmf: Floats,
        weights: Floats,
        clusters: Integers | None = None,
        refits: Refits | None = None,
    ) -> None:
        """Add rows.

        Args:
            pmf: shape (m, k).
            weights: shape (m,), finite and not negative.
            clusters: shape (m,), a number for each row's cluster, well mixed in its lowest bits (a hash);
                either in every call or in none.
            refits: shape (m, b, k), what ``pmf`` is under each refit of the function that gave it; likewise.
        """
        counting = weights > 0
        if not counting.all():
            pmf, weights = pmf[counting], weights[counting]
            clusters = None if clusters is None else clusters[counting]
            refits = None if refits is None else refits[counting]
        weights = self._in_unit(weights)
        rows = np.column_stack([pmf * weights[:, None], weights])
        self.n_rows += len(rows)
        self.weight += float(weights.sum())
        self.squared_weight += float(weights @ weights)
        if refits is not None:
            total = np.einsum("m,mbk->bk", weights, refits)
            self._refits = total if self._refits is None else self._refits + total
        if clusters is None:
            self._add_singles(rows)
        else:
            self._add_clustered(rows, clusters)

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows; 0 without weight."""
        return effective_size(self.weight, self.squared_weight)

    @property
    def refit_means(self) -> Floats | None:
        """Mean of the rows under each refit, shape (b, k); ``None`` without refits or weight."""
        if self._refits is None or not self.weight > 0:
            return None
        means: Floats = self._refits / self.weight
        return means

    @property
    def moments(self) -> Moments:
        """Sums over all clusters so far."""
        return self._sums.added(self._totals)

    @property
    def totals(self) -> Floats:
        """Totals of every cluster, shape (m, k + 1); only while ``exact``."""
        return np.concatenate([*self._kept, self._totals])

    def _in_unit(self, weights: Floats) -> Floats:
        """Divide weights by the unit of this tally: the power of two of the first ones, unless more come."""
        largest = int(np.frexp(weights.max(initial=0.0))[1])
        if self._exponent is None and len(weights):
            self._exponent = largest
        elif self._exponent is not None and largest > self._exponent + FAR:
            self._scale(2.0 ** (self._exponent - largest))
            self._exponent = largest
        return np.ldexp(weights, -(self._exponent or 0))

    def _scale(self, factor: float) -> None:
        """Change the unit of everything that was added."""
        self.weight *= factor
        self.squared_weight *= factor**2
        self._sums = self._sums.scaled(factor)
        self._kept = [rows * factor for rows in self._kept]
        self._totals = self._totals * factor
        self._refits = None if self._refits is None else self._refits * factor

    def _add_singles(self, rows: Floats) -> None:
        self._sums = self._sums.added(rows)
        if self.exact:
            self._kept.append(rows)
            self.exact = self.n_rows <= MAX_CLUSTERS
        if not self.exact:
            self._kept = []

    def _add_clustered(self, rows: Floats, clusters: Integers) -> None:
        if not self.exact:
            clusters = clusters % RANDOM_GROUPS
        self._join(np.r_[self._clusters, clusters], np.concatenate([self._totals, rows]))
        if self.exact and len(self._clusters) > MAX_CLUSTERS:
            self.exact = False
            self._join(self._clusters % RANDOM_GROUPS, self._totals)

    def _join(self, clusters: Integers, rows: Floats) -> None:
        self._clusters, place = np.unique(clusters, return_inverse=True)
        columns = [np.bincount(place, weights=column, minlength=len(self._clusters)) for column in rows.T]
        self._totals = np.column_stack(columns)
