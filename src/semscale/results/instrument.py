"""Instruments over a table: measured part by part, resumable, in the order of the rows."""

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
from semscale.types import Progress

R = TypeVar("R", bound="PartResult")
S = TypeVar("S", bound=Presentable)


class PartResult(Protocol):
    """Results of some rows, as a run stores them; every ``Result`` is one."""

    def stored(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the columns of the part, and the rest in types of JSON."""

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: Any) -> Self:
        """Read the results back from what ``stored`` returned."""

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that only the run's parts have."""


class PartState(NamedTuple):
    """State of a part.

    Attributes:
        is_finished: whether every row has its result; a part that a cap cut short is made again.
        has_failed_calls: whether rows lack a result because calls failed that may succeed another time. If
            the run ends early, this part and those after it are made again when the run goes on.
    """

    is_finished: bool = True
    has_failed_calls: bool = False


class TableInstrument(ABC, Generic[R, S]):
    """An instrument as a run over a table uses it: it measures parts, takes them up again, and sums up.

    ``measure_table`` calls ``look`` with all rows, then ``start``, then for each part ``measure``, ``add``.
    A part that an earlier run has finished is only read and added, so ``add`` must leave the instrument in
    the state in which measuring the part left it.

    Attributes:
        columns: the columns that it reads.
        stage: name of the work for progress, such as ``matching``.
        stored: clause on work that a stopped run keeps elsewhere, such as ``finished embeddings stay in the
            cache``; may be empty.
        result: the class of its results, whose fields declare the columns of a part.
        private: further columns that the output lacks.
    """

    columns: Columns
    stage: str = "measuring"
    result: type[R]
    private: tuple[str, ...] = ()

    @property
    def stored(self) -> str:
        """Clause on work that a stopped run keeps elsewhere; may be empty."""
        return ""

    @abstractmethod
    def key(self) -> Mapping[str, str]:
        """Return the settings that decide the content of a part; a run resumes only with the same ones."""

    def check(self, table: Table) -> None:
        """Check what can be known before a row is read."""
        self.columns.check(table)

    def look(self, cells: Cells) -> None:
        """Look at rows before anything is measured; their cells are checked already."""

    def start(self, table: Table) -> None:
        """Prepare for the first part, when all rows were looked at; the table knows its number of rows."""

    def labels(self) -> Mapping[str, ColumnLabels]:
        """Return labels of columns of the output, for SPSS; asked for after ``start``."""
        return {}

    @abstractmethod
    def measure(self, cells: Cells) -> R:
        """Measure some rows."""

    def state(self, result: R) -> PartState:
        """Tell how far the part with a result is done."""
        return PartState()

    def notes(self, result: R) -> dict[str, Any]:
        """Return what a resumed run needs to know about a part beside its result, in types of JSON."""
        return {}

    def further_columns(self, cells: Cells, result: R) -> list[pl.Series]:
        """Return columns that are not the result's own; those of ``private`` are not in the output."""
        return []

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> R:
        """Read the result of a part back from its columns."""
        return self.result.from_part(frame, notes)

    @abstractmethod
    def add(self, cells: Cells, result: R, notes: Mapping[str, Any]) -> None:
        """Add a part to the summary; parts come in the order of the rows."""

    @abstractmethod
    def summary(self) -> S:
        """Sum up all parts that were added."""

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns of some rows that depend on the whole table; ``None`` if there are none."""
        return None


def measure_table(
    table: Table,
    instrument: TableInstrument[R, S],
    *,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> S:
    """Measure the rows of a table, write them with their results, and sum up.

    The written table has the input's columns and rows in their order, then those of the result's
    ``to_frame`` with the prefix ``semscale_``. All cells that need it are checked before any model reads a
    text. Finished parts are stored as ``TableRun`` describes.

    Args:
        table: the input.
        instrument: measures.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; without it nothing is
            written, and nothing is stored when the run stops.
        settings: how the table is cut into parts.
        progress: called as rows are measured.

    Returns:
        The summary; texts of rows that it does not show are not held in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a cell that does not
            serve, an output that cannot be written, or parts of a run with other settings. No output is left
            behind, and no parts but those that an earlier run had finished.
        StoppedByUserError: stopped by the user; finished parts are kept.
        SemscaleError: what the instrument raises; finished parts are kept.
    """
    settings = settings or PartSettings()
    instrument.check(table)
    if out is not None:
        check_output(table, out)
    table = looked_through(table, instrument, settings.part_rows, counting=needs_counting(table, out))
    instrument.start(table)
    table = replace(table, labels={**table.labels, **instrument.labels()})
    summary = TableRun(table, settings, progress).run(PartWork(table, instrument), out)
    return replace(summary, input_notes=table.notes)  # type: ignore[type-var]  # every summary is a dataclass


def looked_through(table: Table, instrument: TableInstrument[R, S], size: int, *, counting: bool) -> Table:
    """Check the cells of all rows, and let the instrument look at them; without need nothing is read."""
    columns = instrument.columns
    titles = columns.checked_titles()
    if not titles and not counting:
        return table
    checks = CellChecks(columns)

    def look(batch: pl.DataFrame, first_row: int) -> None:
        cells = columns.read(batch, first_row, only_checked=True)
        checks.add(cells)
        instrument.look(cells)

    table = look_through(table, titles or columns.titles, size, look, counting=counting)
    checks.finish(table)
    return table


class PartWork(Generic[R, S]):
    """The work of an instrument on a table, as ``TableRun`` drives it.

    Args:
        table: the input.
        instrument: measures; its ``start`` was called.
    """

    def __init__(self, table: Table, instrument: TableInstrument[R, S]) -> None:
        self.table, self.instrument = table, instrument
        self._n_added = 0

    @property
    def stage(self) -> str:
        """Name of the work for progress."""
        return self.instrument.stage

    @property
    def stored(self) -> str:
        """Clause on work that is stored elsewhere."""
        return self.instrument.stored

    @property
    def private(self) -> tuple[str, ...]:
        """Columns of a part that are not in the output."""
        return (*self.instrument.result.private_columns(), *self.instrument.private)

    def key(self) -> dict[str, str]:
        """Return columns and settings that decide the content of the parts."""
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
        """Measure some rows; the first has this number in the table, from 0."""
        check_free(batch.columns, self.table.name)
        cells = self.instrument.columns.read(batch, first_row)
        result = self.instrument.measure(cells)
        stored, header = result.stored()
        stored = stored.with_columns(self.instrument.further_columns(cells, result))
        frame = pl.concat([cells.rows, stored], how="horizontal")
        notes = {**header, **self.instrument.notes(result)}
        return WorkedPart(frame, notes, *self.instrument.state(result))

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part, just made or read back."""
        cells = self.instrument.columns.read(frame, self._n_added)
        self.instrument.add(cells, self.instrument.read(frame, notes), notes)
        self._n_added += frame.height

    def summary(self) -> S:
        """Sum up all parts."""
        return self.instrument.summary()

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns that depend on the whole table."""
        return self.instrument.late(start, stop)
