"""Check of the columns beside the answers before any is scored, and collection of what people coded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.codebook import Codebook
from semscale.coding.coding_columns import CodingColumns, numbers_in
from semscale.coding.labels import HandCodes, hand_codes
from semscale.errors import InputError, RowError
from semscale.rating.cells import weights_in
from semscale.results.respondents import NOBODY, numbered
from semscale.results.tallies import check_groups
from semscale.stats.calibration.sample_design import checked_inclusion
from semscale.store.columns import column_in, groups_in
from semscale.store.filtering import rows_of_the_file
from semscale.store.first_look import look_through
from semscale.store.table import Table
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class HandRows:
    """The answers of a table that people coded.

    Attributes:
        rows: shape (m,), their numbers, from 0, ascending.
        answers: m cells.
        codes: what people coded; ``None`` where no column of labels is named.
    """

    rows: Integers
    answers: tuple[Any, ...] = ()
    codes: HandCodes | None = None


def check_coding_cells(
    table: Table, columns: CodingColumns, codebook: Codebook, size: int, *, counting: bool = False
) -> tuple[Table, HandRows]:
    """Read the columns beside the answers once; a table with answers alone is not read.

    Args:
        table: the input, with the columns.
        columns: what they are used for.
        codebook: k codes.
        size: rows that are read at once.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table, with the number of its rows if they were read, and its hand-coded answers.

    Raises:
        InputError: an unknown code, a label without the probability of its draw, a weight that is none, a
            rating without any number, a row without a stratum, rows of one respondent in several strata, more
            than 100,000 groups, a row that cannot be read, or more rows than Excel holds.
        StoppedByUserError: stopped by the user.
    """
    titles = {name for name, _ in columns.named} - {columns.text}
    if not titles and not counting:
        return table, HandRows(np.zeros(0, np.int64))
    checks = _CellChecks(columns, codebook)
    read = titles | {columns.text} if columns.labels or not titles else titles
    checked = look_through(table, read, size, checks.look, counting=counting)
    with rows_of_the_file(table):
        checks.check_all()
    checks.nesting.check(table, size)
    return checked, checks.hand_rows()


class _CellChecks:
    """Checks a table batch by batch, and keeps its hand-coded rows."""

    def __init__(self, columns: CodingColumns, codebook: Codebook) -> None:
        self._columns, self._codebook = columns, codebook
        self._rows: list[Integers] = []
        self._answers: list[Any] = []
        self._codes: list[Floats] = []
        self._inclusion: list[Floats] = []
        self._groups: dict[str, set[str | None]] = {column: set() for column in columns.by}
        self._numbers: dict[str, bool] = {}  # whether a column that needs numbers has one, by its option
        self.nesting = _Nesting(columns.respondent, columns.strata)

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Check the next rows."""
        columns = self._columns
        try:
            self._look_at_labels(batch, first_row)
            if columns.rating is not None:
                self._note_numbers("rating", numbers_in(batch, columns.rating))
            if columns.weight is not None:
                weights_in(column_in(batch, columns.weight))
            if columns.strata is not None:
                strata_names(batch, columns.strata)
        except RowError as error:
            raise RowError(error.words, error.row + first_row) from None
        self.nesting.look(batch, first_row)
        for column, names in self._groups.items():
            names.update(groups_in(column_in(batch, column)).unique().to_list())
            check_groups(names)

    def check_all(self) -> None:
        """Refuse columns that need a number and have none.

        Raises:
            InputError: there is one.
        """
        named = {option: name for name, option in self._columns.named}
        for option, has_number in self._numbers.items():
            if not has_number:
                raise InputError(f"{option}: column '{named[option]}' has no number")

    def hand_rows(self) -> HandRows:
        """Give the rows that people coded."""
        columns = self._columns
        if not columns.labels:
            return HandRows(np.zeros(0, np.int64))
        drawn = None if columns.inclusion is None else np.concatenate(self._inclusion)
        codes = HandCodes(np.concatenate(self._codes, axis=1), columns.labels, drawn)
        return HandRows(np.concatenate(self._rows), tuple(self._answers), codes)

    def _look_at_labels(self, batch: pl.DataFrame, first_row: int) -> None:
        columns = self._columns
        if not columns.labels:
            return
        cells = [column_in(batch, column).to_list() for column in columns.labels]
        codes = hand_codes(cells, self._codebook, columns.labels)
        is_coded: Mask = np.asarray(~np.isnan(codes).all(axis=(0, 2)))
        coded = np.flatnonzero(is_coded)
        self._rows.append(coded + first_row)
        self._codes.append(codes[:, coded])
        answers = column_in(batch, columns.text)
        self._answers += [answers[row] for row in coded.tolist()]
        if columns.inclusion is not None:
            found = numbers_in(batch, columns.inclusion)
            self._note_numbers("inclusion", found)
            self._inclusion.append(checked_inclusion(found, is_coded, first_row=first_row)[coded])

    def _note_numbers(self, option: str, numbers: Floats) -> None:
        self._numbers[option] = self._numbers.get(option, False) or not np.isnan(numbers).all()


def strata_names(rows: pl.DataFrame, column: str) -> Sequence[str]:
    """Read a column of names of strata.

    Raises:
        RowError: a row without one.
    """
    names = groups_in(column_in(rows, column)).to_list()
    if None in names:
        raise RowError(
            f"strata: column '{column}' is empty in data {{row}} (rows are counted from 1, below the "
            "header): every row needs a stratum",
            names.index(None),
        )
    return names


class _Nesting:
    """Finds a respondent whose rows lie in several strata, by 24 bytes of each respondent in a batch."""

    def __init__(self, respondent: str | None, strata: str | None) -> None:
        self._respondent, self._strata = respondent, strata
        self._numbers: dict[str, int] = {}
        self._seen: list[Integers] = []

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Take the next rows."""
        if self._respondent is None or self._strata is None:
            return
        names = strata_names(batch, self._strata)
        strata = [self._numbers.setdefault(name, len(self._numbers)) for name in names]
        who = numbered(groups_in(column_in(batch, self._respondent)).to_list(), batch.height)
        found = np.column_stack([who, strata, np.arange(first_row, first_row + batch.height)])
        _, first = np.unique(found[:, :2], axis=0, return_index=True)
        named = first[who[first] != NOBODY]
        self._seen.append(found[np.sort(named)])

    def check(self, table: Table, size: int) -> None:
        """Refuse rows of one respondent in several strata.

        Raises:
            InputError: there are such rows; the respondent of the first one is named.
        """
        if not self._seen:
            return
        who, strata, rows = np.concatenate(self._seen).T
        _, first, place = np.unique(who, return_index=True, return_inverse=True)
        split = rows[strata != strata[first][place]]
        if len(split):
            raise InputError(
                f"respondent: '{_cell(table, str(self._respondent), int(split.min()), size)}' lies in more "
                "than one of the strata: give such rows one stratum, and other names in another"
            )


def _cell(table: Table, column: str, row: int, size: int) -> object:
    """Read one cell again."""
    for batch in table.batches_with({column}, size):
        if row < batch.height:
            return column_in(batch, column)[row]
        row -= batch.height
    raise InputError(f"{table.name} has fewer rows than before: it was changed while it was read")
