"""Counts of codes in groups, added part by part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np

from semscale.types import Floats, Integers, Mask

_Numbers = TypeVar("_Numbers", Integers, Floats)


@dataclass(frozen=True)
class GroupCount:
    """Counts of k codes in one group.

    Attributes:
        rows: answers of the group, whether they count or not.
        base: answers that count: they can be read, and their weight is above 0.
        decided: shape (k,), those about which each code was decided.
        given: shape (k,), those that have it.
        weight: sum of the weights of all its rows; missing ones add nothing.
    """

    rows: int
    base: int
    decided: Integers
    given: Integers
    weight: float

    @classmethod
    def none(cls, k: int) -> Self:
        """Give the counts of a group without answers."""
        return cls(0, 0, np.zeros(k, np.int64), np.zeros(k, np.int64), 0.0)


class CodeCounts:
    """Counts k codes in groups that are given by number.

    Args:
        k: codes.

    Example:
        >>> counts = CodeCounts(1)
        >>> counts.add(np.array([0, 1, 1]), np.array([[1.0], [0.0], [np.nan]]), np.ones(3, dtype=bool))
        >>> [(one.base, int(one.decided[0]), int(one.given[0])) for one in (counts[0], counts[1])]
        [(1, 1, 1), (2, 1, 0)]
    """

    def __init__(self, k: int) -> None:
        self.rows: Integers = np.zeros(0, np.int64)
        self.base: Integers = np.zeros(0, np.int64)
        self.weight: Floats = np.zeros(0)
        self.decided: Integers = np.zeros((0, k), np.int64)
        self.given: Integers = np.zeros((0, k), np.int64)

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.rows)

    def __getitem__(self, group: int) -> GroupCount:
        """Give the counts of a group by its number."""
        return GroupCount(
            int(self.rows[group]),
            int(self.base[group]),
            self.decided[group],
            self.given[group],
            float(self.weight[group]),
        )

    def some(self, groups: Sequence[int]) -> "CodeCounts":
        """Keep some of the groups, numbered anew in the order given."""
        found, kept = CodeCounts(self.given.shape[1]), np.array(groups, np.int64)
        found.rows, found.base, found.weight = self.rows[kept], self.base[kept], self.weight[kept]
        found.decided, found.given = self.decided[kept], self.given[kept]
        return found

    def add(self, groups: Integers, given: Floats, counting: Mask, weights: Floats | None = None) -> None:
        """Add answers.

        Args:
            groups: shape (m,), number of each answer's group; -1 for none.
            given: shape (m, k), 1, 0 or NaN.
            counting: shape (m,), which answers count.
            weights: shape (m,); all 1 unless given.
        """
        g = max(len(self), int(groups.max(initial=-1)) + 1)
        inside = groups >= 0
        used = np.ones(len(groups)) if weights is None else np.nan_to_num(weights, nan=0.0)
        self.rows = _sum(self.rows, np.bincount(groups[inside], minlength=g))
        self.base = _sum(self.base, np.bincount(groups[inside & counting], minlength=g))
        weight: Floats = np.bincount(groups[inside], used[inside], minlength=g).astype(np.float64)
        self.weight = _sum(self.weight, weight)
        lots = []
        for marked in (~np.isnan(given), given == 1):
            rows = (inside & counting)[:, None] & marked
            lots.append(np.stack([np.bincount(groups[column], minlength=g) for column in rows.T], axis=1))
        self.decided, self.given = _sum(self.decided, lots[0]), _sum(self.given, lots[1])


def _sum(before: _Numbers, new: _Numbers) -> _Numbers:
    """Add sums of the groups so far to those of all groups."""
    found = new.copy()
    found[: len(before)] += before
    return found
