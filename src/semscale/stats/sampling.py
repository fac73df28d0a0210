"""Seeded samples of rows from a stream, whatever the size of its parts."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.types import Floats, Integers, Mask

T = TypeVar("T")


class RowSample(Generic[T]):
    """Keeps a uniform sample of rows, drawn without replacement, each with an object that belongs to it.

    Args:
        most: size of the sample; shorter streams are kept whole.
        seed: seed of the draw.

    Attributes:
        n: number of rows so far.

    Example:
        >>> sample = RowSample[str](2, seed=0)
        >>> sample.add([(0, "first"), (1, "second")])
        >>> sample.items, sample.n
        (['first', 'second'], 2)
    """

    def __init__(self, most: int, seed: int) -> None:
        self.n = 0
        self._most, self._seed = most, seed
        self._kept: list[tuple[int, int, T]] = []

    def add(self, rows: Iterable[tuple[int, T]]) -> None:
        """Take rows: the place of each in the file, from 0, and the object that belongs to it."""
        taken = list(rows)
        places = np.array([place for place, _ in taken], np.int64)
        drawn = priorities(places, self._seed).tolist()
        new = [(order, place, item) for order, (place, item) in zip(drawn, taken, strict=True)]
        self.n += len(new)
        self._kept += new
        if len(self._kept) > self._most:
            self._kept = sorted(self._kept, key=lambda row: row[:2])[: self._most]

    @property
    def items(self) -> list[T]:
        """The objects of the sampled rows, in the order of the rows."""
        return [item for _, _, item in sorted(self._kept, key=lambda row: row[1])]


def priorities(rows: Integers, seed: int) -> npt.NDArray[np.uint64]:
    """Give each row a random number that depends on nothing but the row and the seed.

    The rows with the smallest numbers are a uniform sample without replacement, in however many parts they
    came.

    Args:
        rows: shape (n,), places in the file, from 0.
        seed: any integer.

    Returns:
        Shape (n,), uniform over 64 bits.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA,
        doi 10.1145/2660193.2660195 (SplitMix64's mixing function).

    Example:
        >>> whole = priorities(np.arange(4), seed=1)
        >>> bool((whole[2:] == priorities(np.array([2, 3]), seed=1)).all())
        True
    """
    with np.errstate(over="ignore"):
        mixed = _mix(np.asarray([seed & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64) + _GAMMA)
        return _mix((rows.astype(np.uint64) + np.uint64(1)) * _GAMMA ^ mixed)


_GAMMA = np.uint64(0x9E37_79B9_7F4A_7C15)


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))


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
