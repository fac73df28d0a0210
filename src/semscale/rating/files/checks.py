"""Check of all cells of a file before any text is embedded, so that a wrong cell far down costs no work."""

import numpy as np
import polars as pl

from semscale.rating.cells import humans_in, inclusion_in, weights_in
from semscale.rating.files.columns import FileColumns
from semscale.rating.labelling import FilledSheet
from semscale.results.tallies import Tallies
from semscale.results.weights import as_weights
from semscale.signature import Signature
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.store.cells import storable
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.first_look import look_through
from semscale.store.table import Table
from semscale.types import Status


def check_cells(
    table: Table,
    columns: FileColumns,
    part_rows: int,
    *,
    counting: bool,
    labels: FilledSheet | None = None,
) -> Table:
    """Read all rows once and check the cells beside the texts; a file with texts alone is not read.

    Args:
        table: the input.
        columns: names of the columns.
        part_rows: rows that are read at once.
        counting: whether the rows must fit into an Excel sheet.
        labels: of the file's rows, in a sheet.

    Returns:
        The table, with the number of its rows if they were read.

    Raises:
        InputError: a weight, human rating or probability that is none, labels of other texts, more than
            100,000 groups, a row that cannot be read, or more rows than Excel holds.
        StoppedByUserError: stopped by the user.
    """
    if not (counting or columns.all_by or columns.weight or columns.human or labels):
        return table
    checks = _Checks(columns, labels)
    checked = look_through(table, checks.titles, part_rows, checks.look, counting=counting)
    if labels is not None:
        labels.check_rows(checks.n)
    return checked


class _Checks:
    """Checks a table batch by batch."""

    def __init__(self, columns: FileColumns, labels: FilledSheet | None) -> None:
        self._columns, self._labels, self.n = columns, labels, 0
        # Names alone count here, so any scale serves.
        figures = figures_of(np.array([0.0, 1.0]))
        self._groups = {by: Tallies([figures], Signature.of("rate")) for by in columns.all_by}

    @property
    def titles(self) -> set[str]:
        """Name the columns to check, or the texts where rows alone are to be counted."""
        named = self._beside
        return named | {self._columns.text} if self._labels is not None else named or {self._columns.text}

    @property
    def _beside(self) -> set[str]:
        columns = self._columns
        named = (columns.weight, columns.human, columns.inclusion, *columns.all_by)
        return {title for title in named if title is not None}

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Check the next rows."""
        columns = self._columns
        self.n = first_row + batch.height
        if self._labels is not None:
            self._labels.check_texts(column_in(batch, columns.text), first_row)
        cells = storable(batch.select(title for title in batch.columns if title in self._beside))
        if columns.weight in cells.columns:
            weights = weights_in(cells[columns.weight], first_row)
            if not weights.dtype.is_numeric():  # all that can be wrong with numbers was found
                as_weights(weights, first_row=first_row)
        if columns.human is not None:
            humans = humans_in(column_in(cells, columns.human), first_row, columns.human_range)
            if columns.inclusion is not None:
                inclusion_in(column_in(cells, columns.inclusion), humans, first_row)
        for by, groups in self._groups.items():
            if by in cells.columns:
                names = as_names(groups_in(cells[by].unique()), "by")
                groups.add(np.empty((len(names), 2)), [Status.MISSING] * len(names), by=names)
