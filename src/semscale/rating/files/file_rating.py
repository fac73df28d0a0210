"""Rating of files of any size: part by part, resumable, in bounded memory, in the order of the rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.errors import InputError
from semscale.rating.files.checks import check_cells
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_summary import REFITS, SEEN, SET_MEANS, Collector, rated_frame, ratings_of
from semscale.rating.labelling import FilledSheet
from semscale.rating.rater import Rater
from semscale.rating.summary import RatingSummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.cells import storable
from semscale.store.columns import column_in
from semscale.store.first_look import needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.table_run import PART_ROWS, PartMakers, PartSettings, TableRun, WorkedPart
from semscale.store.table import Table
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.rating.files.file_decisions import FileDecisions

__all__ = ["FileColumns", "FileSettings", "rate_file"]


@dataclass(frozen=True)
class FileSettings:
    """Parts of a file, and how intervals are made.

    Attributes:
        part_rows: rows of a part, at least 1; what is not finished when a run stops is at most one part.
        interval: coverage that the intervals aim at, between 0 and 1.
        seed: seed of all draws.
        restart: drop the finished parts of an earlier run, whatever it was.
        makers: who makes the parts, as ``PartSettings`` has it.

    Raises:
        InputError: a value out of range.
    """

    part_rows: int = PART_ROWS
    interval: float = 0.95
    seed: int = 0
    restart: bool = False
    makers: PartMakers | None = None

    def __post_init__(self) -> None:
        # Both refuse now what would be refused later.
        PartSettings(self.part_rows)
        IntervalPlan(self.interval, seed=self.seed)

    @property
    def parts(self) -> PartSettings:
        """How the file is cut into parts."""
        return PartSettings(self.part_rows, self.restart, self.makers)


def rate_file(  # noqa: PLR0913 - what, how, where to, and who is told
    table: Table,
    columns: FileColumns,
    *,
    rater: Rater,
    out: Target | None = None,
    settings: FileSettings | None = None,
    labels: FilledSheet | None = None,
    deciding: "FileDecisions | None" = None,
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
        columns: names of the columns.
        rater: scale, embedder and settings.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; nothing is written,
            and nothing is kept when the run stops, unless given.
        settings: parts, intervals and seed.
        labels: people's ratings of some rows, in the sheet that was drawn from the table, in the place of a
            column of human ratings.
        deciding: lets a chat model rate the texts, too, and adds its columns, ``semscale_decided_status`` and
            others; where it gives no decisions, ``RatingSummary.undecided`` says why.
        progress: called as rows are rated, and while texts are embedded.

    Returns:
        Estimates from all rows, counts, and samples of rows, in memory that does not grow with the file.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a cell that cannot be
            used, an output that cannot be written. No output is left behind, and no parts but those that an
            earlier run had finished.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    settings = settings or FileSettings()
    check_file(table, columns, out)
    if labels is not None and columns.human is not None:
        raise InputError("labels must not be given beside human: both are people's ratings")
    if labels is not None and columns.human_range is None:
        labels.check_scale(*(float(end) for end in rater.scale.values[[0, -1]]))
    _ = rater.embedder  # a model that cannot be loaded is said before the file is read through
    if rater.calibration is not None:
        _ = rater.signature  # refuses a calibration for other ratings
    table = check_cells(
        table, columns, settings.part_rows, counting=needs_counting(table, out), labels=labels
    )
    collector = Collector(rater, columns, settings.seed, labels)
    work = RatingWork(table, columns, rater, collector, settings.interval, progress, deciding)
    summary = TableRun(table, settings.parts, progress).of(work, out)
    return replace(summary, input_notes=table.notes)


def check_file(table: Table, columns: FileColumns, out: Target | None) -> None:
    """Check everything that can be known before any text is embedded.

    Raises:
        InputError: as ``rate_file``.
    """
    for parameter, column in columns.named().items():
        table.require(column, parameter)
    for column in columns.further_by:
        table.require(column, "by")
    check_free(table.columns, table.name)
    if out is not None:
        check_output(table, out)
    table.require_text(columns.text, "text")


@dataclass(frozen=True)
class RatingWork:
    """Rates the texts of a table part by part, and sums the parts up."""

    table: Table
    columns: FileColumns
    rater: Rater
    collector: Collector
    interval: float
    progress: Progress | None
    deciding: "FileDecisions | None" = None
    stage = "rating"
    private = (SET_MEANS, SEEN, REFITS)

    @property
    def kept(self) -> str:
        """Embeddings, where there is a cache."""
        return KEPT_EMBEDDINGS if isinstance(self.rater.embedder, CachedEmbedder) else ""

    def key(self) -> dict[str, str]:
        """Name the column and the fields of the signature."""
        return {"text": self.columns.text, **dict(self.rater.signature.fields)}

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Rate the rows after the first ``skip`` ones."""
        for batch in self.table.batches(size, skip):
            yield self.part(batch)

    def part(self, batch: pl.DataFrame) -> WorkedPart:
        """Rate some rows, with the input's columns before those of the result."""
        check_free(batch.columns, self.table.name)
        return WorkedPart(pl.concat([storable(batch), self.rated(batch)], how="horizontal"))

    def rated(self, batch: pl.DataFrame) -> pl.DataFrame:
        """Rate some rows: the columns of the result, and those that the run keeps for itself."""
        cells = column_in(batch, self.columns.text).to_list()
        return rated_frame(self.rater.rate(cells, progress=self.progress))

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part."""
        self.collector.add(frame)
        if self.deciding is not None:
            texts = column_in(frame, self.columns.text).to_list()
            self.deciding.add(texts, ratings_of(frame, self.rater))

    def summary(self) -> RatingSummary:
        """Sum all parts up, after a chat model has decided about their texts, if one shall."""
        summary = self.collector.summary(self.table.name, self.interval)
        if self.deciding is None:
            return summary
        found = self.deciding.compared(summary.set_agreement)
        if not isinstance(found, tuple):
            return replace(summary, undecided=found)
        return replace(summary, decided=found[0], signature=summary.signature.extended(found[1]))

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Columns of decisions, which are made once all rows are rated."""
        return None if self.deciding is None else self.deciding.frame(start, stop)
