"""Runs of instruments over tables: a check of the cells, finished parts, and one output at the end."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

import polars as pl

from semscale.errors import InputError, StoppedByUserError, UnreachableError
from semscale.presentable import Presentable
from semscale.results.facts import write_facts
from semscale.results.instrument import PartResult, TableInstrument, measure_part
from semscale.results.table_columns import CellChecks, Cells, Columns, left_out_note
from semscale.signature import Signature
from semscale.store.column_profile import RespondentCount, is_respondent_name
from semscale.store.columns import storable
from semscale.store.missing_codes import write_codes
from semscale.store.parts import Part, Parts
from semscale.store.places import OutputPlace, Target
from semscale.store.table import Table, rows_of_the_file
from semscale.store.writing import PREFIX, check_output, check_rows, is_reserved, output_format
from semscale.text_preparation import TextCounts
from semscale.types import Progress
from semscale.version import __version__

PART_ROWS = 50_000

_PART_FORMAT = "3"
"""Columns and notes of stored parts; a run continues only parts of this format."""

R = TypeVar("R", bound=PartResult)
S = TypeVar("S", bound=Presentable)
T = TypeVar("T")
U = TypeVar("U")

Measured = Sequence[tuple[TableInstrument[Any, S], Cells, Any]]
"""Each instrument of a run with the cells of a part and their result."""


@dataclass(frozen=True)
class PartSettings:
    """Settings of the parts of a table.

    Attributes:
        part_rows: number of rows of a part, at least 1; a stopped run loses at most the work on one part.
        restart: whether to remove the finished parts of an earlier run, even with other settings.
        workers: other processes, such as those of a cluster, that compute the same parts.
        escape: whether texts in CSV that a spreadsheet would run get an apostrophe.
        follow: whether links to the output are followed; otherwise its path must be absolute and without
            links.

    Raises:
        InputError: a part without rows.
    """

    part_rows: int = PART_ROWS
    restart: bool = False
    workers: "PartWorkers | None" = field(default=None, compare=False)
    escape: bool = True
    follow: bool = True

    def __post_init__(self) -> None:
        if self.part_rows < 1:
            raise InputError("part_rows", f"must be at least 1, got {self.part_rows}")


class WorkedPart(NamedTuple):
    """A part of a table with its results.

    Attributes:
        frame: the input's columns, in types that can be stored, and those of the results. Of a part that a
            worker has stored, only the columns that the summary needs.
        notes: further JSON values that a resumed run needs for the part.
        stored: the part, if a worker has written its file already.
    """

    frame: pl.DataFrame
    notes: Mapping[str, Any] = {}
    stored: Part | None = None


class PartWorkers(Protocol):
    """Other processes that compute parts."""

    def sees(self, place: OutputPlace) -> bool:
        """Return whether all workers can write to a folder."""

    def parts(
        self,
        instrument: TableInstrument[Any, Any],
        table: Table,
        size: int,
        skip: int,
        place: OutputPlace | None,
    ) -> Iterator[WorkedPart]:
        """Measure the parts of a table, and yield them in the order of the rows.

        Args:
            instrument: the instrument of this process, whose settings and estimates the workers share.
            table: the input.
            size: number of rows of a part.
            skip: number of rows of existing parts, a multiple of ``size``.
            place: the folder in which the workers store their parts; ``None`` if they return them.
        """

    def each(self, work: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
        """Apply a function to items, and yield the results in the same order."""


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
    ``to_frame`` with the prefix ``semscale_``, and with the name of the text if the table has results of
    another one. All cells that need a check are checked before any model reads
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
    if not instrument.name:
        instrument.name = instrument.name_beside(table.columns)
    if instrument.name and settings is not None and settings.workers is not None:
        raise InputError(
            "cluster",
            f": {table.name} has results of another text already; measure '{instrument.name}' without a "
            "cluster, or both texts from a table without results",
        )
    (summary,), notes = measure_by_each(table, [instrument], out=out, settings=settings, progress=progress)
    if instrument.name:
        start = instrument.title(PREFIX)
        note = f"the table has results that name no text, so the new columns begin with ‘{start}’"
        notes = (*notes, note)
    return replace(summary, input_notes=notes)  # type: ignore[type-var]  # every summary is a dataclass


def measure_by_each(
    table: Table,
    instruments: Sequence[TableInstrument[R, S]],
    *,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> tuple[list[S], tuple[str, ...]]:
    """Measure the rows of a table by several instruments in one run, otherwise as ``measure_table``.

    Args:
        table: the input.
        instruments: one instrument without a name, or any number with different names.
        out: as in ``measure_table``.
        settings: as in ``measure_table``.
        progress: as in ``measure_table``.

    Returns:
        The summary of each instrument, and notes on how the table was read.
    """
    settings = settings or PartSettings()
    for instrument in instruments:
        instrument.check(table)
    if out is not None:
        check_output(table, out)
    table = inspect_cells(table, instruments, settings.part_rows, counting=needs_counting(table, out))
    for instrument in instruments:
        instrument.columns = instrument.columns.with_labels(table.labels)
        instrument.start(table)
    labels = {
        instrument.title(name): entry
        for instrument in instruments
        for name, entry in instrument.labels().items()
    }
    table = replace(table, labels={**table.labels, **labels})
    run = TableRun(table, instruments, settings, progress)
    summaries = [
        _sign_codes(summary, instrument.columns)
        for summary, instrument in zip(run.run(out), instruments, strict=True)
    ]
    notes = (*table.notes, *left_out_note(run.left_out), *run.respondent_notes, *run.text_notes)
    return summaries, notes


def inspect_cells(
    table: Table, instruments: Sequence[TableInstrument[R, S]], size: int, *, counting: bool
) -> Table:
    """Check the cells of all rows, call each instrument's ``inspect``, and join spellings of groups.

    Nothing is read without need.
    """
    titles = set[str]().union(*(instrument.columns.titles_to_check() for instrument in instruments))
    if not titles and not counting:
        return table
    checks = [CellChecks(instrument.columns) for instrument in instruments]

    def inspect(batch: pl.DataFrame, first_row: int) -> None:
        for instrument, check in zip(instruments, checks, strict=True):
            cells = instrument.columns.read(batch, first_row, only_checked=True)
            check.add(cells)
            instrument.inspect(cells)

    table = inspect_rows(table, titles or instruments[0].columns.titles, size, inspect, counting=counting)
    notes = list(table.notes)
    for instrument, check in zip(instruments, checks, strict=True):
        check.finish(table)
        spellings, joined = check.spellings()
        instrument.columns = instrument.columns.with_spellings(spellings)
        notes += (note for note in joined if note not in notes)
    return replace(table, notes=tuple(notes))


class TableRun(Generic[S]):
    """One pass of instruments over a table.

    Finished parts are stored (``Parts``) until the output is written. After a stop by a signal, a crash or a
    failing model, the same run continues after the last finished part. If a cap ends the work early, the
    output is written with the finished rows, and finished parts stay. A completed run leaves no parts, so the
    same run asks again about rows whose calls failed.

    Args:
        table: the input.
        instruments: one without a name, or several with different names; their ``start`` was called.
        settings: settings of the parts.
        progress: called as rows are processed.

    Attributes:
        left_out: number of cells with each code for no answer in all added parts, by the column.
    """

    def __init__(
        self,
        table: Table,
        instruments: Sequence[TableInstrument[Any, S]],
        settings: PartSettings,
        progress: Progress | None = None,
    ) -> None:
        self.table, self.instruments, self.settings, self.progress = table, instruments, settings, progress
        self._n_rows = 0  # of all added parts
        self._text_counts: dict[str, dict[str, TextCounts]] = {entry.name: {} for entry in instruments}
        self.left_out: dict[str, Counter[str]] = {}
        self._respondents = _respondents_to_count(table, instruments[0].columns)

    def run(self, out: Target | None) -> list[S]:
        """Measure the rows, write the output if one is named, and return the summary of each instrument.

        Raises:
            InputError: an error of an instrument, another run in ``<out>.parts``, or an output that cannot be
                written. No output is left behind, and only parts that an earlier run had finished.
            StoppedByUserError: stopped by the user; finished parts are stored.
        """
        return self._without_output() if out is None else self._with_output(out)

    @property
    def text_notes(self) -> tuple[str, ...]:
        """Sentences on reasoning and HTML in the texts of all added parts."""
        return tuple(
            note
            for instrument in self.instruments
            for role, counts in self._text_counts[instrument.name].items()
            for note in instrument.columns.preparation.notes(counts, instrument.columns.titles_of(role))
        )

    @property
    def respondent_notes(self) -> tuple[str, ...]:
        """A hint if respondents have several rows, and their column is not named."""
        count = self._respondents
        if count is None or not count.are_repeated:
            return ()
        return (
            f"‘{count.column}’ has {count.n_respondents:,} respondents in {count.n_rows:,} rows, which are "
            f"taken for independent ones: `respondent={count.column!r}` gives intervals for respondents with "
            "several rows",
        )

    def _without_output(self) -> list[S]:
        try:
            self._report_progress()
            for part, measured in self._compute_parts():
                self._add(measured)
                del part, measured  # else two parts would be in memory while the next one is computed
                self._report_progress()
            return self._summaries()
        except KeyboardInterrupt:
            raise StoppedByUserError(
                f"stopped after {self._n_rows:,} rows{_clause(self.instruments[0].stored)}; with an output "
                "file the same command continues where it stopped"
            ) from None

    def _with_output(self, out: Target) -> list[S]:
        settings = self.settings
        with Parts.open(out, self._key(), restart=settings.restart, follow=settings.follow) as parts:
            try:
                with parts.removal_refused():
                    is_whole = self._finish(parts)
                    summaries = self._summaries()
                    if self.progress:
                        self.progress("writing", 0, None)
                    parts.write(
                        self._private_titles,
                        self._final_columns,
                        escape=settings.escape,
                        labels=self.table.labels,
                        facts=write_facts([instrument.facts() for instrument in self.instruments]),
                    )
            except UnreachableError:
                raise
            except InputError:
                if parts.is_new:
                    parts.discard()
                raise
            except KeyboardInterrupt:
                raise _stop_error(parts, self.instruments[0].stored) from None
            if parts.finished and not is_whole:
                parts.drop_unfinished()
            else:
                parts.remove()
        return summaries

    def _finish(self, parts: Parts) -> bool:
        """Read the existing parts, compute the others, and return whether all are complete."""
        is_whole = True
        for frame, notes in parts.read(self._is_repeated):
            self._add(self._read(frame, notes))
        self._report_progress()
        for part, measured in self._compute_parts(self._place_of_workers(parts)):
            self._add(measured)
            is_finished = all(instrument.is_finished(result) for instrument, _, result in measured)
            has_failed = any(instrument.has_failed_calls(result) for instrument, _, result in measured)
            del measured  # else its texts would be in memory while the part is written
            if part.stored is not None:
                parts.add_stored(part.stored)
            else:
                parts.add(part.frame, part.notes, is_finished=is_finished and not has_failed)
            is_whole = is_whole and is_finished
            del part  # else two parts would be in memory while the next one is computed
            self._report_progress()
        return is_whole

    def _compute_parts(self, place: OutputPlace | None = None) -> Iterator[tuple[WorkedPart, Measured[S]]]:
        """Compute the parts after the added ones, each when the one before it was added."""
        workers, size = self.settings.workers, min(self.settings.part_rows, self.table.most_rows)
        # The variable of a loop would hold the last part while the next one is computed.
        if workers is None:
            return map(self._measure, self.table.batches(size, self._n_rows))
        (instrument,) = self.instruments  # commands refuse workers for several
        parts = workers.parts(instrument, self.table, size, self._n_rows, place)
        return map(lambda part: (part, self._read(part.frame, part.notes)), parts)

    def _measure(self, batch: pl.DataFrame) -> tuple[WorkedPart, Measured[S]]:
        """Measure the next rows by each instrument, and join the columns of the results."""
        measured, notes = [], {}
        for instrument in self.instruments:
            inputs = _inputs_of(instrument, batch)
            cells, result, notes[instrument.name] = measure_part(
                instrument, inputs, self._n_rows, self.table.name
            )
            measured.append((instrument, cells, result))
        if not self.instruments[0].name:
            return WorkedPart(measured[0][1].rows, notes[""]), measured
        frames = [storable(batch)]
        for instrument, cells, _ in measured:
            inputs = _inputs_of(instrument, batch)
            titles = [title for title in cells.rows.columns if title not in inputs.columns]
            frames.append(cells.rows.select(titles).rename(instrument.title))
        return WorkedPart(pl.concat(frames, how="horizontal"), notes), measured

    def _read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> Measured[S]:
        """Read the next part back for each instrument."""
        measured = []
        for instrument in self.instruments:
            columns = _columns_of(instrument, frame)
            cells = instrument.columns.read(columns, self._n_rows)
            measured.append((instrument, cells, instrument.read(columns, _notes_of(instrument, notes))))
        return measured

    def _add(self, measured: Measured[S]) -> None:
        # Instruments may read the same column.
        left_out = {title: codes for _, cells, _ in measured for title, codes in cells.left_out.items()}
        for title, codes in left_out.items():
            self.left_out.setdefault(title, Counter()).update(codes)
        rows = measured[0][1].rows
        if self._respondents is not None and self._respondents.column in rows.columns:
            self._respondents.add(rows)
        for instrument, cells, result in measured:
            instrument.add(cells, result)
            for role, counts in cells.text_counts.items():
                self._text_counts[instrument.name].setdefault(role, TextCounts()).add(counts)
        self._n_rows += measured[0][1].rows.height

    def _summaries(self) -> list[S]:
        return [instrument.summary() for instrument in self.instruments]

    def _is_repeated(self, notes: Mapping[str, Any]) -> bool:
        return any(instrument.is_repeated(_notes_of(instrument, notes)) for instrument in self.instruments)

    def _final_columns(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return the columns of some rows that depend on the whole table; ``None`` without any."""
        columns = ((instrument, instrument.final_columns(start, stop)) for instrument in self.instruments)
        frames = [frame.rename(instrument.title) for instrument, frame in columns if frame is not None]
        return pl.concat(frames, how="horizontal") if frames else None

    @property
    def _private_titles(self) -> tuple[str, ...]:
        return tuple(
            instrument.title(name) for instrument in self.instruments for name in instrument.private_titles
        )

    def _place_of_workers(self, parts: Parts) -> OutputPlace | None:
        """Return the folder for the workers' parts and partitions, if they have access to it."""
        workers = self.settings.workers
        if workers is None or not parts.place.is_folder or not workers.sees(parts.shared_place):
            return None
        parts.each = workers.each
        return parts.shared_place

    def _key(self) -> dict[str, str]:
        """Return all settings that affect the parts."""
        settings = {
            f"{number} {name}" if instrument.name else name: value
            for number, instrument in enumerate(self.instruments, start=1)
            for name, value in _settings_of(instrument).items()
        }
        return {
            "input": self.table.fingerprint(),
            "part_rows": str(self.settings.part_rows),
            "version": __version__,
            "part_format": _PART_FORMAT,
            **settings,
        }

    def _report_progress(self) -> None:
        if self.progress:
            self.progress(self.instruments[0].stage, self._n_rows, self.table.n_rows)


def _respondents_to_count(table: Table, columns: Columns) -> RespondentCount | None:
    """Return a counter of respondents if an instrument could use their column, and none is named."""
    if "respondent" not in columns.roles() or columns.titles_of("respondent"):
        return None
    column = next((column for column in table.columns if is_respondent_name(column)), None)
    return None if column is None or column in columns.titles else RespondentCount(column)


def _settings_of(instrument: TableInstrument[Any, Any]) -> dict[str, str]:
    """Return the columns and settings of an instrument that affect the parts."""
    columns = instrument.columns
    named = {
        name: ", ".join(columns.titles_of(name)) or "none"
        for name, role in columns.roles().items()
        if role.is_measured
    }
    codes = {"no answer": _codes_text(columns)} if columns.no_answer else {}
    return {**named, **codes, **instrument.key()}


def _codes_text(columns: Columns) -> str:
    """Write the codes for no answer of all columns, for a signature."""
    return ";".join(
        f"{quote(title, safe=' ')}={write_codes(codes)}" for title, codes in columns.no_answer.items()
    )


def _sign_codes(summary: Any, columns: Columns) -> Any:
    """Return a summary whose signature has the codes for no answer that were left out, if there are any."""
    if not columns.no_answer:
        return summary
    codes = Signature.of("table", **{"no-answer": _codes_text(columns)})
    return replace(summary, signature=summary.signature.plus(codes))


def _inputs_of(instrument: TableInstrument[Any, Any], batch: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that an instrument measures: if it names its text, without results of other texts.

    Their columns can have the names that its own results have until the text's name is added.
    """
    if not instrument.name:
        return batch
    used = instrument.columns.titles
    return batch.select([title for title in batch.columns if title in used or not is_reserved(title)])


def _columns_of(instrument: TableInstrument[Any, Any], frame: pl.DataFrame) -> pl.DataFrame:
    """Select the columns of a part for one instrument, named as in a table of this instrument alone."""
    if not instrument.name:
        return frame
    start = instrument.title(PREFIX)
    titles = {title: PREFIX + title.removeprefix(start) for title in frame.columns if title.startswith(start)}
    inputs = [title for title in frame.columns if title not in titles and title not in titles.values()]
    return frame.select([*inputs, *titles]).rename(titles)


def _notes_of(instrument: TableInstrument[Any, Any], notes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the notes of a part for one instrument."""
    return notes[instrument.name] if instrument.name else notes


def _stop_error(parts: Parts, stored: str) -> StoppedByUserError:
    rows = parts.rows
    if not rows:
        return StoppedByUserError(
            f"stopped before the first part was finished{_clause(stored)}; the same command "
            f"{'continues from there' if stored else 'starts again'}"
        )
    if not parts.are_there:
        return StoppedByUserError(
            f"stopped; {parts.name} was removed or changed during the run, so the same command "
            "continues after the remaining parts"
        )
    return StoppedByUserError(
        f"stopped: {rows:,} rows are finished and stored in {parts.name}; the same command continues after "
        "them"
    )


def _clause(words: str) -> str:
    return f"; {words}" if words else ""


def needs_counting(table: Table, out: Target | None) -> bool:
    """Return whether rows must be counted before an output is written: only Excel sheets have a limit."""
    return out is not None and output_format(out) == "xlsx" and table.n_rows is None


def inspect_rows(
    table: Table,
    titles: Collection[str],
    size: int,
    inspect: Callable[[pl.DataFrame, int], None],
    *,
    counting: bool = False,
) -> Table:
    """Read some columns of all rows once.

    Args:
        table: the input.
        titles: names of existing columns, at least one.
        size: number of rows of a batch.
        inspect: called with each batch and the position of its first row, from 0; a batch may have other
            columns, and may lack a column of JSON lines.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table with its number of rows, so that progress can show the total.

    Raises:
        InputError: an error of ``inspect``, a row that cannot be read, or too many rows for Excel.
        StoppedByUserError: stopped by the user.
    """
    n = 0
    try:
        for batch in table.batches_with(titles, size):
            with rows_of_the_file(table):
                inspect(batch, n)
            n += batch.height
            if counting:
                check_rows(n)
    except KeyboardInterrupt:
        raise StoppedByUserError(
            "stopped while the columns were checked, before any text was read; finished parts of an earlier "
            "run, if there was one, are stored, and the same command continues after them"
        ) from None
    return replace(table, n_rows=n)
