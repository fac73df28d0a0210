"""Running tallies of many groups in arrays: sums of all rows, and clusters as long as there is room."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semscale.stats.intervals.group_clusters import GroupClusters, GroupRows
from semscale.stats.intervals.moments import Moments, effective_size
from semscale.stats.intervals.tally import FAR
from semscale.types import Floats, Integers, Mask, Refits

_NO_UNIT = np.iinfo(np.int64).min


@dataclass(frozen=True)
class GroupTally:
    """The tally of one group, with the attributes of ``Tally`` from which figures are estimated.

    Attributes:
        n_rows: rows with weight.
        weight: sum of their weights.
        squared_weight: sum of their squares.
        moments: sums over clusters.
        kept: totals of every cluster, shape (m, k + 1); ``None`` where they were given up.
        refit_means: mean of the rows under each refit, shape (b, k); ``None`` without refits or weight.
    """

    n_rows: int
    weight: float
    squared_weight: float
    moments: Moments
    kept: Floats | None
    refit_means: Floats | None

    @property
    def exact(self) -> bool:
        """Whether the totals of every cluster are there."""
        return self.kept is not None

    @property
    def totals(self) -> Floats:
        """Totals of every cluster; empty where they were given up."""
        return np.zeros((0, len(self.moments.total))) if self.kept is None else self.kept

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows; 0 without weight."""
        return effective_size(self.weight, self.squared_weight)


class GroupedTally:
    """Totals of the rows of many groups, as a ``Tally`` each would have them, in a few arrays.

    Groups are numbered from 0. All have their sums. Totals of single clusters are kept, too, a million at
    most: where there are more, the largest groups lose theirs, without a cluster column for good; with one
    they go on with random groups of clusters, which leave the variance estimate unbiased.

    Args:
        k: number of points.
    """

    def __init__(self, k: int) -> None:
        self._k = k
        self._n_rows = np.zeros(0, np.int64)
        self._weight, self._squared = np.zeros(0), np.zeros(0)
        self._exponent = np.zeros(0, np.int64)
        self._sums = np.zeros((k + 1, 0))
        self._pairs = np.triu_indices(k + 1)
        self._outer = np.zeros((len(self._pairs[0]), 0))
        self._refits: Floats | None = None
        self._rows = GroupRows(k)
        self._clusters: GroupClusters | None = None

    def add(  # noqa: PLR0913, PLR0917 - columns of the rows
        self,
        n_groups: int,
        groups: Integers,
        pmf: Floats,
        weights: Floats,
        clusters: Integers | None = None,
        refits: Refits | None = None,
    ) -> None:
        """Add rows.

        Args:
            n_groups: how many groups there are by now.
            groups: shape (m,), the group of each row, below ``n_groups``.
            pmf: shape (m, k).
            weights: shape (m,), finite and not negative.
            clusters: shape (m,), as ``Tally.add`` takes them.
            refits: shape (m, b, k), likewise.
        """
        self._grow(n_groups)
        counting = weights > 0
        groups, pmf, weights = groups[counting], pmf[counting], weights[counting]
        weights = self._in_units(groups, weights)
        rows = np.column_stack([pmf * weights[:, None], weights])
        self._n_rows += np.bincount(groups, minlength=n_groups)
        self._weight += np.bincount(groups, weights, n_groups)
        self._squared += np.bincount(groups, weights**2, n_groups)
        if refits is not None:
            self._add_refits(groups, weights, refits[counting])
        if clusters is None:
            for at, column in enumerate(rows.T):
                self._sums[at] += np.bincount(groups, column, n_groups)
            for at, (one, other) in enumerate(zip(*self._pairs, strict=True)):
                self._outer[at] += np.bincount(groups, rows[:, one] * rows[:, other], n_groups)
            self._rows.add(groups, rows, self._n_rows)
        else:
            self._clusters = self._clusters or GroupClusters(self._k)
            self._clusters.add(groups, clusters[counting], rows)

    def groups(self) -> Iterator[GroupTally]:
        """Give the tallies of all groups, in their order."""
        if self._clusters is not None:
            kept = self._clusters.totals(len(self._n_rows))
        else:
            kept = self._rows.totals(self._n_rows)
        for group, (totals, is_whole) in enumerate(kept):
            yield GroupTally(
                int(self._n_rows[group]),
                float(self._weight[group]),
                float(self._squared[group]),
                self._moments(group) if self._clusters is None else Moments.empty(self._k).added(totals),
                totals if is_whole else None,
                self._refit_means(group),
            )

    def _moments(self, group: int) -> Moments:
        outer = np.zeros((self._k + 1, self._k + 1))
        outer[self._pairs] = self._outer[:, group]
        both = outer + outer.T
        np.fill_diagonal(both, outer.diagonal())
        return Moments(int(self._n_rows[group]), self._sums[:, group].copy(), both)

    def _refit_means(self, group: int) -> Floats | None:
        if self._refits is None or not self._weight[group] > 0:
            return None
        means: Floats = self._refits[group] / self._weight[group]
        return means

    def _grow(self, n_groups: int) -> None:
        more = n_groups - len(self._n_rows)
        if not more:
            return
        self._n_rows = np.pad(self._n_rows, (0, more))
        self._weight, self._squared = np.pad(self._weight, (0, more)), np.pad(self._squared, (0, more))
        self._exponent = np.pad(self._exponent, (0, more), constant_values=_NO_UNIT)
        self._sums = np.pad(self._sums, ((0, 0), (0, more)))
        self._outer = np.pad(self._outer, ((0, 0), (0, more)))
        if self._refits is not None:
            self._refits = np.pad(self._refits, ((0, more), (0, 0), (0, 0)))

    def _add_refits(self, groups: Integers, weights: Floats, refits: Refits) -> None:
        if self._refits is None:
            self._refits = np.zeros((len(self._n_rows), *refits.shape[1:]))
        order = np.argsort(groups, kind="stable")
        own, first = np.unique(groups[order], return_index=True)
        if len(own):
            weighted = weights[order, None, None] * refits[order]
            self._refits[own] += np.add.reduceat(weighted, first, axis=0)

    def _in_units(self, groups: Integers, weights: Floats) -> Floats:
        """Divide weights by the unit of their group, as ``Tally`` does."""
        largest = np.full(len(self._n_rows), _NO_UNIT)
        np.maximum.at(largest, groups, np.frexp(weights)[1].astype(np.int64))
        fresh = (self._exponent == _NO_UNIT) & (largest != _NO_UNIT)
        self._exponent[fresh] = largest[fresh]
        outgrown = (largest != _NO_UNIT) & (largest > self._exponent + FAR) & ~fresh
        if outgrown.any():
            self._scale(outgrown, np.ldexp(1.0, np.where(outgrown, self._exponent - largest, 0)))
            self._exponent[outgrown] = largest[outgrown]
        return np.ldexp(weights, -self._exponent[groups])

    def _scale(self, outgrown: Mask, factors: Floats) -> None:
        """Change the units of everything that was added to some groups; all others have the factor 1."""
        self._weight *= factors
        self._squared *= factors**2
        self._sums *= factors
        self._outer *= factors**2
        if self._refits is not None:
            self._refits[outgrown] *= factors[outgrown, None, None]
        self._rows.scale(factors)
        if self._clusters is not None:
            self._clusters.scale(factors)
