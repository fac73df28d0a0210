"""A seeded sample of rows of numbers, in arrays, whatever the size of the parts in which they come."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.results.row_sampling import priorities
from semscale.types import Integers

SAMPLED_ROWS = 100_000
"""Rows whose numbers are kept for histograms and the like; of fewer rows all are."""

Column = npt.NDArray[Any]


class ColumnSample:
    """Keeps the columns of a uniform sample of rows, drawn without replacement.

    Args:
        most: size of the sample; of fewer rows all are kept.
        seed: seed of the draw.

    Example:
        >>> sample = ColumnSample(2)
        >>> sample.add({"score": np.array([0.5])})
        >>> sample.add({"score": np.array([0.7])})
        >>> sample.rows.tolist(), sample.columns["score"].tolist()
        ([0, 1], [0.5, 0.7])
    """

    def __init__(self, most: int = SAMPLED_ROWS, seed: int = 0) -> None:
        self._most, self._seed = most, seed
        self._n = 0
        self._rows: list[Integers] = []
        self._columns: dict[str, list[Column]] = {}
        self._n_kept = 0

    def add(self, columns: Mapping[str, Column]) -> None:
        """Take the next rows.

        Args:
            columns: at least one, each of shape (m,); the same names in every call.
        """
        m = len(next(iter(columns.values())))
        self._rows.append(np.arange(self._n, self._n + m))
        for name, values in columns.items():
            self._columns.setdefault(name, []).append(values)
        self._n += m
        self._n_kept += m
        if self._n_kept > 2 * self._most:
            self._choose()

    @property
    def rows(self) -> Integers:
        """Places of the sampled rows among all rows, from 0, ascending."""
        self._choose()
        return self._rows[0] if self._rows else np.zeros(0, np.int64)

    @property
    def columns(self) -> dict[str, Column]:
        """Columns of the sampled rows, in the order of the rows."""
        self._choose()
        return {name: parts[0] for name, parts in self._columns.items()}

    def _choose(self) -> None:
        """Join the parts, and let go of rows that are not in the sample."""
        if not self._rows:
            return
        rows = np.concatenate(self._rows)
        kept = np.arange(len(rows))
        if len(rows) > self._most:
            kept = np.sort(np.argpartition(priorities(rows, self._seed), self._most)[: self._most])
        self._rows, self._n_kept = [rows[kept]], len(kept)
        self._columns = {name: [np.concatenate(parts)[kept]] for name, parts in self._columns.items()}
