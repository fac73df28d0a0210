"""Tables of which only the rows that meet a condition are read."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import shortened
from semscale.store.conditions.labelled_values import with_values
from semscale.store.conditions.parsing import Condition, columns_of, parse_condition
from semscale.store.conditions.truth import truth
from semscale.store.table import Table

_BATCH = 50_000


@dataclass(frozen=True)
class KeptRows:
    """How many rows meet a condition.

    Attributes:
        where: the condition.
        n: rows of the table.
        kept: rows that meet it.
        unknown: rows of which it is not known, because a cell is missing or is no number.
    """

    where: str
    n: int
    kept: int
    unknown: int

    def __str__(self) -> str:
        """Say it in a sentence.

        Example:
            >>> str(KeptRows("age >= 18", 1000, 850, 0)).split("; ")[:2]
            ["850 of 1,000 rows meet 'age >= 18'", 'left out: 150 not meeting it']
        """
        left_out = [f"{self.n - self.kept - self.unknown:,} not meeting it"]
        if self.unknown:
            left_out.append(f"{self.unknown:,} with a cell that is missing or no number")
        return (
            f"{self.kept:,} of {self.n:,} rows meet {shortened(self.where)}; left out: "
            f"{', and '.join(left_out)}; rows are counted among those that are kept"
        )


def filtered(table: Table, where: str) -> Table:
    """Keep the rows that meet a condition; one that is not known is not met.

    The columns of the condition are read once to count the rows. What was left out is added to the table's
    notes.

    Args:
        table: the input.
        where: the condition; ``parse_condition`` says how it is written.

    Raises:
        InputError: the condition cannot be read, compares texts with a number, or leaves no row; a row of the
            file cannot be read.
        UnknownNameError: it names a column that does not exist.
    """
    condition = with_values(parse_condition(where), table.labels)
    titles = tuple(dict.fromkeys(columns_of(condition)))
    for title in titles:
        table.require(title, "where")
    rows = _counted(table, condition, titles, where)
    if not rows.kept:
        raise InputError(f"where: no row is left: {rows}")

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return _skipped(_kept(table.batches(size), condition), skip)

    def read_columns(size: int, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
        return _kept(table.batches_with({*wanted, *titles}, size), condition)

    return replace(
        table,
        read=read,
        read_columns=None if table.read_columns is None else read_columns,
        n_rows=rows.kept,
        settings=(*table.settings, f"where {where}"),
        notes=(*table.notes, str(rows)),
        whole=table.whole or table,
        row_in_whole=lambda row: _row_before(table, condition, titles, row),
    )


@contextmanager
def rows_of_the_file(table: Table) -> Iterator[None]:
    """Let errors about a row of a table name the row of its file, where a condition left rows out.

    Raises:
        InputError: what is raised inside.
    """
    try:
        yield
    except RowError as error:
        if table.row_in_whole is None:
            raise
        raise error.at(f"row {table.row_in_whole(error.row) + 1:,}") from None


def _row_before(table: Table, condition: Condition, titles: tuple[str, ...], row: int) -> int:
    """Find the number of a kept row, from 0, in the table before any condition."""
    start = 0
    for batch in table.batches_with(titles, _BATCH):
        places = truth(condition, batch).fill_null(value=False).arg_true()
        if row < len(places):
            found = start + int(places[row])
            return found if table.row_in_whole is None else table.row_in_whole(found)
        start, row = start + batch.height, row - len(places)
    raise InputError(f"{table.name} has fewer rows than before: it was changed while it was read")


def _counted(table: Table, condition: Condition, titles: tuple[str, ...], where: str) -> KeptRows:
    n = kept = unknown = 0
    for batch in table.batches_with(titles, _BATCH):
        known = truth(condition, batch)
        n += batch.height
        kept += int(known.sum() or 0)
        unknown += known.null_count()
    return KeptRows(where, n, kept, unknown)


def _kept(batches: Iterator[pl.DataFrame], condition: Condition) -> Iterator[pl.DataFrame]:
    for batch in batches:
        rows = batch.filter(truth(condition, batch).fill_null(value=False))
        if rows.height:
            yield rows


def _skipped(batches: Iterator[pl.DataFrame], skip: int) -> Iterator[pl.DataFrame]:
    for batch in batches:
        if skip < batch.height:
            yield batch[skip:]
        skip = max(0, skip - batch.height)
