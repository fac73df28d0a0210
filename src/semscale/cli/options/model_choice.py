"""The embedding model that a command's options choose."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.embedding.loading import load_embedder
from semscale.types import Progress
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.embedding.loading import LoadingSettings


@dataclass(frozen=True)
class ModelChoice:
    """Which model turns texts into vectors, and how.

    Attributes:
        name: as ``load_embedder`` takes it; the default model unless given.
        precision: ``exact`` or ``fast``.
        engine: ``openvino``, ``torch`` or ``api``.
        base_url: of the endpoint.
        cache: whether embeddings are read from and kept on disk.
    """

    name: str | None = None
    precision: str = "exact"
    engine: str = "openvino"
    base_url: str | None = None
    cache: bool = True

    @property
    def chosen_name(self) -> str:
        """The model's name, the default one unless another is given."""
        return self.name or DEFAULT_MODEL

    def loading(self, progress: Progress | None) -> "LoadingSettings":
        """How methods of matching load it; the first time its weights are pulled."""
        return {"engine": self.engine, "base_url": self.base_url, "cache": self.cache, "progress": progress}

    def load(self, progress: Progress | None) -> "Embedder":
        """Load the model; the first time its weights are pulled."""
        return load_embedder(
            self.chosen_name,
            precision=self.precision,
            engine=self.engine,
            base_url=self.base_url,
            cache=self.cache,
            progress=progress,
        )
