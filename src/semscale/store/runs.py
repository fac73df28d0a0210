"""Runs over tables: a check of the input, finished parts, and one output at the end."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import polars as pl

from semscale.errors import InputError, StoppedByUserError, UnreachableError
from semscale.store.parts import Part, Parts
from semscale.store.places import OutputPlace, Target
from semscale.store.table import Table, rows_of_the_file
from semscale.store.writing import check_rows, output_format
from semscale.types import Progress
from semscale.version import __version__

PART_ROWS = 50_000

S_co = TypeVar("S_co", covariant=True)
S = TypeVar("S")
T = TypeVar("T")


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
        frame: the input's columns, in types that can be stored, and the columns that the run adds.
        notes: further JSON values that a resumed run needs for the part.
        is_finished: whether every row has its result; a part that a cap cut short is repeated.
        has_failed_calls: whether rows lack a result because of failed calls that may succeed later. If the
            run ends early, this part and later ones are repeated when the run continues.
        stored: the part, if a worker has written its file already; then ``frame`` has only the columns for
            the summary.
    """

    frame: pl.DataFrame
    notes: Mapping[str, Any] = {}
    is_finished: bool = True
    has_failed_calls: bool = False
    stored: Part | None = None


class TableWork(Protocol[S_co]):
    """The work of an instrument on the rows of a table."""

    @property
    def stage(self) -> str:
        """Name of the work for progress, such as ``rating``."""

    @property
    def private(self) -> tuple[str, ...]:
        """Columns of a part that are not in the output."""

    @property
    def stored(self) -> str:
        """Clause on work stored elsewhere, such as ``finished embeddings stay in the cache``, or ""."""

    def key(self) -> Mapping[str, str]:
        """Settings that affect the parts, by name, without the input and the size of a part."""

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Process the rows after the first ``skip`` ones, ``size`` at a time."""

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Add a part, whether new or read back; parts come in the order of the rows."""

    def summary(self) -> S_co:
        """Return the summary of all added parts."""

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:
        """Return whether a finished part with these notes, and all later ones, are to be repeated."""

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns of some rows that depend on the whole table; ``None`` without such columns."""


class PartWorkers(Protocol):
    """Other processes that compute parts."""

    def sees(self, place: OutputPlace) -> bool:
        """Return whether all workers can write to a folder."""

    def parts(
        self, work: TableWork[object], table: Table, size: int, skip: int, place: OutputPlace | None
    ) -> Iterator[WorkedPart]:
        """Compute the parts of a table like ``work.parts``, in the same order.

        Args:
            work: the work.
            table: the input.
            size: number of rows of a part.
            skip: number of rows of existing parts, a multiple of ``size``.
            place: the folder in which the workers store their parts; ``None`` if they return them.
        """

    def each(self, work: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
        """Apply a function to items, and yield the results in the same order."""


@dataclass(frozen=True)
class TableRun:
    """One pass over a table.

    Finished parts are stored (``Parts``) until the output is written. After a stop by a signal, a crash or a
    failing model, the same run continues after the last finished part. If a cap ends the work early, the
    output is written with the finished rows, and finished parts stay. A completed run leaves no parts, so the
    same run asks again about rows whose calls failed.

    Attributes:
        table: the input.
        settings: settings of its parts.
        progress: called as rows are processed.
    """

    table: Table
    settings: PartSettings
    progress: Progress | None = None

    def run(self, work: TableWork[S_co], out: Target | None) -> S_co:
        """Do the work, write the output if one is named, and return the summary.

        Raises:
            InputError: an error of the work, another run in ``<out>.parts``, or an output that cannot be
                written. No output is left behind, and only parts that an earlier run had finished.
            StoppedByUserError: stopped by the user; finished parts are stored.
        """
        return self._without_output(work) if out is None else self._into(out, work)

    def _without_output(self, work: TableWork[S_co]) -> S_co:
        rows = 0
        try:
            self._tell(work, rows)
            for part in self._compute_parts(work, 0):
                work.add(part.frame, part.notes)
                rows += part.frame.height
                del part  # else two parts would be in memory while the next one is computed
                self._tell(work, rows)
            return work.summary()
        except KeyboardInterrupt:
            raise StoppedByUserError(
                f"stopped after {rows:,} rows{_clause(work.stored)}; with an output file the same command "
                "continues where it stopped"
            ) from None

    def _into(self, out: Target, work: TableWork[S_co]) -> S_co:
        settings = self.settings
        with Parts.open(out, self._key(work), restart=settings.restart, follow=settings.follow) as parts:
            try:
                with parts.removal_refused():
                    is_whole = self._finish(parts, work)
                    summary = work.summary()
                    if self.progress:
                        self.progress("writing", 0, None)
                    parts.write(
                        work.private, work.late, escape=self.settings.escape, labels=self.table.labels
                    )
            except UnreachableError:
                raise
            except InputError:
                if parts.is_new:
                    parts.discard()
                raise
            except KeyboardInterrupt:
                raise _stop_error(parts, work) from None
            if parts.finished and not is_whole:
                parts.drop_unfinished()
            else:
                parts.remove()
        return summary

    def _finish(self, parts: Parts, work: TableWork[S_co]) -> bool:
        """Read the existing parts, compute the others, and return whether all are complete."""
        rows, is_whole = 0, True
        for frame, notes in parts.read(work.is_repeated):
            work.add(frame, notes)
            rows += frame.height
        self._tell(work, rows)
        for part in self._compute_parts(work, rows, self._place_of_workers(parts)):
            work.add(part.frame, part.notes)
            if part.stored is not None:
                parts.add_stored(part.stored)
            else:
                is_finished = part.is_finished and not part.has_failed_calls
                parts.add(part.frame, part.notes, is_finished=is_finished)
            is_whole = is_whole and part.is_finished
            rows += part.frame.height
            del part  # else two parts would be in memory while the next one is computed
            self._tell(work, rows)
        return is_whole

    def _compute_parts(
        self, work: TableWork[S_co], skip: int, place: OutputPlace | None = None
    ) -> Iterator[WorkedPart]:
        workers, size = self.settings.workers, min(self.settings.part_rows, self.table.most_rows)
        if workers is None:
            return work.parts(size, skip)
        return workers.parts(work, self.table, size, skip, place)

    def _place_of_workers(self, parts: Parts) -> OutputPlace | None:
        """Return the folder for the workers' parts and partitions, if they have access to it."""
        workers = self.settings.workers
        if workers is None or not parts.place.is_folder or not workers.sees(parts.shared_place):
            return None
        parts.each = workers.each
        return parts.shared_place

    def _key(self, work: TableWork[S_co]) -> dict[str, str]:
        part_rows = str(self.settings.part_rows)
        return {
            "input": self.table.fingerprint(),
            "part_rows": part_rows,
            "version": __version__,
            **work.key(),
        }

    def _tell(self, work: TableWork[S_co], done: int) -> None:
        if self.progress:
            self.progress(work.stage, done, self.table.n_rows)


def _stop_error(parts: Parts, work: TableWork[object]) -> StoppedByUserError:
    rows = parts.rows
    if not rows:
        return StoppedByUserError(
            f"stopped before the first part was finished{_clause(work.stored)}; the same command "
            f"{'continues from there' if work.stored else 'starts again'}"
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


def look_through(
    table: Table,
    titles: Collection[str],
    size: int,
    look: Callable[[pl.DataFrame, int], None],
    *,
    counting: bool = False,
) -> Table:
    """Read some columns of all rows once.

    Args:
        table: the input.
        titles: names of existing columns, at least one.
        size: number of rows of a batch.
        look: called with each batch and the position of its first row, from 0; a batch may have other
            columns, and may lack a column of JSON lines.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table with its number of rows, so that progress can show the total.

    Raises:
        InputError: an error of ``look``, a row that cannot be read, or too many rows for Excel.
        StoppedByUserError: stopped by the user.
    """
    n = 0
    try:
        for batch in table.batches_with(titles, size):
            with rows_of_the_file(table):
                look(batch, n)
            n += batch.height
            if counting:
                check_rows(n)
    except KeyboardInterrupt:
        raise StoppedByUserError(
            "stopped while the columns were checked, before any text was read; finished parts of an earlier "
            "run, if there was one, are stored, and the same command continues after them"
        ) from None
    return replace(table, n_rows=n)
