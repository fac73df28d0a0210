"""A seeded sample of rows of numbers, and beside it every row that people labelled."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from semscale.results.column_sample import SAMPLED_ROWS, Column, ColumnSample
from semscale.types import Floats, Integers, Mask

_ROW = " row"  # beside the names of columns


class SampledRows(NamedTuple):
    """Rows that were kept, in their order.

    Attributes:
        rows: shape (m,), their places among all rows, from 0.
        columns: of these rows, each of shape (m, ...).
        drawn: shape (m,), which are a random sample of all; the others were kept for their labels. ``None``
            where all rows were kept.
        n: all rows.
    """

    rows: Integers
    columns: dict[str, Column]
    drawn: Mask | None
    n: int

    @property
    def in_draw(self) -> Mask:
        """Which rows stand for all, shape (m,)."""
        return np.ones(len(self.rows), dtype=np.bool_) if self.drawn is None else self.drawn

    @property
    def n_drawn(self) -> int | None:
        """Rows in the random sample; ``None`` where all were kept."""
        return None if self.drawn is None else int(self.drawn.sum())

    def standing_for(self, labelled: Mask) -> Floats:
        """How many rows each kept row stands for, shape (m,): labelled ones for themselves.

        Args:
            labelled: shape (m,), which of them have a label; all such rows are kept.
        """
        others = max(1, int((~labelled).sum()))
        return np.where(labelled, 1.0, (self.n - labelled.sum()) / others)


class LabelledSample:
    """Keeps a uniform sample of rows, drawn without replacement, and all rows with a label.

    Args:
        most: size of the sample; of fewer rows all are kept.
        seed: seed of the draw.

    Example:
        >>> sample = LabelledSample(2)
        >>> sample.add({"score": np.arange(5.0)}, np.array([True, False, False, False, True]))
        >>> kept = sample.kept()
        >>> {0, 4} <= set(kept.rows.tolist()), kept.n_drawn
        (True, 2)
    """

    def __init__(self, most: int = SAMPLED_ROWS, seed: int = 0) -> None:
        self._n, self._most = 0, most
        self._sample = ColumnSample(most, seed)
        self._labelled: list[dict[str, Column]] = []

    def add(self, columns: Mapping[str, Column], labelled: Mask) -> None:
        """Take the next rows.

        Args:
            columns: at least one, each of shape (m, ...); the same names in every call.
            labelled: shape (m,), which rows are kept in any case.
        """
        numbered = {**columns, _ROW: np.arange(self._n, self._n + len(labelled))}
        self._sample.add(numbered)
        self._labelled.append({name: values[labelled] for name, values in numbered.items()})
        self._n += len(labelled)

    def kept(self) -> SampledRows:
        """Give the rows that were kept."""
        columns, drawn = self._sample.columns, None
        if self._n > self._most:
            labelled = {name: np.concatenate([part[name] for part in self._labelled]) for name in columns}
            columns, drawn = _joined(columns, labelled)
        rows = columns.pop(_ROW, np.zeros(0, np.int64))
        return SampledRows(rows, columns, drawn, self._n)


def _joined(sample: dict[str, Column], labelled: dict[str, Column]) -> tuple[dict[str, Column], Mask]:
    """Join sampled and labelled rows in their order, and say which are in the sample."""
    beyond = ~np.isin(labelled[_ROW], sample[_ROW])
    both = {name: np.concatenate([sample[name], labelled[name][beyond]]) for name in sample}
    order = np.argsort(both[_ROW])
    drawn = np.repeat([True, False], [len(sample[_ROW]), int(beyond.sum())])
    return {name: values[order] for name, values in both.items()}, drawn[order]
