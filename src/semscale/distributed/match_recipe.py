"""How a node matches predictions."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import polars as pl

from semscale.distributed.recipes import ModelRecipe, RowWork
from semscale.distributed.shared_embedder import SharedEmbedder
from semscale.embedding.embedder import AUTO
from semscale.errors import InputError
from semscale.matching.matcher import ANY_ENGINE, Matcher, MatchTable
from semscale.matching.pairs import pair_up
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.results.runs import PartWork
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.store.table import Table


@dataclass(frozen=True)
class MatchRecipe:
    """How predictions are matched.

    Attributes:
        columns: names of the columns.
        settings: of the matcher; models are named, and there is no progress to report.
        explains_rows: whether every score is explained.
        corpus: references for the method's estimates; ``None`` if it makes none or has a corpus.
        shared: asks the owners of texts, and takes the place of the model.
    """

    columns: MatchColumns
    settings: MatchSettings
    explains_rows: bool = False
    corpus: tuple[str, ...] | None = None
    shared: SharedEmbedder | None = None

    @classmethod
    def from_settings(cls, columns: MatchColumns, settings: MatchSettings) -> Self:
        """Leave out of a matcher's settings what cannot be sent to a node.

        Raises:
            InputError: a model that is an object, not a name.
        """
        for name, model in {"embedder": settings.embedder, "nli": settings.nli}.items():
            if not isinstance(model, str | Path | None):
                raise InputError(
                    f"{name} must name a model on a cluster, as each node loads its own, got {model!r:.60}"
                )
        loading = settings.loading.copy()
        loading.pop("progress", None)
        return cls(columns, settings.changed(loading=loading))

    def signature(self) -> Signature:
        """Name the method with its model."""
        return self._matcher().pair_method.signature

    def row_work(self, table: Table) -> RowWork:
        """Load the model and make the method's estimates."""
        instrument = MatchTable(
            self.columns,
            self._matcher(),
            IntervalPlan(),
            explains_rows=self.explains_rows,
            corpus=self.corpus,
        )
        work = PartWork(table, instrument)
        return RowWork(work.part, work.private)

    def completed(self, work: object) -> Self:
        """Take over the texts from which the method makes its estimates."""
        instrument = work.instrument if isinstance(work, PartWork) else None
        if not isinstance(instrument, MatchTable):
            return self
        corpus = None if instrument.corpus is None else tuple(instrument.corpus)
        return replace(self, corpus=corpus, explains_rows=instrument.explains_rows)

    @property
    def model(self) -> ModelRecipe | None:
        """How the embedder is loaded; ``None`` for methods that read the states of tokens."""
        settings, loading = self.settings, self.settings.loading
        if settings.method not in ANY_ENGINE:
            return None
        return ModelRecipe(
            str(settings.embedder),
            settings.precision,
            loading.get("engine", "openvino"),
            loading.get("cache", True) is not False,
            loading.get("device", AUTO),
        )

    def texts_in(self, rows: pl.DataFrame) -> Collection[str]:
        """Collect the distinct texts of all pairs."""
        cells = self.columns.read(rows)
        return pair_up(cells["prediction"], cells["reference"]).texts

    def with_shared(self, embedder: SharedEmbedder) -> Self:
        """Let owners of texts embed them."""
        return replace(self, shared=embedder)

    def _matcher(self) -> Matcher:
        settings = self.settings
        if self.shared is not None:
            settings = settings.changed(embedder=self.shared, precision="exact")
        return Matcher.from_settings(settings)
