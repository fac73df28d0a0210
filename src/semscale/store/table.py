"""Tables that are read in batches, the labels of their columns, and checks of their columns."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePath
from typing import Literal

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError, UnknownNameError
from semscale.messages import nearest_name, shorten
from semscale.store.columns import DATE, NUMBER
from semscale.types import Integers

ColumnRole = Literal["", "identifier", "date", "wave", "ignore"]
"""What a column is that a survey tool adds by itself; empty for the column of a question."""


@dataclass(frozen=True)
class ColumnLabels:
    """Labels of a column and its values in a file.

    Attributes:
        label: the question or a description; may be empty.
        question: short name of a question with several columns, such as "select all that apply"; empty for a
            column of its own.
        option: the column's option in that question.
        values: labels of values, by the value as a name (``groups_in``), in the order of the file.
        missing: codes that the file declares missing, each with its label; cells with them are missing.
        missing_values: names of the labelled values that the file declares missing.
        is_weight: whether the file states that its rows are weighted by the column.
        measure: ``nominal``, ``ordinal`` or ``scale``, if the file states it.
        counted: name of the value for a chosen option, if the file states it.
        are_mentions: whether the columns of the question each hold codes of one list, such as the first,
            second and third brand that came to mind.
        is_text: whether the column holds what people wrote beside the option "other".
        is_entry: whether the column holds what people typed, so that its cells list no options.
        heading: short title of the question for tables and pages; empty for ``title``.
        order: answers in the order of the survey, if they have no labels.
        role: what the column is, if a survey tool added it by itself. ``ignore`` with a question is a column
            that repeats what the question's other columns hold.
        is_net: whether the column is a net: an answer that stands for several others.
    """

    label: str = ""
    question: str = ""
    option: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    missing_values: Collection[str] = ()
    is_weight: bool = False
    measure: str = ""
    counted: str = ""
    are_mentions: bool = False
    is_text: bool = False
    is_entry: bool = False
    heading: str = ""
    order: tuple[str, ...] = ()
    role: ColumnRole = ""
    is_net: bool = False

    @property
    def title(self) -> str:
        """The question, followed by the column's option unless the question contains it.

        Examples:
            >>> ColumnLabels("How good is it?", option="Price").title
            'How good is it? Price'
        """
        is_stated = not self.label or self.label.rstrip("] ").endswith(self.option)
        return self.label if is_stated else with_option(self.label, self.option)

    @property
    def answers(self) -> dict[str, str]:
        """Labels of the values that are answers, without values that the file declares missing."""
        return {value: words for value, words in self.values.items() if value not in self.missing_values}


SENTENCE_ENDS = ("?", "!", ".", "…", "？", "！", "。")
"""Ends of a question after which no colon follows."""


def with_option(question: str, option: str) -> str:
    """Return a question followed by one of its options, or by an item of a grid.

    Examples:
        >>> with_option("How good is it?", "Price"), with_option("Rate the following", "Price")
        ('How good is it? Price', 'Rate the following: Price')
    """
    return f"{question} {option}" if question.endswith(SENTENCE_ENDS) else f"{question}: {option}"


MOST_BYTES = 1_000_000_000
"""Maximum size of a file that is read into memory as a whole, in bytes after decompression."""
MOST_CELLS = 50_000_000
"""Maximum number of cells (rows times columns) in memory: of a whole file, or of a batch."""
MOST_COLUMNS = 10_000
"""Maximum number of columns."""

_BLOCK = 1 << 20
_SCAN_ROWS = 10_000
_LISTED = 30
_SHOWN = 40


@dataclass(frozen=True)
class Table:
    """A table whose rows are read on demand, in the order of the file; only its header has been read.

    Attributes:
        name: the table's name in messages, as the user wrote it.
        path: the file with the rows; for standard input a temporary copy; ``None`` if no single local file
            has them.
        columns: names of the columns. Columns of JSON lines that first appear after row 1,000 are missing
            here and are part of later batches.
        read: ``read(size, skip)`` yields frames of at most ``size`` rows after the first ``skip`` ones.
        n_rows: number of rows; ``None`` if the whole file would have to be read to count them.
        settings: format, encoding and sheet, which also affect the rows.
        read_columns: ``read_columns(size, titles)`` yields only some columns; ``None`` if that is not faster
            for the format.
        labels: labels of columns from a survey tool or SPSS, by the columns' names.
        notes: sentences on how the table was read, such as rows that a condition leaves out; for reports.
        identity: function that returns a text that changes if any row changes; by default the bytes of
            ``path`` are used.
        whole: the unfiltered table, if a condition left rows out; otherwise ``None``.
        row_in_whole: function from the position of a row to its position in ``whole``, from 0; ``None``
            likewise.
        hint: hint on the location of a missing column in the file, for messages; may be empty.
        export: name of the survey tool that wrote the file, such as ``Qualtrics``; empty if it is unknown.
        sheets: names of all sheets of a workbook; empty for other files.
    """

    name: str
    path: Path | None
    columns: tuple[str, ...]
    read: Callable[[int, int], Iterator[pl.DataFrame]] = field(repr=False)
    n_rows: int | None = None
    settings: tuple[str, ...] = ()
    read_columns: Callable[[int, Collection[str]], Iterator[pl.DataFrame]] | None = field(
        default=None, repr=False
    )
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    identity: Callable[[], str] | None = field(default=None, repr=False)
    whole: "Table | None" = field(default=None, repr=False)
    row_in_whole: Callable[[int], int] | None = field(default=None, repr=False)
    hint: Callable[[str], str] = field(default=lambda _column: "", repr=False)
    export: str = ""
    sheets: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """Last part of ``name``, for summaries: a path would differ between machines."""
        return PurePath(self.name).name

    @property
    def most_rows(self) -> int:
        """Maximum number of rows of a batch, by ``MOST_CELLS``."""
        return max(1, MOST_CELLS // max(1, len(self.columns)))

    def batches(self, size: int, skip: int = 0) -> Iterator[pl.DataFrame]:
        """Yield the rows in order, up to ``size`` at a time, without the first ``skip``.

        Batches are smaller if ``size`` rows would have more than ``MOST_CELLS`` cells.

        Columns with mixed types (a string and a number in one column of JSON lines or Excel) have type
        ``Object`` and contain the Python values.

        Raises:
            InputError: a row cannot be read; the message names its line.
        """
        if size < 1:
            raise InputError(f"batch size must be at least 1, got {size}")
        return self.read(min(size, self.most_rows), skip)

    def batches_with(self, titles: Collection[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield all rows with at least these columns; other columns are left out if that saves work.

        Args:
            titles: names of existing columns, at least one.
            size: number of rows of a batch, at least 1.

        Raises:
            InputError: a row cannot be read; the message names its line.
        """
        if self.read_columns is None:
            return self.batches(size)
        return self.read_columns(min(size, max(1, MOST_CELLS // max(1, len(titles)))), titles)

    def fingerprint(self) -> str:
        """Hash the file's bytes and its settings: 32 hex digits that change if any row changes.

        For a remote file, its size and the service's information on its content replace the bytes.
        """
        digest = hashlib.blake2b("\0".join(self.settings).encode(), digest_size=16)
        if self.identity is not None:
            digest.update(self.identity().encode())
        if self.path is None:
            return digest.hexdigest()
        with self.path.open("rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def has(self, column: str) -> bool:
        """Return whether a column exists; one of JSON lines may first appear in a later row."""
        return column in self.columns or self._appears_later(column)

    def require(self, column: str, parameter: str) -> None:
        """Check that a column exists.

        Raises:
            UnknownNameError: it does not exist; the message has the nearest name and the columns.
        """
        if self.has(column):
            return
        raise UnknownNameError(
            parameter,
            f": {self.name} has no column '{column}'; {self.hint(column) or self._hint(column)}"
            f"columns: {_list_columns(self.columns)}",
        )

    def require_text(self, column: str, parameter: str) -> None:
        """Check that a column exists and contains a text; rows are read up to the first text.

        Raises:
            UnknownNameError: there is no such column.
            InputError: all cells are missing, blank, numbers, dates or of another type.
        """
        self.require(column, parameter)
        first: object = None
        for batch in self.batches(_SCAN_ROWS):
            if column not in batch.columns:
                continue
            if _holds_text(batch[column]):
                return
            first = _first_filled(batch[column]) if first is None else first
        raise self.no_text(column, parameter, first)

    def no_text(self, column: str, parameter: str, first: object) -> InputError:
        """Return the error about a column without texts.

        Args:
            column: its name.
            parameter: name of the parameter, for the message.
            first: its first filled cell; ``None`` if there is none.
        """
        is_date = isinstance(first, date) or (isinstance(first, str) and re.match(DATE, first))
        shown = shorten(first) if isinstance(first, str) else str(first)[:_SHOWN]
        content = f"it holds dates, such as {shown}" if is_date else f"its first value is {shown}"
        if first is None:
            content = "all its cells are empty"
        hint = ""
        if "xlsx" in self.settings and first in (None, 0):
            hint = (
                "; a formula without a stored result is read as empty or 0: open the workbook in Excel and "
                "save it"
            )
        return InputError(
            parameter, f": column '{column}' holds no text: {content}; name the column with the texts{hint}"
        )

    def _hint(self, column: str) -> str:
        """Suggest the nearest column, or say that the header looks like a row of data."""
        same = (name for name in self.columns if name.casefold() == column.casefold())
        unnamed = [title for n, title in enumerate(self.columns, 1) if title == f"column_{n}"]
        named = [title for title in self.columns if title not in unnamed]
        near = nearest_name(column, named, alike=0.5) or next(same, None)
        # The header of a single column is a word; other characters in it are separators or belong to a title.
        if len(self.columns) == 1 and "delimited" in self.settings and not (near and near.isidentifier()):
            return (
                "its header is one cell: if that is a title, name the line with the names of the columns by "
                "`header_row`, or else separate cells by comma, semicolon, tab or | and give `format='csv'`; "
            )
        if near:
            return f"did you mean '{near}'? "
        if unnamed:
            return "if it begins with a title, name the row with the columns' names by `header_row`; "
        return ""

    def _appears_later(self, column: str) -> bool:
        if "jsonl" not in self.settings:
            return False
        return any(column in batch.columns for batch in self.batches(_SCAN_ROWS))


def frame_reader(frame: pl.DataFrame) -> Callable[[int, int], Iterator[pl.DataFrame]]:
    """Return the attribute ``read`` of a ``Table`` with rows in memory."""

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        for start in range(skip, frame.height, size):
            yield frame.slice(start, size)

    return read


def check_size(n: int, most: int, unit: str, name: str, remedy: str) -> None:
    """Refuse a table that would exceed the machine's memory.

    Args:
        n: size in memory.
        most: the limit, ``MOST_BYTES`` or ``MOST_CELLS``.
        unit: unit of the size, such as ``bytes``.
        name: the file's name in messages.
        remedy: what the user can do.

    Raises:
        InputError: n is above the limit.

    Examples:
        >>> check_size(5, 4, "cells", "a.xlsx", "save it as .csv")
        Traceback (most recent call last):
        semscale.errors.InputError: a.xlsx has 5 cells, and at most 4 are allowed; save it as .csv
    """
    if n > most:
        raise InputError(f"{name} has {n:,} {unit}, and at most {most:,} are allowed; {remedy}")


def check_columns(n: int, name: str) -> None:
    """Refuse a table with too many columns.

    Raises:
        InputError: n is above ``MOST_COLUMNS``.
    """
    check_size(n, MOST_COLUMNS, "columns", name, "leave columns out, or write their values below each other")


def check_names(names: list[str], name: str) -> tuple[str, ...]:
    """Return column names, with ``column_N`` (N from 1) for unnamed columns; refuse duplicates and too many.

    Examples:
        >>> check_names(["id", ""], "answers.csv")
        ('id', 'column_2')
    """
    check_columns(len(names), name)
    named = [title if title.strip() else f"column_{number}" for number, title in enumerate(names, start=1)]
    seen: set[str] = set()
    for title in named:
        if title in seen:
            raise InputError(f"{name} has two columns named '{title}'; rename one of them")
        seen.add(title)
    return tuple(named)


def _list_columns(names: tuple[str, ...]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _holds_text(cells: pl.Series) -> bool:
    if cells.dtype == pl.Object:
        cells = pl.Series([cell for cell in cells if isinstance(cell, str)], dtype=pl.String)
    if cells.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    strings = cells.cast(pl.String)
    is_other = strings.str.contains(NUMBER) | strings.str.contains(DATE)
    return bool((strings.str.contains(r"\S") & ~is_other).any())


def _first_filled(cells: pl.Series) -> object:
    return next((cell for cell in cells.to_list() if cell is not None and str(cell).strip()), None)


_PICKED = 50_000


def pick_rows(
    table: Table, rows: Integers, titles: Collection[str] = ()
) -> Iterator[tuple[pl.DataFrame, Integers]]:
    """Read some rows, batch by batch, from the first of them to the last.

    Args:
        table: the input.
        rows: shape (m,), positions in the file, from 0, ascending.
        titles: names of the columns to read; by default all.

    Yields:
        Frames of the rows, none of them empty, each with the positions of its rows.

    Raises:
        InputError: a row cannot be read; the message names its line.
    """
    if not len(rows):
        return
    first = 0 if titles else int(rows[0])
    batches = table.batches_with(titles, _PICKED) if titles else table.batches(_PICKED, first)
    for batch in batches:
        here = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + batch.height)]
        if len(here):
            yield batch[(here - first).tolist()], here
        first += batch.height
        if rows[-1] < first:
            return


@contextmanager
def rows_of_the_file(table: Table) -> Iterator[None]:
    """Correct the row in errors about a filtered table to the row in its file.

    Raises:
        InputError: an error of the block.
    """
    try:
        yield
    except RowError as error:
        if table.row_in_whole is None:
            raise
        raise error.at(f"row {table.row_in_whole(error.row) + 1:,}") from None
