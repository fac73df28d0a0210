"""Columns of a table that are matched, and their cells as predictions, references and groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.results.tallies import check_groups
from semscale.store.cells import storable
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.list_cells import listed_cell
from semscale.store.result_columns import check_free
from semscale.store.table import Table

_SHOWN = 40


@dataclass(frozen=True)
class MatchColumns:
    """Names of a table's columns of predictions, references and groups.

    Attributes:
        prediction: name of the column of predictions.
        references: names of the columns of references, at least one; cells are texts or lists of texts.
        by: name of the column of groups; ``None`` without groups.
        called: what messages call the columns of references.

    Raises:
        InputError: no reference, or a column that would be matched with itself.
    """

    prediction: str
    references: tuple[str, ...]
    by: str | None = None
    called: str = "reference"

    def __post_init__(self) -> None:
        if not self.references:
            raise InputError(f"{self.called} must name at least one column, got none")
        if self.prediction in self.references:
            raise InputError(
                f"{self.called} must be another column than prediction, got '{self.prediction}' for both"
            )
        double = [column for at, column in enumerate(self.references) if column in self.references[:at]]
        if double:
            raise InputError(f"{self.called}: column '{double[0]}' is named twice; name it once")

    @property
    def titles(self) -> set[str]:
        """All columns."""
        return {self.prediction, *self.references, *([self.by] if self.by else [])}

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        table.require(self.prediction, "prediction")
        for reference in self.references:
            table.require(reference, self.called)
        if self.by is not None:
            table.require(self.by, "by")
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class MatchCells:
    """Rows of a table with their predictions, references and groups.

    Attributes:
        rows: the table with n rows, as it can be written.
        predictions: n cells.
        references: n lists of cells.
        groups: n names of groups, or ``None`` without a column of them.
    """

    rows: pl.DataFrame
    predictions: list[Any]
    references: list[list[Any]]
    groups: list[str | None] | None


def match_cells(batch: pl.DataFrame, columns: MatchColumns, first_row: int = 0) -> MatchCells:
    """Read the cells to be matched from some rows of a table.

    Args:
        batch: n rows, as the table yields them.
        columns: names of the columns.
        first_row: row of the file that the first one is, from 0.

    Raises:
        InputError: a broken list; its row is named.
    """
    rows = storable(batch)
    references = [column_in(batch, title).to_list() for title in columns.references]
    by = columns.by
    return MatchCells(
        rows,
        column_in(batch, columns.prediction).to_list(),
        reference_lists(references, columns.references, first_row, columns.called),
        None if by is None else as_names(groups_in(column_in(rows, by)), "by"),
    )


class CellChecks:
    """Checks all cells of a table, batch by batch, before anything is matched.

    Args:
        columns: names of the columns.
    """

    def __init__(self, columns: MatchColumns) -> None:
        self._columns = columns
        self._groups: set[str | None] = set()
        # A cell that shows what stands in a column until a text is found there.
        self._given: dict[str, object] = {"prediction": None, columns.called: None}
        self._has_text = {"prediction": False, columns.called: False}

    def add(self, cells: MatchCells) -> None:
        """Check the next rows.

        Raises:
            InputError: more than 100,000 groups.
        """
        self._look("prediction", [cells.predictions])
        self._look(self._columns.called, cells.references)
        if cells.groups is not None:
            self._groups.update(cells.groups)
            check_groups(self._groups)

    def finish(self) -> None:
        """Refuse a table without any text on one side.

        Raises:
            InputError: no text in the predictions, or none in the references.
        """
        sides = {"prediction": (self._columns.prediction,), self._columns.called: self._columns.references}
        for parameter, titles in sides.items():
            named = "' and '".join(titles)
            if not self._has_text[parameter]:
                given = self._given[parameter]
                found = "all its cells are empty"
                found = found if given is None else f"its first value is {str(given)[:_SHOWN]!r}"
                raise InputError(
                    f"{parameter}: column '{named}' holds no text: {found}; name the column with the texts"
                )

    def _look(self, parameter: str, rows: Sequence[Sequence[Any]]) -> None:
        if self._has_text[parameter]:
            return
        cells = [cell for row in rows for cell in row if cell is not None and str(cell).strip()]
        self._has_text[parameter] = any(isinstance(cell, str) for cell in cells)
        if self._given[parameter] is None and cells:
            self._given[parameter] = cells[0]


def reference_lists(
    columns: Sequence[Sequence[Any]],
    names: Sequence[str],
    first_row: int = 0,
    called: str = "reference",
) -> list[list[Any]]:
    """List the references of each row, from several columns and from lists in cells.

    A CSV cell can only hold text: one that is a JSON list of strings, such as ``["Paris", "Rome"]``, is that
    list; nulls may stand among them. Anything else, ``[1]`` included, is a text.

    Args:
        columns: each of shape (n,).
        names: of the columns, for messages.
        first_row: row of the file that the first cells stand in, from 0.
        called: what messages call the columns.

    Returns:
        n lists.

    Raises:
        InputError: a cell that begins as a list of strings does and is none; its row is named.

    Example:
        >>> reference_lists([["Rome", '["Paris", "Paname"]'], [None, "City of Light"]], ["one", "other"])
        [['Rome', None], ['Paris', 'Paname', 'City of Light']]
    """
    rows: list[list[Any]] = [[] for _ in columns[0]]
    for name, column in zip(names, columns, strict=True):
        for row, cell in enumerate(column):
            rows[row] += listed_cell(
                cell, parameter=called, column=name, row=first_row + row, only_nulls=False
            )
    return rows
