"""Tables whose answers and samples are in rows of their own, read as tables with one row per item."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.answer_consistency.columns import AnswerColumns
from semscale.store.cells import storable
from semscale.store.columns import column_in
from semscale.store.first_look import look_through
from semscale.store.result_columns import check_free
from semscale.store.row_picking import picked_rows
from semscale.store.table import Table
from semscale.types import Integers, Mask

SAMPLES, TOKENS = "*samples", "*sample_logprobs"
"""Columns of a table of items: the samples of each, and the log-probabilities of their tokens."""

_NO_ITEM = 1  # another seed, so that a row without an item is an item by itself


class ItemRows:
    """Rows of each item: the first has the answer, the others a sample each.

    Items are identified by 64-bit hashes, so that no names are held. They are numbered from 0 by their first
    rows; a row without an item is an item by itself.

    Example:
        >>> rows = ItemRows()
        >>> rows.add(["a", "b", None], ["yes", "no", "no"])
        >>> rows.add(["a", None], ["Yes", " "])
        >>> rows.finish()
        >>> rows.n, rows.between(0, 2), rows.eligible(1).tolist()
        (4, [[0, 3], [1]], [True, False, False, False])
    """

    def __init__(self) -> None:
        self.n = 0
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._usable: list[Mask] = []
        self._n_rows = 0

    def add(self, items: Sequence[object], answers: Sequence[object]) -> None:
        """Add the next rows: the item that each belongs to, and its answer or sample."""
        names = pl.Series([None if item is None else str(item) for item in items], dtype=pl.String)
        rows = pl.Series(range(self._n_rows, self._n_rows + len(names)), dtype=pl.UInt64)
        keys = names.hash(seed=0).zip_with(names.is_not_null(), rows.hash(seed=_NO_ITEM))
        self._keys.append(keys.to_numpy())
        usable = [isinstance(cell, str) and bool(cell.strip()) for cell in answers]
        self._usable.append(np.array(usable, dtype=bool))
        self._n_rows += len(names)

    def finish(self) -> None:
        """Number the items, once all rows were added."""
        _, first, number = np.unique(np.concatenate(self._keys), return_index=True, return_inverse=True)
        self._keys = []
        by_first = np.argsort(first, kind="stable")
        positions = np.empty(len(first), np.int64)
        positions[by_first] = np.arange(len(first))
        small = np.int32 if self._n_rows <= np.iinfo(np.int32).max else np.int64
        self._number: Integers = positions[number].astype(small)
        self.first: Integers = first[by_first].astype(small)
        self._order: Integers = np.argsort(self._number, kind="stable").astype(small)
        self._starts: Integers = np.searchsorted(self._number[self._order], np.arange(len(first) + 1))
        self.n = len(first)

    def between(self, start: int, stop: int) -> list[list[int]]:
        """List the rows of the items from ``start`` up to ``stop``, those of each in their order."""
        bounds = self._starts[start : min(stop, self.n) + 1].tolist()
        return [self._order[low:high].tolist() for low, high in zip(bounds[:-1], bounds[1:], strict=True)]

    def are_first(self, first_row: int, n: int) -> Mask:
        """Tell which of n rows are the first of an item."""
        rows = np.arange(first_row, first_row + n)
        return np.asarray(self.first[self._number[rows]] == rows, dtype=bool)

    def eligible(self, fewest: int) -> Mask:
        """Tell which items have an answer and enough samples, shape (items,)."""
        usable = np.concatenate(self._usable)
        counts = np.bincount(self._number[usable], minlength=self.n)
        return np.asarray(usable[self.first] & (counts - 1 >= fewest), dtype=bool)


class ItemTable:
    """A table read as one with a row per item, and the columns of that.

    Args:
        table: with the rows.
        columns: with an ``item``.
        size: rows that are read at once to index the items.
        with_tokens: whether log-probabilities are read in the rows of samples, too.

    Attributes:
        table: the table of items: the first row of each, with its samples in a further column. Its
            ``read_columns`` reads the rows once and leaves the samples empty.
        columns: its columns.
        rows: the rows of each item.
    """

    def __init__(self, table: Table, columns: AnswerColumns, size: int, *, with_tokens: bool = False) -> None:
        self._base, self._answer, self.rows = table, columns.answer, ItemRows()
        self._logprobs = columns.logprobs if with_tokens else None
        titles = [str(columns.item), columns.answer]

        def index(batch: pl.DataFrame, _: int) -> None:
            self.rows.add(*(column_in(batch, title).to_list() for title in titles))

        look_through(table, set(titles), size, index)
        self.rows.finish()
        further = (SAMPLES,) if self._logprobs is None else (SAMPLES, TOKENS)
        self.columns = columns.changed(item=None, sample=(SAMPLES,), sample_logprobs=further[1:])
        self.table = replace(
            table,
            columns=(*table.columns, *further),
            read=self._read,
            read_columns=self._heads,
            n_rows=self.rows.n,
            row_in_whole=self._row_of_file,
        )

    def sample_texts(self, size: int) -> Iterator[tuple[int, object]]:
        """Yield the rows that are samples, with their texts."""
        row = 0
        for batch in self._base.batches_with({self._answer}, size):
            is_first = self.rows.are_first(row, batch.height)
            for number in np.flatnonzero(~is_first).tolist():
                yield row + number, column_in(batch, self._answer)[number]
            row += batch.height

    def _row_of_file(self, item: int) -> int:
        row, before = int(self.rows.first[item]), self._base.row_in_whole
        return row if before is None else before(row)

    def _heads(self, size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        """Read the first row of each item, without samples."""
        row = 0
        for batch in self._base.batches_with({*titles} - {SAMPLES, TOKENS}, size):
            heads = batch.filter(pl.Series(self.rows.are_first(row, batch.height)))
            row += batch.height
            if heads.height:
                empty: list[list[Any]] = [[] for _ in range(heads.height)]
                yield heads.with_columns(self._sample_columns(empty, empty))

    def _read(self, size: int, skip: int) -> Iterator[pl.DataFrame]:
        """Read items in their order; rows between those of an item may be read more than once."""
        for start in range(skip, self.rows.n, size):
            rows = self.rows.between(start, start + size)
            wanted = np.sort(np.concatenate([np.array(numbers, np.int64) for numbers in rows]))
            heads = [numbers[0] for numbers in rows]
            frames, texts, tokens = [], dict[int, Any](), dict[int, Any]()
            for batch, numbers in picked_rows(self._base, wanted):
                check_free(batch.columns, self._base.name)
                texts |= zip(numbers.tolist(), column_in(batch, self._answer).to_list(), strict=True)
                if self._logprobs is not None:
                    cells = column_in(batch, self._logprobs).to_list()
                    tokens |= zip(numbers.tolist(), cells, strict=True)
                frames.append(storable(batch.filter(pl.Series(np.isin(numbers, heads)))))
            samples = [[texts[row] for row in numbers[1:]] for numbers in rows]
            listed = [[tokens.get(row) for row in numbers[1:]] for numbers in rows]
            yield pl.concat(frames, how="diagonal_relaxed").with_columns(
                self._sample_columns(samples, listed)
            )

    def _sample_columns(self, samples: list[list[Any]], tokens: list[list[Any]]) -> list[pl.Series]:
        texts = [[cell if isinstance(cell, str) else None for cell in cells] for cells in samples]
        columns = [pl.Series(SAMPLES, texts, pl.List(pl.String))]
        return columns if self._logprobs is None else [*columns, pl.Series(TOKENS, tokens, pl.Object)]
