"""Rating a file of any size: part by part, resumable, in bounded memory, with the rows in their order."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from semscale.embedding.cache.cached_embedder import CachedEmbedder
from semscale.errors import InputError, InterruptedRunError
from semscale.rating.files.checks import check_cells
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_summary import SET_MEANS, Collector, rated_frame
from semscale.rating.rater import Rater
from semscale.rating.summary import RatingSummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.cells import storable
from semscale.store.part_joining import join_parts
from semscale.store.parts import Parts
from semscale.store.result_columns import check_free, check_output
from semscale.store.table import Table
from semscale.store.writing import output_format
from semscale.types import Progress

__all__ = ["FileColumns", "FileSettings", "rate_file"]

PART_ROWS = 50_000


@dataclass(frozen=True)
class FileSettings:
    """How a file is gone through.

    Attributes:
        part_rows: rows of a part, at least 1; what is not finished when a run stops is at most one part.
        interval: coverage that the intervals aim at, between 0 and 1.
        seed: of all that is random.
        restart: drop the finished parts of an earlier run, whatever it was.

    Raises:
        InputError: a value out of range.
    """

    part_rows: int = PART_ROWS
    interval: float = 0.95
    seed: int = 0
    restart: bool = False

    def __post_init__(self) -> None:
        if self.part_rows < 1:
            raise InputError(f"part_rows must be at least 1, got {self.part_rows}")
        IntervalPlan(self.interval, seed=self.seed)  # refuses now what the estimates would refuse at the end


def rate_file(  # noqa: PLR0913 - what, how, where to, and who is told
    table: Table,
    columns: FileColumns,
    *,
    rater: Rater,
    out: Path | None = None,
    settings: FileSettings | None = None,
    progress: Progress | None = None,
) -> RatingSummary:
    """Rate a column of texts, write the rated table, and sum it up.

    The rated table has the input's columns and rows in their order, then those of ``Ratings.to_frame`` with
    the prefix ``semscale_``: ``semscale_status``, ``semscale_mean``, ..., ``semscale_p_<value>`` for every
    point. Cells of JSON lines or Excel whose column mixes types are text in it.

    Columns beside the texts are checked in a reading of their own, before any text is embedded. Finished
    parts are kept beside the output in ``<out>.parts`` until the output stands. When the run is stopped, by
    a signal, a crash or an endpoint that fails, the same call goes on after the last finished part.

    Args:
        table: the input.
        columns: which column is what.
        rater: scale, embedder and settings.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``; nothing is written, and nothing is kept when the
            run stops, unless given.
        settings: parts, intervals and seed.
        progress: called as rows are rated, and while texts are embedded.

    Returns:
        Estimates from all rows, counts, and samples of rows, in memory that does not grow with the file.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a cell that cannot be
            used, an output that cannot be written. No output is left behind, and no parts but those that an
            earlier run had finished.
        InterruptedRunError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    settings = settings or FileSettings()
    _check_file(table, columns, out)
    _ = rater.embedder  # a model that cannot be loaded is said before the file is read through
    check_cells(table, columns, settings.part_rows, to_excel=out is not None and output_format(out) == "xlsx")
    run = _Run(table, columns, rater, settings, progress)
    if out is None:
        return run.without_output()
    return run.into(out)


def _check_file(table: Table, columns: FileColumns, out: Path | None) -> None:
    """Check everything that can be known before any text is embedded.

    Raises:
        InputError: as ``rate_file``.
    """
    for parameter, column in columns.named().items():
        table.require(column, parameter)
    check_free(table.columns, table.name)
    if out is not None:
        check_output(table, out)
    table.require_text(columns.text, "text")


@dataclass(frozen=True)
class _Run:
    """One pass over a table."""

    table: Table
    columns: FileColumns
    rater: Rater
    settings: FileSettings
    progress: Progress | None

    def without_output(self) -> RatingSummary:
        collector = self._collector()
        try:
            for frame in self._rated(0):
                collector.add(frame)
                self._tell(collector.n)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped after {collector.n:,} rows{self._kept_embeddings()}; "
                "with an output file the same command goes on where it stopped"
            ) from None
        return collector.summary(self.table.name, self.settings.interval)

    def into(self, out: Path) -> RatingSummary:
        folder = out.with_name(out.name + ".parts")
        with Parts.open(folder, self._key(), restart=self.settings.restart) as parts:
            try:
                with parts.kept():
                    summary = self._finish(parts)
                    self._write(parts, out)
            except InputError:
                if parts.is_new:
                    parts.discard()
                raise
            except KeyboardInterrupt:
                raise self._stopped(parts) from None
            except Exception:
                if not parts.finished:
                    parts.discard()
                raise
            parts.remove()
        return summary

    def _finish(self, parts: Parts) -> RatingSummary:
        collector = self._collector()
        for part in parts.finished:
            collector.add(pl.read_parquet(part.path))
            self._tell(collector.n)
        for frame in self._rated(parts.rows):
            collector.add(frame)
            parts.add(frame)
            self._tell(collector.n)
        return collector.summary(self.table.name, self.settings.interval)

    def _write(self, parts: Parts, out: Path) -> None:
        if self.progress:
            self.progress("writing", 0, None)
        join_parts([part.path for part in parts.finished], out, without=[SET_MEANS])

    def _rated(self, skip: int) -> Iterator[pl.DataFrame]:
        for batch in self.table.batches(self.settings.part_rows, skip):
            check_free(batch.columns, self.table.name)
            cells = (
                batch[self.columns.text].to_list()
                if self.columns.text in batch.columns
                else [None] * batch.height
            )
            ratings = self.rater.rate(cells, progress=self.progress)
            yield pl.concat([storable(batch), rated_frame(ratings)], how="horizontal")

    def _collector(self) -> Collector:
        return Collector(self.rater, self.columns, self.settings.seed)

    def _key(self) -> dict[str, str]:
        signature = self.rater.signature
        return {
            "input": self.table.fingerprint(),
            "text": self.columns.text,
            "part_rows": str(self.settings.part_rows),
            "version": signature.version,
            **dict(signature.fields),
        }

    def _stopped(self, parts: Parts) -> InterruptedRunError:
        rows = parts.rows
        if not rows:
            parts.discard()
            return InterruptedRunError(
                f"stopped before the first part was finished{self._kept_embeddings()}; "
                "the same command starts again"
            )
        if not parts.are_there:
            return InterruptedRunError(
                f"stopped; {parts.folder.name} was removed or changed during the run, so the same command "
                "goes on after what is left of it"
            )
        return InterruptedRunError(
            f"stopped: {rows:,} rows are finished and kept in {parts.folder.name}; "
            "the same command goes on after them"
        )

    def _kept_embeddings(self) -> str:
        cached = isinstance(self.rater.embedder, CachedEmbedder)
        return "; finished embeddings stay in the cache" if cached else ""

    def _tell(self, done: int) -> None:
        if self.progress:
            self.progress("rating", done, self.table.n_rows)
