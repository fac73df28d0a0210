"""How a node matches predictions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from semscale.distributed.recipes import RowWork
from semscale.errors import InputError
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_work import MatchWork
from semscale.matching.methods import CorpusDependent, MethodSettings, PairMethod, build_method, guards_for
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
    """

    columns: MatchColumns
    method: str
    settings: MethodSettings
    guards: Mapping[str, str]
    empty: str = "missing"
    explains_rows: bool = False
    corpus: tuple[str, ...] | None = None

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

    def _built(self) -> PairMethod:
        guards = guards_for(self.method, self.guards)
        return build_method(self.method, replace(self.settings, guards=guards))
