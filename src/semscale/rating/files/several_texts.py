"""Rating of several columns of texts in one reading of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.rating.files.checks import check_cells
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, RatingWork, check_file
from semscale.rating.files.file_summary import REFITS, SEEN, SET_MEANS, Collector
from semscale.rating.rater import Rater
from semscale.rating.summary import RatingSummaries
from semscale.store.cells import storable
from semscale.store.first_look import needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_free
from semscale.store.runs.table_run import TableRun, WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress


def rate_texts(  # noqa: PLR0913 - what, how, where to, and who is told
    table: Table,
    columns: FileColumns,
    raters: Mapping[str, Rater],
    *,
    out: Target | None = None,
    settings: FileSettings | None = None,
    progress: Progress | None = None,
) -> RatingSummaries:
    """Rate several columns of texts, write one table, and sum each of them up.

    The rated table has the input's columns, then for each text those of ``rate_file`` with the text's name in
    theirs: ``semscale_<text>_mean`` and so on.

    Args:
        table: the input.
        columns: names of the other columns; its ``text`` is the first of the texts.
        raters: the rater of each column of texts, by the column's name; at least one.
        out: as in ``rate_file``.
        settings: parts, intervals and seed.
        progress: called as rows are rated, and while texts are embedded.

    Raises:
        InputError: as ``rate_file``; or human ratings, which belong to one column of texts.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    settings = settings or FileSettings()
    if columns.human is not None:
        raise InputError("human belongs to one column of texts: rate each text that people rated by itself")
    each = {text: replace(columns, text=text) for text in raters}
    for one in each.values():
        check_file(table, one, out)
    for rater in raters.values():
        _ = rater.embedder, rater.signature  # what cannot be loaded is said before the file is read through
    table = check_cells(table, columns, settings.part_rows, counting=needs_counting(table, out))
    works = [
        RatingWork(
            table, one, raters[text], Collector(raters[text], one, settings.seed), settings.interval, progress
        )
        for text, one in each.items()
    ]
    summaries = TableRun(table, settings.parts, progress).of(SeveralTextsWork(table, works), out)
    return replace(summaries, input_notes=table.notes)


@dataclass(frozen=True)
class SeveralTextsWork:
    """Rates several columns of a table part by part.

    Attributes:
        table: the input.
        works: that of each column.
    """

    table: Table
    works: Sequence[RatingWork]
    stage = "rating"

    @property
    def private(self) -> tuple[str, ...]:
        """Columns that only the summaries need."""
        kept = (SET_MEANS, SEEN, REFITS)
        return tuple(_own(name, work.columns.text) for work in self.works for name in kept)

    @property
    def kept(self) -> str:
        """Embeddings, where there is a cache."""
        return self.works[0].kept

    def key(self) -> dict[str, str]:
        """Name each column with the fields of its signature."""
        return {
            f"{number} {name}": value
            for number, work in enumerate(self.works, start=1)
            for name, value in work.key().items()
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Rate the rows after the first ``skip`` ones."""
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            rated = [_named(work.rated(batch), work.columns.text) for work in self.works]
            yield WorkedPart(pl.concat([storable(batch), *rated], how="horizontal"))

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part: each work takes its own columns."""
        given = [name for name in frame.columns if not name.startswith(PREFIX)]
        for work in self.works:
            start = _own(PREFIX, work.columns.text)
            own = {
                name: PREFIX + name.removeprefix(start) for name in frame.columns if name.startswith(start)
            }
            work.add(frame.select([*given, *own]).rename(own), notes)

    def summary(self) -> RatingSummaries:
        """Sum all parts up."""
        texts = {work.columns.text: work.summary() for work in self.works}
        return RatingSummaries(Path(self.table.name).name, texts)

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are rated."""


def _named(rated: pl.DataFrame, text: str) -> pl.DataFrame:
    return rated.rename({name: _own(name, text) for name in rated.columns})


def _own(name: str, text: str) -> str:
    """Put a text's name into that of a column of the result.

    Example:
        >>> _own("semscale_mean", "why")
        'semscale_why_mean'
    """
    return f"{PREFIX}{text}_{name.removeprefix(PREFIX)}"
