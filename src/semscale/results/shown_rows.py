"""Rows of a stream that a report shows, whatever the size of its parts."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from semscale.types import Floats, Status, Statuses

EXAMPLES_PER_STATUS = 3
"""Rows of each status without a score that are kept."""

T = TypeVar("T")


class ForemostRows(Generic[T]):
    """Keeps the rows with the smallest keys, each with an object that shows it; of equal keys the first ones.

    Args:
        most: how many rows are kept.

    Example:
        >>> rows = ForemostRows[str](2)
        >>> rows.add(np.array([0.5, np.nan, 0.2]), 0, lambda place: f"first {place}")
        >>> rows.add(np.array([0.2, 0.1]), 3, lambda place: f"second {place}")
        >>> rows.items
        ('second 1', 'first 2')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[tuple[float, int, T]] = []

    def add(self, keys: Floats, first_row: int, shown: Callable[[int], T]) -> None:
        """Take the next rows.

        Args:
            keys: shape (m,); NaN for rows that are never shown.
            first_row: place of the first of them among all rows.
            shown: makes the object for one of the m rows; called only for rows that are kept.
        """
        known = np.flatnonzero(~np.isnan(keys))
        if len(self._kept) == self._most:
            known = known[keys[known] < self._kept[-1][0]]
        order = known[np.argsort(keys[known], kind="stable")][: self._most]
        new = [(float(keys[place]), first_row + place, shown(place)) for place in order.tolist()]
        self._kept = sorted([*self._kept, *new], key=lambda row: row[:2])[: self._most]

    @property
    def items(self) -> tuple[T, ...]:
        """The objects of the rows that are kept, the smallest key first."""
        return tuple(item for _, _, item in self._kept)


class LeftOutRows:
    """Keeps the first three rows of each status without a score that have something to show.

    Example:
        >>> rows = LeftOutRows()
        >>> rows.add(np.array([Status.SCORED, Status.EMPTY], dtype=object), 4, lambda place: "  a text")
        >>> rows.examples
        {'empty': ((5, '  a text'),)}
    """

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[int, str]]] = {}

    def add(self, status: Statuses, first_row: int, shown: Callable[[int], object]) -> None:
        """Take the next rows.

        Args:
            status: shape (m,).
            first_row: place of the first of them among all rows.
            shown: gives a text of one of the m rows; missing and blank ones are passed over.
        """
        for place in np.flatnonzero(status != Status.SCORED).tolist():
            kept = self._kept.setdefault(str(status[place]), [])
            if len(kept) < EXAMPLES_PER_STATUS:
                text = shown(place)
                if text is not None and str(text).strip():
                    kept.append((first_row + place, str(text)))

    @property
    def examples(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """For each status that occurred its rows, counted from 0, with their texts."""
        return {status: tuple(kept) for status, kept in self._kept.items()}
