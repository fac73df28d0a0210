"""Which columns of a table are matched, and their cells as predictions, references and groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.results.tallies import check_groups
from semscale.store.cells import storable
from semscale.store.columns import as_names, groups_in
from semscale.store.list_cells import listed_cell
from semscale.store.result_columns import check_free
from semscale.store.table import Table

_BATCH = 50_000
_SHOWN = 40


@dataclass(frozen=True)
class MatchColumns:
    """Which column of a table is what.

    Attributes:
        prediction: the texts to be judged.
        references: what they should say; each column holds texts, or lists of texts.
        by: names of groups.

    Raises:
        InputError: no reference, or a column that would be matched with itself.
    """

    prediction: str
    references: tuple[str, ...]
    by: str | None = None

    def __post_init__(self) -> None:
        if not self.references:
            raise InputError("reference must name at least one column, got none")
        if self.prediction in self.references:
            raise InputError(
                f"reference must be another column than prediction, got '{self.prediction}' for both"
            )
        double = [column for at, column in enumerate(self.references) if column in self.references[:at]]
        if double:
            raise InputError(f"reference: column '{double[0]}' is named twice; name it once")

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        table.require(self.prediction, "prediction")
        for reference in self.references:
            table.require(reference, "reference")
        if self.by is not None:
            table.require(self.by, "by")
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class MatchCells:
    """A table's rows, and what is to be matched in them.

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


def read_cells(table: Table, columns: MatchColumns) -> MatchCells:
    """Read a table's rows and take the cells to be matched out of them.

    Raises:
        InputError: a column that does not exist, a row that cannot be read, a broken list, more than
            1,000 groups, no text in the predictions, or none in the references.
    """
    columns.check(table)
    frames: list[pl.DataFrame] = []
    cells: dict[str, list[Any]] = {title: [] for title in (columns.prediction, *columns.references)}
    groups: list[str | None] = []
    for batch in table.batches(_BATCH):
        check_free(batch.columns, table.name)
        frames.append(storable(batch))
        for title in cells:
            cells[title] += _cells(batch, title)
        if columns.by is not None:
            groups += _groups(frames[-1], columns.by)
    check_groups(set(groups))
    references = reference_lists([cells[title] for title in columns.references], columns.references)
    _refuse_textless([[cell] for cell in cells[columns.prediction]], "prediction", (columns.prediction,))
    _refuse_textless(references, "reference", columns.references)
    return MatchCells(
        pl.concat(frames, how="diagonal_relaxed"),
        cells[columns.prediction],
        references,
        None if columns.by is None else groups,
    )


def reference_lists(
    columns: Sequence[Sequence[Any]], names: Sequence[str], first_row: int = 0
) -> list[list[Any]]:
    """Bring the references of each row together, from several columns and from lists in cells.

    A CSV cell can only hold text: one that is a JSON list of strings, such as ``["Paris", "Rome"]``, is that
    list; nulls may stand among them. Anything else, ``[1]`` included, is a text.

    Args:
        columns: each of shape (n,).
        names: of the columns, for messages.
        first_row: row of the file that the first cells stand in, from 0.

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
                cell, parameter="reference", column=name, row=first_row + row, only_nulls=False
            )
    return rows


def _cells(batch: pl.DataFrame, title: str) -> list[Any]:
    return batch[title].to_list() if title in batch.columns else [None] * batch.height


def _groups(batch: pl.DataFrame, title: str) -> list[str | None]:
    return as_names(groups_in(batch[title]), "by") if title in batch.columns else [None] * batch.height


def _refuse_textless(rows: Sequence[Sequence[Any]], parameter: str, columns: Sequence[str]) -> None:
    if any(isinstance(cell, str) and not cell.isspace() and cell for cells in rows for cell in cells):
        return
    given = next((cell for cells in rows for cell in cells if cell is not None and str(cell).strip()), None)
    found = "all its cells are empty" if given is None else f"its first value is {str(given)[:_SHOWN]!r}"
    named = "' and '".join(columns)
    raise InputError(f"{parameter}: column '{named}' holds no text: {found}; name the column with the texts")
