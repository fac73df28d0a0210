"""The columns of a table that a judge needs, and their cells."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.human_labels import label_table
from semscale.judging.templates import Template
from semscale.results.table_columns import listed_texts
from semscale.results.tallies import check_groups
from semscale.stats.calibration.sample_design import checked_inclusion
from semscale.store.cells import storable
from semscale.store.columns import as_names, column_in, floats_in, groups_in
from semscale.store.first_look import look_through
from semscale.store.result_columns import check_free
from semscale.store.table import Table
from semscale.types import Floats, Mask

_BATCH = 50_000


@dataclass(frozen=True)
class JudgeColumns:
    """The names of the columns that a judge needs.

    Attributes:
        question: what was asked.
        answer: what is judged.
        references: answers that are known to be right; each column holds texts, or lists of texts.
        human: people's labels of the same answers.
        by: names of groups; it may be one of the others, too.
        inclusion: probability with which each row was drawn for a label.

    Raises:
        InputError: one column is to be two things, or probabilities without labels.
    """

    question: str
    answer: str
    references: tuple[str, ...] = ()
    human: str | None = None
    by: str | None = None
    inclusion: str | None = None

    def __post_init__(self) -> None:
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion belongs to human: name the column of people's labels as well")
        named = self.names
        double = [name for place, name in enumerate(named) if name in named[:place]]
        if double:
            raise InputError(f"column '{double[0]}' is named twice; question, answer and others must differ")

    @property
    def names(self) -> list[str]:
        """All columns that are judged or compared."""
        further = [name for name in (self.human, self.inclusion) if name]
        return [self.question, self.answer, *self.references, *further]

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        options = ["question", "answer", *["reference"] * len(self.references), "human", "inclusion"]
        for name, option in zip(self.names, options, strict=False):
            table.require(name, option)
        if self.by is not None:
            table.require(self.by, "by")
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class JudgeCells:
    """Rows of a table, and their cells in the columns that a judge needs.

    Attributes:
        rows: the table with n rows, as it can be written.
        questions: n cells.
        answers: n cells.
        references: n lists of cells, or ``None`` without a column of them.
        human: n cells, or ``None`` likewise.
    """

    rows: pl.DataFrame
    questions: list[Any]
    answers: list[Any]
    references: list[list[Any]] | None
    human: list[Any] | None


def judge_cells(batch: pl.DataFrame, columns: JudgeColumns, first_row: int = 0) -> JudgeCells:
    """Read the cells of n rows.

    Args:
        batch: n rows, as the table yields them.
        columns: which column is what.
        first_row: row of the file that the first one is, from 0.

    Raises:
        InputError: a broken list; its row is named.
    """
    cells = {name: column_in(batch, name).to_list() for name in columns.names}
    known = [column_in(batch, name) for name in columns.references]
    return JudgeCells(
        storable(batch),
        cells[columns.question],
        cells[columns.answer],
        listed_texts(known, "reference", first_row) if known else None,
        cells[columns.human] if columns.human else None,
    )


def read_judge_cells(table: Table, columns: JudgeColumns, most: int | None = None) -> JudgeCells:
    """Read the cells of the first rows of a table.

    Args:
        table: the input.
        columns: which column is what.
        most: how many rows are read; all of them unless given.

    Raises:
        InputError: a column that does not exist, a row that cannot be read, or a broken list.
    """
    columns.check(table)
    if most is not None:
        return judge_cells(next(table.batches(most)), columns)
    return judge_cells(pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed"), columns)


def group_names(rows: pl.DataFrame, by: str) -> list[str | None]:
    """Read the names of groups of n rows, as they can be written; a missing one is ``None``."""
    return as_names(groups_in(column_in(rows, by)), "by")


def inclusion_in(rows: pl.DataFrame, column: str) -> Floats:
    """Read probabilities of a draw, shape (n,), NaN where a cell has no number."""
    cells = storable(column_in(rows, column).to_frame()).to_series()
    return floats_in(cells.cast(pl.Float64, strict=False))


def check_judge_cells(
    table: Table, columns: JudgeColumns, template: Template, size: int, *, counting: bool
) -> Table:
    """Check references, people's labels, their draw and groups of all rows; without them nothing is read.

    Args:
        table: the input.
        columns: which column is what.
        template: what labels are given by.
        size: rows that are read at once.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table, with the number of its rows if they were read.

    Raises:
        InputError: a broken list, a label that is none of the template's or has no probability of its draw, a
            probability out of range, more than 100,000 groups, a row that cannot be read, or more rows than
            Excel holds.
        StoppedByUserError: stopped by the user.
    """
    groups: set[str | None] = set()

    def look(batch: pl.DataFrame, first_row: int) -> None:
        references = [column_in(batch, name) for name in columns.references]
        if references:
            listed_texts(references, "reference", first_row)
        if columns.human is not None:
            labels = label_table(column_in(batch, columns.human).to_list(), template, first_row)
            if columns.inclusion is not None:
                labelled: Mask = np.asarray(~np.isnan(labels).all(axis=1))
                checked_inclusion(inclusion_in(batch, columns.inclusion), labelled, first_row=first_row)
        if columns.by is not None:
            groups.update(group_names(storable(batch), columns.by))
            check_groups(groups)

    further = (columns.human, columns.inclusion, columns.by)
    titles = {*columns.references, *(name for name in further if name)}
    if titles or counting:
        return look_through(table, titles or {columns.answer}, size, look, counting=counting)
    return table
