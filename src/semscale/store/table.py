"""Input tables that are read in batches, with checks of their columns."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from semscale.errors import InputError, UnknownNameError
from semscale.messages import nearest_name
from semscale.store.column_labels import ColumnLabels

NUMBER = r"^\s*[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*$"
"""Pattern of a cell that contains only a plain number, with a point or a comma; for ``re`` and polars."""

_BLOCK = 1 << 20
_SCAN_ROWS = 10_000
_LISTED = 30
_SHOWN = 40


@dataclass(frozen=True)
class Table:
    """A table whose rows are read on demand, in the order of the file; only the head was read.

    Attributes:
        name: the table's name in messages, as the user wrote it.
        path: the file with the rows; for standard input a temporary copy; ``None`` where no single file of
            this machine has them.
        columns: names of the columns. Columns of JSON lines that first appear after row 1,000 are missing
            here and are part of later batches.
        read: ``read(size, skip)`` yields frames of at most ``size`` rows after the first ``skip`` ones.
        n_rows: number of rows; ``None`` if the whole file would have to be read to count them.
        settings: format, encoding and sheet, which also decide the rows.
        read_columns: ``read_columns(size, titles)`` yields only some columns; ``None`` if the format makes
            that no cheaper.
        labels: what a survey tool or SPSS says about columns, by their names.
        notes: sentences on how the table was read, such as rows that a condition leaves out; for reports.
        identity: returns what changes if any row changes, where that is not the bytes of ``path``.
        whole: the table before a condition left rows out; ``None`` if none did.
        row_in_whole: gives the number of a row, from 0, in ``whole``; ``None`` likewise.
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

    def batches(self, size: int, skip: int = 0) -> Iterator[pl.DataFrame]:
        """Yield the rows in order, ``size`` at a time, without the first ``skip``.

        Columns with mixed types (a string and a number in one column of JSON lines or Excel) have type
        ``Object`` and contain the Python values.

        Raises:
            InputError: a row cannot be read; the message names its line.
        """
        if size < 1:
            raise InputError(f"batch size must be at least 1, got {size}")
        return self.read(size, skip)

    def batches_with(self, titles: Collection[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield all rows with at least these columns; other columns are left out if that saves work.

        Args:
            titles: names of existing columns, at least one.
            size: rows in a batch, at least 1.

        Raises:
            InputError: a row cannot be read; the message names its line.
        """
        return self.batches(size) if self.read_columns is None else self.read_columns(size, titles)

    def fingerprint(self) -> str:
        """Hash the file's bytes and its settings: 32 hex digits that change if any row changes.

        Of a file behind a URL, its size and what the service says of its content take the place of its bytes.
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

    def require(self, column: str, parameter: str) -> None:
        """Check that a column exists.

        Raises:
            UnknownNameError: it does not; the message has the nearest name and the columns.
        """
        if column in self.columns or self._appears_later(column):
            return
        raise UnknownNameError(
            f"{parameter}: {self.name} has no column '{column}'; {self._hint(column)}"
            f"columns: {_listed(self.columns)}"
        )

    def require_text(self, column: str, parameter: str) -> None:
        """Check that a column exists and contains a text; rows are read until one is found.

        Raises:
            UnknownNameError: there is no such column.
            InputError: all cells are missing, blank, numbers or of another type.
        """
        self.require(column, parameter)
        seen: str | None = None
        for batch in self.batches(_SCAN_ROWS):
            if column not in batch.columns:
                continue
            if _holds_text(batch[column]):
                return
            seen = seen or _first_shown(batch[column])
        found = f"its first value is {seen}" if seen else "all its cells are empty"
        raise InputError(
            f"{parameter}: column '{column}' holds no text: {found}; name the column with the texts"
        )

    def _hint(self, column: str) -> str:
        """Suggest the nearest column, or say that the header looks like a row of data."""
        if len(self.columns) == 1 and "delimited" in self.settings:
            return (
                "its header is one cell: remove a title above the names of the columns, or separate cells by "
                "comma, semicolon, tab or | and give --format csv; "
            )
        same = (name for name in self.columns if name.casefold() == column.casefold())
        near = nearest_name(column, self.columns, alike=0.5) or next(same, None)
        if near:
            return f"did you mean '{near}'? "
        if all(re.fullmatch(r"column_\d+", title) for title in self.columns[1:]):
            return "if its first row is a title, remove what stands above the names of the columns; "
        return ""

    def _appears_later(self, column: str) -> bool:
        if "jsonl" not in self.settings:
            return False
        return any(column in batch.columns for batch in self.batches(_SCAN_ROWS))


def check_names(names: list[str], name: str) -> tuple[str, ...]:
    """Call unnamed columns ``column_N`` (N from 1) and refuse duplicates.

    Example:
        >>> check_names(["id", ""], "answers.csv")
        ('id', 'column_2')
    """
    named = [title if title.strip() else f"column_{place}" for place, title in enumerate(names, start=1)]
    seen: set[str] = set()
    for title in named:
        if title in seen:
            raise InputError(f"{name} has two columns named '{title}'; rename one of them")
        seen.add(title)
    return tuple(named)


def _listed(names: tuple[str, ...]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _holds_text(cells: pl.Series) -> bool:
    if cells.dtype == pl.Object:
        return any(isinstance(cell, str) and cell.strip() and not re.match(NUMBER, cell) for cell in cells)
    if cells.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    strings = cells.cast(pl.String)
    return bool((strings.str.contains(r"\S") & ~strings.str.contains(NUMBER)).any())


def _first_shown(cells: pl.Series) -> str | None:
    for cell in cells.to_list():
        if cell is not None and str(cell).strip():
            return (repr(cell) if isinstance(cell, str) else str(cell))[:_SHOWN]
    return None
