"""Totals of the clusters of many groups, as many as there is room for: those of the smallest groups."""

from collections.abc import Iterator

import numpy as np

from semscale.stats.intervals.tally import MAX_CLUSTERS, RANDOM_GROUPS
from semscale.types import Floats, Integers, Mask

ROOM = 1_000_000
"""Totals that are kept of all groups together."""

_FEWEST = 8
"""Random groups of clusters that a group keeps in any case."""

_SLACK = 4  # by this part of ROOM it may be exceeded, so that rows are copied once in a while, not each time
_PENDING = 50_000  # rows that wait at least until they are joined with the clusters that are there


class GroupRows:
    """Rows of groups in which each row is a cluster of its own; large groups lose theirs.

    Args:
        k: number of points.
    """

    def __init__(self, k: int) -> None:
        self._groups = [np.zeros(0, np.int64)]
        self._rows = [np.zeros((0, k + 1))]
        self._most = MAX_CLUSTERS
        self._n = 0

    def add(self, groups: Integers, rows: Floats, n_rows: Integers) -> None:
        """Add rows.

        Args:
            groups: shape (m,), the group of each row.
            rows: shape (m, k + 1), their totals.
            n_rows: shape (groups,), rows of each group, these included.
        """
        kept = n_rows[groups] <= self._most
        self._groups.append(groups[kept])
        self._rows.append(rows[kept])
        self._n += int(kept.sum())
        if self._n > ROOM + ROOM // _SLACK:
            self._make_room(n_rows)

    def totals(self, n_rows: Integers) -> Iterator[tuple[Floats, bool]]:
        """Give the totals of each group's rows, and whether all of them are there."""
        self._make_room(n_rows)
        return _by_group(self._groups[0], self._rows[0], n_rows <= self._most)

    def scale(self, factors: Floats) -> None:
        """Multiply the totals of each group by a factor, shape (groups,)."""
        self._rows = [
            rows * factors[groups, None] for groups, rows in zip(self._groups, self._rows, strict=True)
        ]

    def _make_room(self, n_rows: Integers) -> None:
        while n_rows[n_rows <= self._most].sum() > ROOM:
            self._most //= 2
        groups = np.concatenate(self._groups)
        kept = n_rows[groups] <= self._most
        self._groups, self._rows = [groups[kept]], [np.concatenate(self._rows)[kept]]
        self._n = int(kept.sum())


class GroupClusters:
    """Totals by group and cluster; the clusters of large groups are put together into random groups.

    Args:
        k: number of points.
    """

    def __init__(self, k: int) -> None:
        self._groups, self._clusters = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._totals = np.zeros((0, k + 1))
        self._pending: list[tuple[Integers, Integers, Floats]] = []
        self._n_pending = 0
        self._most = MAX_CLUSTERS
        self._is_reduced = np.zeros(0, np.bool_)

    def add(self, groups: Integers, clusters: Integers, rows: Floats) -> None:
        """Add rows.

        Args:
            groups: shape (m,), the group of each row.
            clusters: shape (m,), the number of its cluster, a hash.
            rows: shape (m, k + 1), their totals.
        """
        self._pending.append((groups, clusters, rows))
        self._n_pending += len(groups)
        if self._n_pending > max(_PENDING, len(self._groups) // 2):
            self._join()

    def totals(self, n_groups: int) -> Iterator[tuple[Floats, bool]]:
        """Give the totals of each group's clusters, and whether these are the clusters themselves."""
        self._join()
        return _by_group(self._groups, self._totals, ~self._reduced(n_groups))

    def scale(self, factors: Floats) -> None:
        """Multiply the totals of each group by a factor, shape (groups,)."""
        self._join()
        self._totals = self._totals * factors[self._groups, None]

    def _join(self) -> None:
        if self._pending:
            groups, clusters, rows = (list(column) for column in zip(*self._pending, strict=True))
            self._pending, self._n_pending = [], 0
            self._groups = np.concatenate([self._groups, *groups])
            self._clusters = np.concatenate([self._clusters, *clusters])
            self._totals = np.concatenate([self._totals, *rows])
            self._put_together()
        while self._outgrown() and self._most > _FEWEST:
            self._most //= 2
            self._put_together()

    def _outgrown(self) -> bool:
        return len(self._groups) > ROOM

    def _put_together(self) -> None:
        """Add up the rows of a cluster, and reduce groups with too many clusters."""
        n_groups = int(self._groups.max(initial=-1)) + 1
        reduced = self._reduced(n_groups)
        self._merge(reduced)
        outgrown = np.bincount(self._groups, minlength=len(reduced)) > self._most
        if (outgrown & ~reduced).any():
            reduced |= outgrown
            self._merge(reduced)
        self._is_reduced = reduced

    def _merge(self, reduced: Mask) -> None:
        modulus = min(RANDOM_GROUPS, 1 << (self._most.bit_length() - 1))
        clusters = np.where(reduced[self._groups], self._clusters % modulus, self._clusters)
        order = np.lexsort((clusters, self._groups))
        groups, clusters, totals = self._groups[order], clusters[order], self._totals[order]
        starts = np.ones(len(groups), np.bool_)
        starts[1:] = (np.diff(groups) != 0) | (np.diff(clusters) != 0)
        place = np.cumsum(starts) - 1
        self._groups, self._clusters = groups[starts], clusters[starts]
        self._totals = np.column_stack([np.bincount(place, column) for column in totals.T])

    def _reduced(self, n_groups: int) -> Mask:
        return np.pad(self._is_reduced, (0, max(0, n_groups - len(self._is_reduced))))


def _by_group(groups: Integers, totals: Floats, is_whole: Mask) -> Iterator[tuple[Floats, bool]]:
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(is_whole)))
    start = 0
    for end, whole in zip(ends.tolist(), is_whole.tolist(), strict=True):
        yield totals[order[start:end]], whole
        start = end
