"""How a node rates texts of a column."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import polars as pl

from semscale.distributed.recipes import ModelRecipe, RowWork
from semscale.distributed.shared_embedder import SharedEmbedder
from semscale.distributed.text_repeats import texts_of
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.rating.table import RatingTable
from semscale.results.runs import PartWork
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.store.columns import column_in
from semscale.store.table import Table


@dataclass(frozen=True)
class RatingRecipe:
    """How texts of a column are rated.

    Attributes:
        model: the embedder.
        scale: the scale with all its anchor sets.
        settings: of the rater, without an embedder.
        text: name of the column.
    """

    model: ModelRecipe
    scale: Scale
    settings: RaterSettings
    text: str

    def signature(self) -> Signature:
        """Name the model."""
        return self.model.load().signature

    def row_work(self, table: Table) -> RowWork:
        """Load the model and embed the anchors."""
        rater = Rater.from_settings(self.scale, self.settings.changed(embedder=self.model.load))
        work = PartWork(table, RatingTable(RatingColumns(text=self.text), rater, IntervalPlan()))
        return RowWork(work.part, work.private)

    def completed(self, work: object) -> Self:
        """Take over the floor, so that all nodes have the same to the last bit."""
        instrument = work.instrument if isinstance(work, PartWork) else None
        if not isinstance(instrument, RatingTable):
            return self
        return replace(self, settings=self.settings.changed(floor=instrument.rater.floor))

    def texts_in(self, rows: pl.DataFrame) -> Collection[str]:
        """Find the distinct texts."""
        return texts_of(column_in(rows, self.text).to_list())

    def with_shared(self, embedder: SharedEmbedder) -> Self:
        """Let owners of texts embed them, and the anchors."""
        return replace(self, model=replace(self.model, shared=embedder))
