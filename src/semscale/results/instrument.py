"""Instruments on a table, and the measurement of its parts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, Protocol, Self, TypeVar

import polars as pl

from semscale.presentable import Presentable
from semscale.results.facts import ResultFacts
from semscale.results.table_columns import Cells, Columns
from semscale.store.columns import column_in
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import PREFIX, check_free, is_reserved

R = TypeVar("R", bound="PartResult")
S = TypeVar("S", bound=Presentable)


class PartResult(Protocol):
    """Results of some rows that a run can store; every ``Result`` is one."""

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the columns of the part, and the rest as JSON values."""

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: Any) -> Self:
        """Read the results back from the result of ``to_part``."""

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that are only in the run's parts, not in the output."""


class TableInstrument(ABC, Generic[R, S]):
    """An instrument on a table: it measures parts, reads finished parts back, and summarizes all parts.

    ``measure_table`` calls ``check`` with the table, ``inspect`` with all rows, ``start``, ``measure`` and
    ``add`` with each part, and ``summary``. A part that an earlier run or another process has finished is
    only read and added, so ``add`` must leave the instrument in the same state as after measuring the part.

    A written row has the input's cells, then those of the result's ``to_part`` (fields with a
    ``ResultColumn``, and ``extra_columns``), of ``further_columns``, and of ``final_columns``.

    Attributes:
        columns: the columns that it reads.
        name: name within the titles of its columns, if several instruments measure one table.
        stage: name of the work for progress, such as ``matching``.
        stored: clause on stored work outside the parts, such as ``finished embeddings stay in the cache``;
            may be empty.
        result: the class of its results, whose fields declare the columns of a part.
        private: further columns of parts that are not in the output.
        summary_columns: columns of a part that the summary needs; ``None`` for all.
    """

    columns: Columns
    name: str = ""
    stage: str = "measuring"
    result: type[R]
    private: tuple[str, ...] = ()
    summary_columns: tuple[str, ...] | None = None

    @property
    def stored(self) -> str:
        """Clause on stored work outside the parts; may be empty."""
        return ""

    @abstractmethod
    def key(self) -> Mapping[str, str]:
        """Return the settings that affect a part; a run resumes only with the same settings."""

    def check(self, table: Table) -> None:
        """Check the table before a row is read."""
        self.columns.check(table)
        check_free(table.columns, table.name, self.is_written)

    def is_written(self, column: str) -> bool:
        """Return whether the output has a column of the result with a name; by default, all are reserved.

        An instrument that knows the names of its columns accepts a table with results of another one.
        """
        return is_reserved(column)

    def name_beside(self, columns: Sequence[str]) -> str:
        """Return the name that the result's columns need beside those of another text; empty if none.

        Args:
            columns: of the table.
        """
        return ""

    def inspect(self, cells: Cells) -> None:
        """Read rows whose cells are checked, before anything is measured."""

    def start(self, table: Table) -> None:
        """Prepare for the first part; the table's number of rows is known."""

    def labels(self) -> Mapping[str, ColumnLabels]:
        """Return labels of the output's columns, for SPSS; called after ``start``."""
        return {}

    def facts(self) -> ResultFacts | None:
        """Return what a Parquet output tells its readers of the results; called after ``start``."""
        return None

    @abstractmethod
    def measure(self, cells: Cells) -> R:
        """Measure some rows."""

    def is_finished(self, result: R) -> bool:
        """Return whether every row has its result; a part that a cap cut short is repeated."""
        return True

    def has_failed_calls(self, result: R) -> bool:
        """Return whether rows lack a result because of failed calls that may succeed later.

        If the run ends early, this part and later ones are repeated when the run continues.
        """
        return False

    def notes(self, result: R) -> dict[str, Any]:
        """Return what a resumed run needs besides a part's result, as JSON values."""
        return {}

    def further_columns(self, cells: Cells, result: R) -> list[pl.Series]:
        """Return columns in addition to the result's; columns named in ``private`` are not in the output."""
        return []

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> R:
        """Read the result of a part back from its columns."""
        return self.result.from_part(frame, notes)

    @abstractmethod
    def add(self, cells: Cells, result: R) -> None:
        """Add a part to the summary; parts come in the order of the rows.

        Args:
            cells: the cells that were measured; ``rows`` has the columns of the result as well.
            result: their result.
        """

    @abstractmethod
    def summary(self) -> S:
        """Return the summary of all added parts."""

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:
        """Return whether a finished part with these notes is to be measured again."""
        return False

    def final_columns(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns of some rows that depend on the whole table; ``None`` without such columns."""
        return None

    def title(self, column: str) -> str:
        """Name a column of the result in a table that several instruments measure.

        Args:
            column: the column's name in a table of this instrument alone, such as ``semscale_mean``.

        Returns:
            The name with the instrument's name, such as ``semscale_why_mean``; unchanged without one.
        """
        return f"{PREFIX}{self.name}_{column.removeprefix(PREFIX)}" if self.name else column

    @property
    def private_titles(self) -> tuple[str, ...]:
        """Names of the columns of a part that are not in the output."""
        return (*self.result.private_columns(), *self.private)


def measure_part(
    instrument: TableInstrument[R, S], batch: pl.DataFrame, first_row: int, source: str
) -> tuple[Cells, R, dict[str, Any]]:
    """Measure some rows.

    Args:
        instrument: measures them.
        batch: n rows of a table.
        first_row: position of the first one in the table, from 0.
        source: name of the table, for messages.

    Returns:
        The cells, with the part's columns as ``rows``, the result, and further JSON values with which the
        instrument's ``read`` gets the result back.
    """
    check_free(batch.columns, source, instrument.is_written)
    cells = instrument.columns.read(batch, first_row)
    result = instrument.measure(cells)
    columns, header = result.to_part()
    columns = columns.with_columns(instrument.further_columns(cells, result))
    frame = pl.concat([cells.rows, columns], how="horizontal")
    notes = {**header, **instrument.notes(result)}
    if any(column_in(batch, title).dtype == pl.Object for title in instrument.columns.titles):
        # A part stores cells of mixed types as texts, and a resumed run has the same summary.
        cells = instrument.columns.read(frame, first_row)
    return replace(cells, rows=frame), result, notes
