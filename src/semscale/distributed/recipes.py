"""What a node needs to know to do an instrument's work on rows: names and settings, but no model.

Recipes of ratings and matches stand in modules of their own, so that who needs neither starts fast.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

import polars as pl

from semscale.distributed.shared_embedder import SharedEmbedder
from semscale.embedding.file_embedding import STATUS, EmbeddingWork, VectorType
from semscale.embedding.loading import load_embedder
from semscale.signature import Signature
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
