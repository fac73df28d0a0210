"""What a node needs to know to do an instrument's work on rows: names and settings, but no model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

import polars as pl

from semscale.distributed.text_owners import SharedEmbedder
from semscale.embedding.file_embedding import STATUS, EmbeddingWork, VectorType
from semscale.embedding.loading import load_embedder
from semscale.errors import InputError
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_work import MatchWork
from semscale.matching.methods import CorpusDependent, MethodSettings, PairMethod, build_method, guards_for
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import RatingWork
from semscale.rating.files.file_summary import Collector
from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


class RowWork(NamedTuple):
    """An instrument with its model loaded.

    Attributes:
        part: does the work on some rows; the number of the first one in the table, from 0, is for messages.
        private: columns of a part that are not in an output.
        summed_up: columns that the summary of a run needs; ``None`` for all.
    """

    part: Callable[[pl.DataFrame, int], WorkedPart]
    private: tuple[str, ...]
    summed_up: tuple[str, ...] | None = None


class Recipe(Protocol):
    """How a node makes an instrument; it can be pickled."""

    def signature(self) -> Signature:
        """Name the model with the hash of its weights, which are pulled if they are not on this disk."""
        ...

    def row_work(self, table: Table) -> RowWork:
        """Load the model and make the instrument for the rows of a table."""
        ...

    def completed(self, work: object) -> Self:
        """Add what the work of this process has found out about the whole table."""
        ...


@runtime_checkable
class SharesTexts(Recipe, Protocol):
    """A recipe whose texts may be embedded by actors of their own."""

    @property
    def model(self) -> "ModelRecipe":
        """How the embedder is loaded."""
        ...

    @property
    def text(self) -> str:
        """Name of the column of texts."""
        ...

    def with_owners(self, owners: tuple[Any, ...]) -> Self:
        """Let these actors embed the texts."""
        ...


@dataclass(frozen=True)
class ModelRecipe:
    """How an embedder is loaded, as ``load_embedder`` takes it.

    Attributes:
        name: the model's name or folder.
        precision: ``exact``, ``fast`` or ``turbo``.
        engine: ``openvino``, or ``torch``.
        cache: whether vectors are kept in the cache of the node.
        device: for ``torch``.
        owners: actors that embed equal texts once for the cluster; without any, each node embeds its own.
    """

    name: str
    precision: str = "exact"
    engine: str = "openvino"
    cache: bool = True
    device: str = "auto"
    owners: tuple[Any, ...] = ()

    def load(self) -> "Embedder":
        """Load the embedder."""
        embedder = load_embedder(
            self.name,
            precision=self.precision,
            engine=self.engine,
            cache=self.cache and not self.owners,
            device=self.device,
        )
        return SharedEmbedder(embedder, self.owners) if self.owners else embedder


@dataclass(frozen=True)
class EmbeddingRecipe:
    """How texts of a column are embedded."""

    model: ModelRecipe
    text: str
    dtype: VectorType = "float32"

    def signature(self) -> Signature:
        """Name the model."""
        return self.model.load().signature

    def row_work(self, table: Table) -> RowWork:
        """Load the model."""
        work = EmbeddingWork(table, self.text, self.model.load(), self.dtype, None)
        return RowWork(lambda batch, _: work.part(batch), work.private, (STATUS,))

    def completed(self, work: object) -> Self:  # noqa: ARG002 - as the protocol has it
        """Add nothing."""
        return self

    def with_owners(self, owners: tuple[Any, ...]) -> Self:
        """Let these actors embed the texts."""
        return replace(self, model=replace(self.model, owners=owners))


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
        settings: RaterSettings = {**self.settings, "embedder": self.model.load}
        rater, columns = Rater(self.scale, **settings), FileColumns(self.text)
        work = RatingWork(table, columns, rater, Collector(rater, columns, 0), 0.95, None)
        return RowWork(lambda batch, _: work.part(batch), work.private)

    def completed(self, work: object) -> Self:
        """Take over the floor, so that all nodes have the same to the last bit."""
        if not isinstance(work, RatingWork):
            return self
        settings: RaterSettings = {**self.settings, "floor": work.rater.floor}
        return replace(self, settings=settings)

    def with_owners(self, owners: tuple[Any, ...]) -> Self:
        """Let these actors embed the texts."""
        return replace(self, model=replace(self.model, owners=owners))


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
