"""Instruments on a table: resumable measurement, part by part, in the order of the rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import polars as pl

from semscale.presentable import Presentable
from semscale.results.table_columns import CellChecks, Cells, Columns
from semscale.store.places import Target
from semscale.store.runs import PartSettings, TableRun, WorkedPart, look_through, needs_counting
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import check_free, check_output
from semscale.text_preparation import TextCounts
from semscale.types import Progress

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


class PartState(NamedTuple):
    """State of a part.

    Attributes:
        is_finished: whether every row has its result; a part that a cap cut short is repeated.
        has_failed_calls: whether rows lack a result because of failed calls that may succeed later. If the
            run ends early, this part and later ones are repeated when the run continues.
    """

    is_finished: bool = True
    has_failed_calls: bool = False


class TableInstrument(ABC, Generic[R, S]):
    """An instrument on a table: it measures parts, reads finished parts back, and summarizes all parts.

    ``measure_table`` calls ``look`` with all rows, then ``start``, then ``measure`` and ``add`` for each
    part. A part that an earlier run has finished is only read and added, so ``add`` must leave the instrument
    in the same state as measuring the part.

    Attributes:
        columns: the columns that it reads.
        stage: name of the work for progress, such as ``matching``.
        stored: clause on stored work outside the parts, such as ``finished embeddings stay in the cache``;
            may be empty.
        result: the class of its results, whose fields declare the columns of a part.
        private: further columns of parts that are not in the output.
    """

    columns: Columns
    stage: str = "measuring"
    result: type[R]
    private: tuple[str, ...] = ()

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

    def look(self, cells: Cells) -> None:
        """Read rows before anything is measured; their cells are checked already."""

    def start(self, table: Table) -> None:
        """Prepare for the first part, after ``look`` with all rows; the table's number of rows is known."""

    def labels(self) -> Mapping[str, ColumnLabels]:
        """Return labels of the output's columns, for SPSS; called after ``start``."""
        return {}

    @abstractmethod
    def measure(self, cells: Cells) -> R:
        """Measure some rows."""

    def state(self, result: R) -> PartState:
        """Return the state of the part with a result."""
        return PartState()

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
    def add(self, cells: Cells, result: R, notes: Mapping[str, Any]) -> None:
        """Add a part to the summary; parts come in the order of the rows."""

    @abstractmethod
    def summary(self) -> S:
        """Return the summary of all added parts."""

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:  # noqa: ARG002 - for instruments with calls
        """Return whether a finished part with these notes is to be measured again."""
        return False

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns of some rows that depend on the whole table; ``None`` without such columns."""
        return None


def measure_table(
    table: Table,
    instrument: TableInstrument[R, S],
    *,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> S:
    """Measure the rows of a table, write them with their results, and summarize them.

    The written table has the input's columns and rows in their order, then those of the result's
    ``to_frame`` with the prefix ``semscale_``. All cells that need a check are checked before any model reads
    a text. ``TableRun`` describes how finished parts are stored.

    Args:
        table: the input.
        instrument: measures the rows.
        out: path of a ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx`` file, or another result of
            ``target_of``; without it nothing is written, and nothing is stored when the run stops.
        settings: how the table is divided into parts.
        progress: called as rows are measured.

    Returns:
        The summary, with the texts only of rows that it shows.

    Raises:
        InputError: a column that does not exist or has no text, a name that is in use, an invalid cell, an
            output that cannot be written, or parts of a run with other settings. No output is left behind,
            and only parts that an earlier run had finished.
        StoppedByUserError: stopped by the user; finished parts are stored.
        SemscaleError: errors of the instrument; finished parts are stored.
    """
    settings = settings or PartSettings()
    instrument.check(table)
    if out is not None:
        check_output(table, out)
    table = inspect_cells(table, instrument, settings.part_rows, counting=needs_counting(table, out))
    instrument.start(table)
    table = replace(table, labels={**table.labels, **instrument.labels()})
    work = PartWork(table, instrument)
    summary = TableRun(table, settings, progress).run(work, out)
    notes = (*table.notes, *work.text_notes)
    return replace(summary, input_notes=notes)  # type: ignore[type-var]  # every summary is a dataclass


def inspect_cells(table: Table, instrument: TableInstrument[R, S], size: int, *, counting: bool) -> Table:
    """Check the cells of all rows, call the instrument's ``look``, and join spellings of groups.

    Nothing is read without need.
    """
    columns = instrument.columns
    titles = columns.titles_to_check()
    if not titles and not counting:
        return table
    checks = CellChecks(columns)

    def look(batch: pl.DataFrame, first_row: int) -> None:
        cells = columns.read(batch, first_row, only_checked=True)
        checks.add(cells)
        instrument.look(cells)

    table = look_through(table, titles or columns.titles, size, look, counting=counting)
    checks.finish(table)
    spellings, notes = checks.spellings()
    instrument.columns = columns.joining(spellings)
    return replace(table, notes=(*table.notes, *notes))


class PartWork(Generic[R, S]):
    """The work of an instrument on a table, for ``TableRun``.

    Args:
        table: the input.
        instrument: measures the rows; its ``start`` was called.
    """

    def __init__(self, table: Table, instrument: TableInstrument[R, S]) -> None:
        self.table, self.instrument = table, instrument
        self._n_added = 0
        self._text_counts: dict[str, TextCounts] = {}

    @property
    def stage(self) -> str:
        """Name of the work for progress."""
        return self.instrument.stage

    @property
    def stored(self) -> str:
        """Clause on stored work outside the parts."""
        return self.instrument.stored

    @property
    def private(self) -> tuple[str, ...]:
        """Columns of a part that are not in the output."""
        return (*self.instrument.result.private_columns(), *self.instrument.private)

    def key(self) -> dict[str, str]:
        """Return columns and settings that affect the parts."""
        columns = self.instrument.columns
        named = {
            name: ", ".join(columns.titles_of(name)) or "none"
            for name, role in columns.roles().items()
            if role.is_measured
        }
        return {**named, **self.instrument.key()}

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Measure the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self.table.batches(size, skip):
            yield self.part(batch, first_row)
            first_row += batch.height

    def part(self, batch: pl.DataFrame, first_row: int) -> WorkedPart:
        """Measure some rows; ``first_row`` is the position of the first one in the table, from 0."""
        check_free(batch.columns, self.table.name)
        cells = self.instrument.columns.read(batch, first_row)
        result = self.instrument.measure(cells)
        stored, header = result.to_part()
        stored = stored.with_columns(self.instrument.further_columns(cells, result))
        frame = pl.concat([cells.rows, stored], how="horizontal")
        notes = {**header, **self.instrument.notes(result)}
        return WorkedPart(frame, notes, *self.instrument.state(result))

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Add a part, whether new or read back."""
        cells = self.instrument.columns.read(frame, self._n_added)
        self.instrument.add(cells, self.instrument.read(frame, notes), notes)
        self._n_added += frame.height
        for role, counts in cells.text_counts.items():
            self._text_counts.setdefault(role, TextCounts()).add(counts)

    @property
    def text_notes(self) -> tuple[str, ...]:
        """Sentences on reasoning and HTML in the texts of all added parts."""
        columns = self.instrument.columns
        return tuple(
            note
            for role, counts in self._text_counts.items()
            for note in columns.preparation.notes(counts, columns.titles_of(role))
        )

    def summary(self) -> S:
        """Return the summary of all parts."""
        return self.instrument.summary()

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:
        """Return whether a finished part is to be measured again."""
        return self.instrument.is_repeated(notes)

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns that depend on the whole table."""
        return self.instrument.late(start, stop)
