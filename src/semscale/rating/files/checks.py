"""A look through a whole file before any text is embedded, so that a wrong cell far down costs no work."""

import numpy as np
import polars as pl

from semscale.errors import InterruptedRunError
from semscale.rating.files.cells import humans_in, weights_in
from semscale.rating.files.columns import FileColumns
from semscale.results.tallies import Tallies
from semscale.results.weights import as_weights
from semscale.signature import Signature
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.store.cells import storable
from semscale.store.columns import as_names, groups_in
from semscale.store.table import Table
from semscale.store.workbook import check_rows
from semscale.types import Status


def check_cells(table: Table, columns: FileColumns, part_rows: int, *, to_excel: bool) -> None:
    """Read all rows once and check the cells beside the texts; a file with texts alone is not read.

    Args:
        table: the input.
        columns: which column is what.
        part_rows: rows that are read at once.
        to_excel: whether the result must fit into an Excel sheet.

    Raises:
        InputError: a weight or human rating that is none, more than 1,000 groups, a row that cannot be read,
            or more rows than Excel holds.
        InterruptedRunError: stopped by the user.
    """
    counting = to_excel and table.n_rows is None
    if not (counting or columns.by or columns.weight or columns.human):
        return
    checks = _Checks(columns)
    try:
        for batch in table.batches_with(_titles(columns), part_rows):
            checks.add(batch)
            if counting:
                check_rows(checks.n)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            "stopped while the columns were checked, before any text was read; finished parts of an earlier "
            "run, if there was one, are kept, and the same command goes on after them"
        ) from None


def _titles(columns: FileColumns) -> set[str]:
    """Name the columns to check, or the texts where rows alone are to be counted."""
    named = (columns.weight, columns.human, columns.by)
    return {title for title in named if title is not None} or {columns.text}


class _Checks:
    """Takes a table batch by batch.

    Attributes:
        n: rows so far.
    """

    def __init__(self, columns: FileColumns) -> None:
        self.n = 0
        self._columns = columns
        # Names alone count here, so any scale serves.
        self._groups = Tallies([figures_of(np.array([0.0, 1.0]))], Signature.of("rate"))

    def add(self, batch: pl.DataFrame) -> None:
        """Check the next rows."""
        columns = self._columns
        wanted = {columns.weight, columns.human, columns.by}
        cells = storable(batch.select(title for title in batch.columns if title in wanted))
        if columns.weight in cells.columns:
            weights = weights_in(cells[columns.weight], self.n)
            if not weights.dtype.is_numeric():  # all that can be wrong with numbers was found
                as_weights(weights, first_row=self.n)
        if columns.human in cells.columns:
            humans_in(cells[columns.human], self.n, columns.human_range)
        if columns.by in cells.columns:
            names = as_names(groups_in(cells[columns.by].unique()), "by")
            self._groups.add(np.empty((len(names), 2)), [Status.MISSING] * len(names), by=names)
        self.n += batch.height
