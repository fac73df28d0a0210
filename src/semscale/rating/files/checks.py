"""Check of all cells of a file before any text is embedded, so that a wrong cell far down costs no work."""

import numpy as np
import polars as pl

from semscale.rating.files.cells import humans_in, weights_in
from semscale.rating.files.columns import FileColumns
from semscale.results.tallies import Tallies
from semscale.results.weights import as_weights
from semscale.signature import Signature
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.store.cells import storable
from semscale.store.columns import as_names, groups_in
from semscale.store.first_look import look_through
from semscale.store.table import Table
from semscale.types import Status


def check_cells(table: Table, columns: FileColumns, part_rows: int, *, counting: bool) -> Table:
    """Read all rows once and check the cells beside the texts; a file with texts alone is not read.

    Args:
        table: the input.
        columns: names of the columns.
        part_rows: rows that are read at once.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table, with the number of its rows if they were read.

    Raises:
        InputError: a weight or human rating that is none, more than 1,000 groups, a row that cannot be read,
            or more rows than Excel holds.
        StoppedByUserError: stopped by the user.
    """
    if counting or columns.by or columns.weight or columns.human:
        return look_through(table, _titles(columns), part_rows, _Checks(columns).look, counting=counting)
    return table


def _titles(columns: FileColumns) -> set[str]:
    """Name the columns to check, or the texts where rows alone are to be counted."""
    named = (columns.weight, columns.human, columns.by)
    return {title for title in named if title is not None} or {columns.text}


class _Checks:
    """Checks a table batch by batch."""

    def __init__(self, columns: FileColumns) -> None:
        self._columns = columns
        # Names alone count here, so any scale serves.
        self._groups = Tallies([figures_of(np.array([0.0, 1.0]))], Signature.of("rate"))

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Check the next rows."""
        columns = self._columns
        wanted = {columns.weight, columns.human, columns.by}
        cells = storable(batch.select(title for title in batch.columns if title in wanted))
        if columns.weight in cells.columns:
            weights = weights_in(cells[columns.weight], first_row)
            if not weights.dtype.is_numeric():  # all that can be wrong with numbers was found
                as_weights(weights, first_row=first_row)
        if columns.human in cells.columns:
            humans_in(cells[columns.human], first_row, columns.human_range)
        if columns.by in cells.columns:
            names = as_names(groups_in(cells[columns.by].unique()), "by")
            self._groups.add(np.empty((len(names), 2)), [Status.MISSING] * len(names), by=names)
