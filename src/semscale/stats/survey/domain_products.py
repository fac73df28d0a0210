"""Products of groups' totals, summed over clusters and over strata, for many columns at once."""

import numpy as np
from scipy.sparse import csr_array

from semscale.stats.survey.domains import Domains
from semscale.stats.survey.stages import Stage
from semscale.types import Floats, Integers

_CELLS = 4_000_000
"""Numbers of a table of clusters by groups that are held at once."""


class DomainProducts:
    """A stage of a draw beside groups: which clusters have rows of which groups.

    Rows are summed within *parts*, the rows of one cluster in one group. Only the clusters with rows of
    several groups make products of different groups.

    Args:
        stage: the stage.
        domains: the groups, g of them.
    """

    def __init__(self, stage: Stage, domains: Domains) -> None:
        self._g, self._h = domains.count, len(stage.scale)
        keys = stage.cluster[domains.rows] * self._g + domains.codes[domains.rows]
        parts, place = np.unique(keys, return_inverse=True)
        self._summing = _adding(place, len(parts), domains.rows, len(domains.codes))
        self._part_cluster, self._part_group = parts // self._g, parts % self._g
        self._part_stratum = stage.stratum[self._part_cluster]
        cells = self._part_stratum * self._g + self._part_group
        self._by_stratum = _adding(cells, self._h * self._g, np.arange(len(parts)), len(parts))
        self._by_group = _adding(self._part_group, self._g, np.arange(len(parts)), len(parts))
        several = np.bincount(self._part_cluster, minlength=len(stage.stratum)) > 1
        self._shared = np.flatnonzero(several[self._part_cluster])

    def part_sums(self, columns: Floats) -> Floats:
        """Sum columns within each part, shape (n, v) to (parts, v)."""
        return np.asarray(self._summing @ columns)

    def over_clusters(self, sums: Floats, factors: Floats) -> Floats:
        """Sum products of two groups' totals in a cluster over all clusters.

        Args:
            sums: shape (parts, v), what each part adds to its cluster's total.
            factors: shape (h,), what the products of each stratum are multiplied with.

        Returns:
            Shape (v, g, g).
        """
        weighted = sums * np.sqrt(factors)[self._part_stratum][:, None]
        products = np.zeros((sums.shape[1], self._g, self._g))
        diagonal = np.arange(self._g)
        products[:, diagonal, diagonal] = np.asarray(self._by_group @ weighted**2).T
        if len(self._shared):
            self._add_shared(products, weighted[self._shared])
        return products

    def _add_shared(self, products: Floats, weighted: Floats) -> None:
        """Add the products of different groups, from clusters that have several."""
        _, row = np.unique(self._part_cluster[self._shared], return_inverse=True)
        group, m = self._part_group[self._shared], int(row.max()) + 1
        others = ~np.eye(self._g, dtype=bool)
        step = max(1, _CELLS // (m * self._g))
        for start in range(0, weighted.shape[1], step):
            some = weighted[:, start : start + step]
            table = np.zeros((some.shape[1], m, self._g))
            table[:, row, group] = some.T
            products[start : start + step] += (table.transpose(0, 2, 1) @ table) * others

    def over_strata(self, sums: Floats, factors: Floats) -> Floats:
        """Sum products of two groups' totals in a stratum over all strata, shape (v, g, g).

        Args:
            sums: shape (parts, v), what each part adds to its stratum's total.
            factors: shape (h,), what the product of each stratum is multiplied with.
        """
        totals = np.asarray(self._by_stratum @ sums).T.reshape(sums.shape[1], self._h, self._g)
        return np.asarray((totals * factors[:, None]).transpose(0, 2, 1) @ totals)

    def strata_present(self, sums: Floats) -> Floats:
        """Count the strata that two groups share, shape (v, g, g); sums are at least 0."""
        totals = np.asarray(self._by_stratum @ sums).T.reshape(sums.shape[1], self._h, self._g)
        present = (totals > 0).astype(np.float64)
        return present.transpose(0, 2, 1) @ present

    def clusters_present(self, sums: Floats) -> Floats:
        """Count the clusters that two groups share, likewise."""
        return self.over_clusters((sums > 0).astype(np.float64), np.ones(self._h))


def _adding(targets: Integers, n_targets: int, sources: Integers, n_sources: int) -> csr_array:
    """Matrix that adds source j to its target, shape (targets, sources)."""
    return csr_array((np.ones(len(sources)), (targets, sources)), shape=(n_targets, n_sources))
