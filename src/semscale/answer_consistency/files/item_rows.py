"""Items whose answer and samples stand in rows of their own, anywhere in the table."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.answer_consistency.files.columns import AnswerCells, AnswerColumns, answer_cells
from semscale.answer_consistency.white_box.token_cells import read_tokens
from semscale.errors import RowError
from semscale.store.cells import storable
from semscale.store.columns import column_in
from semscale.store.result_columns import check_free
from semscale.store.row_picking import picked_rows
from semscale.store.table import Table
from semscale.types import Integers, Mask

_NO_ITEM = 1  # another seed, so that a row without an item is one of its own


class ItemRows:
    """Which rows belong to which item: the first has the answer, the others a sample each.

    Rows are told apart by 64-bit hashes of their items, so that no names are kept. Items are numbered from 0
    by their first rows; a row without an item is one of its own.

    Example:
        >>> rows = ItemRows()
        >>> rows.add(["a", "b", None], ["yes", "no", "no"])
        >>> rows.add(["a", None], ["Yes", " "])
        >>> rows.finish()
        >>> rows.n, rows.of(0, 2), rows.eligible(1).tolist()
        (4, [[0, 3], [1]], [True, False, False, False])
    """

    def __init__(self) -> None:
        self.n = 0
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._usable: list[Mask] = []
        self._n_rows = 0

    def add(self, items: Sequence[object], answers: Sequence[object]) -> None:
        """Take the next rows: the item that each belongs to, and its answer or sample."""
        names = pl.Series([None if item is None else str(item) for item in items], dtype=pl.String)
        places = pl.Series(range(self._n_rows, self._n_rows + len(names)), dtype=pl.UInt64)
        keys = names.hash(seed=0).zip_with(names.is_not_null(), places.hash(seed=_NO_ITEM))
        self._keys.append(keys.to_numpy())
        self._usable.append(
            np.array([isinstance(cell, str) and bool(cell.strip()) for cell in answers], dtype=bool)
        )
        self._n_rows += len(names)

    def finish(self) -> None:
        """Number the items, once all rows were taken."""
        _, first, number = np.unique(np.concatenate(self._keys), return_index=True, return_inverse=True)
        self._keys = []
        by_first = np.argsort(first, kind="stable")
        places = np.empty(len(first), np.int64)
        places[by_first] = np.arange(len(first))
        small = np.int32 if self._n_rows <= np.iinfo(np.int32).max else np.int64
        self._number: Integers = places[number].astype(small)
        self._first: Integers = first[by_first].astype(small)
        self._order: Integers = np.argsort(self._number, kind="stable").astype(small)
        self._starts: Integers = np.searchsorted(self._number[self._order], np.arange(len(first) + 1))
        self.n = len(first)

    def of(self, start: int, stop: int) -> list[list[int]]:
        """List the rows of the items from ``start`` up to ``stop``, those of each in their order."""
        bounds = self._starts[start : min(stop, self.n) + 1].tolist()
        return [self._order[low:high].tolist() for low, high in zip(bounds[:-1], bounds[1:], strict=True)]

    def are_first(self, first_row: int, n: int) -> Mask:
        """Say which of n rows are the first of an item."""
        rows = np.arange(first_row, first_row + n)
        return np.asarray(self._first[self._number[rows]] == rows, dtype=bool)

    def eligible(self, fewest: int) -> Mask:
        """Say which items have an answer and enough samples, shape (items,)."""
        usable = np.concatenate(self._usable)
        counts = np.bincount(self._number[usable], minlength=self.n)
        answered = usable[self._first]
        return np.asarray(answered & (counts - 1 >= fewest), dtype=bool)


@contextmanager
def rows_of_items(rows: Integers) -> Iterator[None]:
    """Let errors about one of n items name its row in the table.

    Args:
        rows: shape (n,), the row of each item, from 0.

    Raises:
        RowError: what is raised inside, about the row of the item.
    """
    try:
        yield
    except RowError as error:
        raise RowError(error.words, int(rows[error.row])) from None


def item_cells(
    table: Table,
    columns: AnswerColumns,
    items: ItemRows | None,
    size: int,
    skip: int,
    *,
    needs_sample_tokens: bool = False,
) -> Iterator[AnswerCells]:
    """Read answers and their samples, ``size`` at a time, without the first ``skip``.

    Args:
        table: the input.
        columns: which column is what.
        items: which rows belong to which item; ``None`` where each row is one.
        size: items of a part.
        skip: items that are passed over.
        needs_sample_tokens: whether log-probabilities are read in the rows of samples, too.
    """
    if items is not None:
        yield from read_items(table, columns, items, size, skip, needs_sample_tokens=needs_sample_tokens)
        return
    first_row = skip
    for batch in table.batches(size, skip):
        check_free(batch.columns, table.name)
        yield answer_cells(batch, columns, first_row)
        first_row += batch.height


def index_items(items: ItemRows, columns: AnswerColumns, batch: pl.DataFrame) -> None:
    """Take the next rows of a table into the index of its items."""
    item, answer = (column_in(batch, str(title)) for title in (columns.item, columns.answer))
    items.add(item.to_list(), answer.to_list())


def read_items(
    table: Table,
    columns: AnswerColumns,
    items: ItemRows,
    size: int,
    skip: int,
    *,
    needs_sample_tokens: bool = False,
) -> Iterator[AnswerCells]:
    """Read items in their order, ``size`` at a time, without the first ``skip``.

    Rows of an item may stand far apart; then rows between them are read more than once.
    """
    for start in range(skip, items.n, size):
        rows = items.of(start, start + size)
        wanted = np.sort(np.concatenate([np.array(of, np.int64) for of in rows]))
        heads = [of[0] for of in rows]
        frames, answers, tokens = [], dict[int, Any](), dict[int, Any]()
        for batch, places in picked_rows(table, wanted):
            check_free(batch.columns, table.name)
            answers |= zip(places.tolist(), column_in(batch, str(columns.answer)).to_list(), strict=True)
            if needs_sample_tokens and columns.logprobs is not None:
                tokens |= zip(places.tolist(), column_in(batch, columns.logprobs).to_list(), strict=True)
            frames.append(storable(batch.filter(pl.Series(np.isin(places, heads)))))
        samples = [[answers[row] for row in of[1:]] for of in rows]
        cells = answer_cells(pl.concat(frames, how="diagonal_relaxed"), columns, samples=samples)
        if tokens:
            read = [[read_tokens([tokens[row]], 1, first=row)[0] for row in of[1:]] for of in rows]
            cells = replace(cells, sample_tokens=read)
        yield cells
