"""Runs over tables: a look through the input, finished parts, and one output at the end."""

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
        part_rows: rows of a part, at least 1; a run that stops loses at most the work on one part.
        restart: whether to drop the finished parts of an earlier run, even one with other settings.
        workers: other processes, such as those of a cluster, that compute the same parts.
        escape: whether texts in CSV that a spreadsheet would run get an apostrophe.

    Raises:
        InputError: a part without rows.
    """

    part_rows: int = PART_ROWS
    restart: bool = False
    workers: "PartWorkers | None" = field(default=None, compare=False)
    escape: bool = True

    def __post_init__(self) -> None:
        if self.part_rows < 1:
            raise InputError(f"part_rows must be at least 1, got {self.part_rows}")


class WorkedPart(NamedTuple):
    """A part of a table with its results.

    Attributes:
        frame: the input's columns, in types that can be stored, and those that the run adds.
        notes: further values, in JSON's types, that a resumed run needs to know about the part.
        is_finished: whether every row has its result; a part that a cap cut short is made again.
        has_failed_calls: whether rows lack a result because calls failed that may succeed another time. If
            the run ends early, this part and those after it are made again when the run goes on.
        stored: the part, where a worker has written its file already; ``frame`` then has the columns that the
            summary needs.
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
        """Columns of a part that the run keeps for itself: they are not in the output."""

    @property
    def stored(self) -> str:
        """Clause on work in other stores, such as ``finished embeddings stay in the cache``; may be empty."""

    def key(self) -> Mapping[str, str]:
        """Settings that decide the content of the parts, by name, beside the input and the size of a part."""

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Work on the rows after the first ``skip`` ones, ``size`` at a time."""

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part, just made or read back; all parts come in the order of the rows."""

    def summary(self) -> S_co:
        """Sum up all parts that were taken."""

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return columns of some rows that depend on the whole table; ``None`` if there are none."""


class PartWorkers(Protocol):
    """Other processes that compute parts."""

    def sees(self, place: OutputPlace) -> bool:
        """Tell whether all workers can write into a folder."""

    def parts(
        self, work: TableWork[object], table: Table, size: int, skip: int, place: OutputPlace | None
    ) -> Iterator[WorkedPart]:
        """Compute the parts of a table as ``work.parts`` would, in the same order.

        Args:
            work: the work.
            table: the input.
            size: rows of a part.
            skip: rows of the parts that are there, a multiple of ``size``.
            place: the folder in which the workers store their parts; ``None`` where they return them.
        """

    def each(self, work: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
        """Do other work on items, and give the results in their order."""


@dataclass(frozen=True)
class TableRun:
    """One pass over a table.

    Finished parts are stored (``Parts``) until the output is written. When the run is stopped, by a signal, a
    crash or a model that fails, the same run goes on after the last finished part.
    Where a cap has ended the work early, the output is written with what there is, and finished parts stay.
    A run that reached its end leaves no parts, so the same run asks again about rows whose calls failed.

    Attributes:
        table: the input.
        settings: its parts.
        progress: called as rows are worked on.
    """

    table: Table
    settings: PartSettings
    progress: Progress | None = None

    def run(self, work: TableWork[S_co], out: Target | None) -> S_co:
        """Do the work, write the output if one is named, and sum up.

        Raises:
            InputError: what the work refuses, a run in ``<out>.parts`` that differs, or an output that cannot
                be written. No output is left behind, and no parts but those that an earlier run had finished.
            StoppedByUserError: stopped by the user; finished parts are kept.
        """
        return self._without_output(work) if out is None else self._into(out, work)

    def _without_output(self, work: TableWork[S_co]) -> S_co:
        rows = 0
        try:
            self._tell(work, rows)
            for part in self._computed(work, 0):
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
        with Parts.open(out, self._key(work), restart=self.settings.restart) as parts:
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
                raise _stopped(parts, work) from None
            if parts.finished and not is_whole:
                parts.drop_unfinished()
            else:
                parts.remove()
        return summary

    def _finish(self, parts: Parts, work: TableWork[S_co]) -> bool:
        """Read the parts that are there, compute the others, and tell whether none was cut short."""
        rows, is_whole = 0, True
        for frame, notes in parts.read():
            work.add(frame, notes)
            rows += frame.height
        self._tell(work, rows)
        for part in self._computed(work, rows, self._place_of_workers(parts)):
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

    def _computed(
        self, work: TableWork[S_co], skip: int, place: OutputPlace | None = None
    ) -> Iterator[WorkedPart]:
        workers, size = self.settings.workers, min(self.settings.part_rows, self.table.most_rows)
        if workers is None:
            return work.parts(size, skip)
        return workers.parts(work, self.table, size, skip, place)

    def _place_of_workers(self, parts: Parts) -> OutputPlace | None:
        """Name the folder into which the workers write, and let them write its partitions, if they see it."""
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


def _stopped(parts: Parts, work: TableWork[object]) -> StoppedByUserError:
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
    """Tell whether rows must be counted before an output is written: only Excel sheets have a limit."""
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
        titles: names of columns, at least one; each exists.
        size: rows that are read at once.
        look: called with each batch, which may have other columns too and may lack one of JSON lines, and
            with the number of its first row, from 0.
        counting: whether the rows must fit into an Excel sheet.

    Returns:
        The table with the number of its rows, so that progress can say how much is left.

    Raises:
        InputError: what ``look`` refuses, a row that cannot be read, or more rows than Excel holds.
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
