"""How a node matches predictions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import polars as pl

from semscale.distributed.recipes import ModelRecipe, RowWork
from semscale.distributed.shared_embedder import SharedEmbedder
from semscale.embedding.torch_engine.device import AUTO
from semscale.errors import InputError
from semscale.matching.match_columns import MatchColumns, match_cells
from semscale.matching.match_work import MatchWork
from semscale.matching.methods import (
    ANY_ENGINE,
    CorpusDependent,
    MethodSettings,
    PairMethod,
    build_method,
    guards_for,
)
from semscale.matching.pairs import pair_up
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.table import Table


@dataclass(frozen=True)
class MatchRecipe:
    """How predictions are matched.

    Attributes:
        columns: names of the columns.
        method: one of ``METHODS``.
        settings: of the method; names in the place of models, and no guards.
        guards: modes of the guards, by name.
        empty: what empty predictions count as.
        explains_rows: whether every score is explained.
        corpus: texts for the method's estimates; ``None`` if it makes none or has some.
        shared: asks the owners of texts, and is taken in the model's place.
    """

    columns: MatchColumns
    method: str
    settings: MethodSettings
    guards: Mapping[str, str]
    empty: str = "missing"
    explains_rows: bool = False
    corpus: tuple[str, ...] | None = None
    shared: SharedEmbedder | None = None

    @classmethod
    def of(
        cls,
        columns: MatchColumns,
        method: str,
        settings: MethodSettings,
        guards: Mapping[str, str],
        empty: str,
    ) -> Self:
        """Leave out of a method's settings what cannot be sent to a node.

        Raises:
            InputError: a model that is an object, not a name.
        """
        for name, given in {"embedder": settings.embedder, "nli": settings.nli}.items():
            if not isinstance(given, str | Path | None):
                raise InputError(
                    f"{name} must name a model on a cluster, as each node loads its own, got {given!r:.60}"
                )
        loading = settings.loading.copy()
        loading.pop("progress", None)
        return cls(columns, method, replace(settings, loading=loading, guards=None), dict(guards), empty)

    def signature(self) -> Signature:
        """Name the method with its model."""
        return self._built().signature

    def row_work(self, table: Table) -> RowWork:
        """Load the model and make the method's estimates."""
        method = self._built()
        if self.corpus is not None and isinstance(method, CorpusDependent):
            method = method.over(list(self.corpus))
        work = MatchWork(
            table,
            self.columns,
            method,
            guards_for(self.method, self.guards),
            IntervalPlan(),
            empty=self.empty,
            explains_rows=self.explains_rows,
        )
        return RowWork(work.part, work.private)

    def completed(self, work: object) -> Self:
        """Take over the texts from which the method makes its estimates."""
        if not isinstance(work, MatchWork):
            return self
        corpus = None if work.corpus is None else tuple(work.corpus)
        return replace(self, corpus=corpus, explains_rows=work.explains_rows)

    @property
    def model(self) -> ModelRecipe | None:
        """How the embedder is loaded; ``None`` for methods that read the states of tokens."""
        if self.method not in ANY_ENGINE:
            return None
        settings, loading = self.settings, self.settings.loading
        return ModelRecipe(
            str(settings.embedder),
            settings.precision,
            loading.get("engine", "openvino"),
            loading.get("cache", True) is not False,
            loading.get("device", AUTO),
        )

    def texts_in(self, rows: pl.DataFrame) -> Collection[str]:
        """Find the distinct texts of all pairs."""
        cells = match_cells(rows, self.columns)
        return pair_up(cells.predictions, cells.references).texts

    def with_shared(self, embedder: SharedEmbedder) -> Self:
        """Let owners of texts embed them."""
        return replace(self, shared=embedder)

    def _built(self) -> PairMethod:
        settings = replace(self.settings, guards=guards_for(self.method, self.guards))
        if self.shared is not None:
            settings = replace(settings, embedder=self.shared, precision="exact")
        return build_method(self.method, settings)
