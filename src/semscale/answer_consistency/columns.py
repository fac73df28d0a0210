"""Columns of a table with prompts, answers and samples: their names, cells and items."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.answer_consistency.correctness import FewestLabels, LabelCounts, read_labels
from semscale.answer_consistency.white_box import read_sample_tokens, read_tokens
from semscale.chat.replies import TokenLogprob
from semscale.errors import InputError, RowError
from semscale.results.tallies import check_groups
from semscale.store.cells import storable
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.list_cells import listed_cell
from semscale.store.result_columns import check_free
from semscale.store.row_picking import picked_rows
from semscale.store.table import Table
from semscale.types import Integers, Mask

_SHOWN = 40


@dataclass(frozen=True)
class AnswerColumns:
    """The names of the columns that hold prompts, answers, samples, labels and groups.

    Attributes:
        prompt: the questions; needed where answers are to be asked for.
        answer: the answers; with ``item`` also the samples.
        samples: the samples; each column holds texts, or lists of texts.
        item: which rows belong to one prompt: the first has the answer, the others a sample each.
        label: whether the answer is right.
        by: names of groups.
        logprobs: log-probabilities of the answers' tokens, as ``read_tokens`` takes them; with ``item`` also
            of the samples.
        sample_logprobs: those of the samples' tokens, a column for each of ``samples``; a cell beside a list
            of samples holds a list for each.

    Raises:
        InputError: columns that do not go together.
    """

    prompt: str | None = None
    answer: str | None = None
    samples: tuple[str, ...] = ()
    item: str | None = None
    label: str | None = None
    by: str | None = None
    logprobs: str | None = None
    sample_logprobs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.answer is None:
            if self.prompt is None:
                raise InputError("answer must name a column, or prompt one whose questions --ask asks")
            if self.samples or self.item or self.logprobs or self.sample_logprobs:
                raise InputError("sample, item and logprobs need answer: name the column with the answers")
            return
        if bool(self.samples) == (self.item is not None):
            raise InputError(
                "samples must come from columns (--sample COLUMN, can be repeated) or from rows of an item "
                "(--item COLUMN): name one of the two"
            )
        if self.answer in self.samples:
            raise InputError(f"sample must be another column than answer, got '{self.answer}' for both")
        if self.sample_logprobs and len(self.sample_logprobs) != len(self.samples):
            raise InputError(
                f"sample_logprobs must name a column for each sample column, got {len(self.sample_logprobs)} "
                f"for {len(self.samples)}; rows of an item have theirs in logprobs"
            )
        double = [column for at, column in enumerate(self.samples) if column in self.samples[:at]]
        if double:
            raise InputError(f"sample: column '{double[0]}' is named twice; name it once")

    @property
    def named(self) -> Iterator[tuple[str, str]]:
        """Each parameter with the column that it names."""
        for parameter in ("prompt", "answer", "item", "label", "by", "logprobs"):
            if (column := getattr(self, parameter)) is not None:
                yield parameter, column
        yield from (("sample", column) for column in self.samples)
        yield from (("sample_logprobs", column) for column in self.sample_logprobs)

    @property
    def has_sample_tokens(self) -> bool:
        """Whether the table has the log-probabilities of the samples' tokens."""
        return bool(self.sample_logprobs) or bool(self.item and self.logprobs)

    @property
    def titles(self) -> set[str]:
        """All columns."""
        return {column for _, column in self.named}

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        for parameter, column in self.named:
            table.require(column, parameter)
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class AnswerCells:
    """Items of a table, and their cells.

    Attributes:
        rows: one row for each of the n items, as it can be written.
        prompts: n cells; ``None`` where no column holds them.
        answers: n cells.
        samples: n lists of cells.
        labels: n cells, or ``None`` without a column of them.
        groups: n names of groups, or ``None`` without a column of them.
        tokens: n tuples of the answers' tokens, ``None`` where they are not known or have no column.
        sample_tokens: for each answer those of its samples, likewise.
    """

    rows: pl.DataFrame
    prompts: list[Any]
    answers: list[Any]
    samples: list[list[Any]]
    labels: list[Any] | None
    groups: list[str | None] | None
    tokens: list[tuple[TokenLogprob, ...] | None] | None
    sample_tokens: list[list[tuple[TokenLogprob, ...] | None]] | None = None


def answer_cells(
    batch: pl.DataFrame, columns: AnswerColumns, first_row: int = 0, samples: list[list[Any]] | None = None
) -> AnswerCells:
    """Read prompts, answers and samples of n items.

    Args:
        batch: a row for each of n items, as the table yields them.
        columns: which column is what.
        first_row: row of the file that the first one is, from 0.
        samples: n lists of cells, where they do not stand in columns of the same rows.

    Raises:
        InputError: a broken list, or one of other things than log-probabilities; its row is named.
    """
    rows, n = storable(batch), batch.height

    def cells(title: str | None) -> list[Any]:
        return [None] * n if title is None else column_in(batch, title).to_list()

    sample_tokens = None
    if samples is None:
        samples, sample_tokens = _samples(batch, columns, first_row)
    by = columns.by
    return AnswerCells(
        rows=rows,
        prompts=cells(columns.prompt),
        answers=cells(columns.answer),
        samples=samples,
        labels=None if columns.label is None else cells(columns.label),
        groups=None if by is None else as_names(groups_in(column_in(rows, by)), "by"),
        tokens=None if columns.logprobs is None else read_tokens(cells(columns.logprobs), n, first=first_row),
        sample_tokens=sample_tokens,
    )


def _samples(
    batch: pl.DataFrame, columns: AnswerColumns, first_row: int
) -> tuple[list[list[Any]], list[list[tuple[TokenLogprob, ...] | None]] | None]:
    """Read the samples of each row, and the tokens of each sample where columns have them."""
    samples: list[list[Any]] = [[] for _ in range(batch.height)]
    tokens: list[list[tuple[TokenLogprob, ...] | None]] = [[] for _ in samples]
    for place, title in enumerate(columns.samples):
        cells = column_in(batch, title).to_list()
        listed = [
            listed_cell(cell, parameter="sample", column=title, row=row, only_nulls=True)
            for row, cell in enumerate(cells, first_row)
        ]
        for row, found in enumerate(listed):
            samples[row] += found
        if columns.sample_logprobs:
            given = column_in(batch, columns.sample_logprobs[place]).to_list()
            for row, (cell, beside, found) in enumerate(zip(given, cells, listed, strict=True)):
                # Beside one sample stands its own list, beside a list of samples a list of theirs.
                is_one = not isinstance(beside, list) and found == [beside]
                tokens[row] += (
                    read_tokens([cell], 1, first=first_row + row, parameter="sample_logprobs")
                    if is_one
                    else read_sample_tokens([cell], [len(found)], first=first_row + row)[0]
                )
    return samples, tokens if columns.sample_logprobs else None


class AnswerChecks:
    """Checks all cells of a table batch by batch, before anything is asked or measured.

    Args:
        columns: which column is what.
        needed: how many labels there must be, where there is a column of them, before a model is asked or
            weights are tuned. Answers of the table are measured with fewer, too.
    """

    def __init__(self, columns: AnswerColumns, needed: FewestLabels) -> None:
        self.n, self._needed = 0, needed
        self._parameter, self._column = (
            ("answer", columns.answer) if columns.answer else ("prompt", columns.prompt)
        )
        self._groups: set[str | None] = set()
        self._given: object = None
        self._has_text = False
        self._label, self._labels = columns.label, LabelCounts(0, 0)

    def add(self, cells: AnswerCells) -> None:
        """Check the next items.

        Raises:
            RowError: a label that says neither right nor wrong; its row is counted among these items.
            InputError: more than 100,000 groups.
        """
        if cells.labels is not None:
            self._labels = self._labels.added(LabelCounts.count(read_labels(cells.labels)))
        if cells.groups is not None:
            self._groups.update(cells.groups)
            check_groups(self._groups)
        self.n += len(cells.answers)
        if not self._has_text:
            texts = cells.answers if self._parameter == "answer" else cells.prompts
            given = [cell for cell in texts if cell is not None and str(cell).strip()]
            self._has_text = any(isinstance(cell, str) for cell in given)
            self._given = given[0] if given and self._given is None else self._given

    def finish(self) -> None:
        """Refuse a table without a text among the answers or the prompts, or with too few labels.

        Raises:
            InputError: there is no text to measure or to ask about, or a column of labels has too few to ask
                a model for what they are to judge, or to tune weights.
        """
        must = self._parameter == "prompt" or self._needed.of_each > 0
        if self._label is not None and must and not self._needed.are_met(self._labels):
            raise InputError(
                f"label: column '{self._label}' must label at least {self._needed.total} answers"
                f"{self._needed.kinds}, got {self._labels}{self._needed.remedy}"
            )
        if self._has_text:
            return
        given = self._given
        found = "all its cells are empty" if given is None else f"its first value is {str(given)[:_SHOWN]!r}"
        raise InputError(
            f"{self._parameter}: column '{self._column}' holds no text: {found}; "
            f"name the column with the {self._parameter}s"
        )


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
