"""What a node needs to know to do an instrument's work on rows: names and settings, but no model.

Recipes of ratings and matches stand in modules of their own, so that who needs neither starts fast.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

import polars as pl

from semscale.distributed.shared_embedder import SharedEmbedder
from semscale.distributed.text_repeats import texts_of
from semscale.embedding.file_embedding import STATUS, EmbeddingWork, VectorType
from semscale.embedding.loading import load_embedder
from semscale.signature import Signature
from semscale.store.columns import column_in
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
    def model(self) -> "ModelRecipe | None":
        """How the embedder is loaded; ``None`` where the instrument needs more than vectors of texts."""
        ...

    def texts_in(self, rows: pl.DataFrame) -> Collection[str]:
        """Find the distinct texts that are embedded for some rows."""
        ...

    def with_shared(self, embedder: SharedEmbedder) -> Self:
        """Let owners of texts embed them."""
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
        shared: asks the owners of texts, and is taken in the model's place; without it, each node embeds
            its own texts.
    """

    name: str
    precision: str = "exact"
    engine: str = "openvino"
    cache: bool = True
    device: str = "auto"
    shared: SharedEmbedder | None = None

    def load(self) -> "Embedder":
        """Load the embedder."""
        if self.shared is not None:
            return self.shared
        return load_embedder(
            self.name,
            precision=self.precision,
            engine=self.engine,
            cache=self.cache,
            device=self.device,
        )


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

    def texts_in(self, rows: pl.DataFrame) -> Collection[str]:
        """Find the distinct texts."""
        return texts_of(column_in(rows, self.text).to_list())

    def with_shared(self, embedder: SharedEmbedder) -> Self:
        """Let owners of texts embed them."""
        return replace(self, model=replace(self.model, shared=embedder))
