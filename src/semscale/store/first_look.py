"""Check of a whole table before any work begins, so that a wrong cell far down costs none."""

from collections.abc import Callable, Collection
from dataclasses import replace

import polars as pl

from semscale.errors import StoppedByUserError
from semscale.store.filtering import rows_of_the_file
from semscale.store.places.output_places import Target
from semscale.store.table import Table
from semscale.store.workbook import check_rows
from semscale.store.writing import output_format


def needs_counting(table: Table, out: Target | None) -> bool:
    """Tell whether rows must be counted before an output is written: only Excel sheets have a limit."""
    return out is not None and output_format(out) == "xlsx" and table.n_rows is None


def look_through(
    table: Table,
    titles: Collection[str],
    size: int,
    look: Callable[[pl.DataFrame, int], None],
    *,
    counting: bool = False,
) -> Table:
    """Read some columns of all rows once.

    Args:
        table: the input.
        titles: names of columns, at least one; each exists.
        size: rows that are read at once.
        look: called with each batch, which may have other columns too and may lack one of JSON lines, and
            with the number of its first row, from 0.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table with the number of its rows, so that progress can say how much is left.

    Raises:
        InputError: what ``look`` refuses, a row that cannot be read, or more rows than Excel holds.
        StoppedByUserError: stopped by the user.
    """
    n = 0
    try:
        for batch in table.batches_with(titles, size):
            with rows_of_the_file(table):
                look(batch, n)
            n += batch.height
            if counting:
                check_rows(n)
    except KeyboardInterrupt:
        raise StoppedByUserError(
            "stopped while the columns were checked, before any text was read; finished parts of an earlier "
            "run, if there was one, are kept, and the same command goes on after them"
        ) from None
    return replace(table, n_rows=n)
