"""The models of the service: loaded once, warmed up, each with batches of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.embedding.loading import load_embedder
from semscale.embedding.tokens.state_engine import shows_states, state_engine
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.errors import InputError
from semscale.serving.batching.batched_embedder import BatchedEmbedder
from semscale.serving.batching.batched_states import BatchedRows, BatchedStates
from semscale.serving.batching.batched_texts import BatchedTexts
from semscale.serving.batching.batcher import WORKERS, BatchedModel, Batcher
from semscale.serving.batching.ticket_line import Item, Part
from semscale.serving.limits import ServiceLimits
from semscale.serving.refusals import NOT_FOUND, RefusedRequestError
from semscale.serving.service_metrics import ServiceMetrics
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

# One text in each arithmetic: short ones are computed in float32 whatever the precision is.
_WARM_UP = ("Yes.", "The staff was kind and the room was clean, but breakfast was over much too early.")


@dataclass(frozen=True)
class ModelsToServe:
    """Which models are served.

    Attributes:
        name: of one model for everything; without it, ratings have the default model of ratings, and all
            else the default one.
        precision: as ``load_embedder`` takes it.
        engine: likewise; the states of tokens, which ``/match`` reads, are shown by ``openvino`` and
            ``torch``.
    """

    name: str | None = None
    precision: str = "exact"
    engine: str = "openvino"

    def __post_init__(self) -> None:
        if self.engine not in ("openvino", "torch"):
            raise InputError(f"engine must be openvino or torch, got {self.engine!r}")

    @property
    def names(self) -> tuple[str, str]:
        """The model of embeddings, matches and consistency, and that of ratings."""
        return self.name or DEFAULT_MODEL, self.name or DEFAULT_RATING_MODEL

    def load(self, name: str) -> Embedder:
        """Load a model; the first time its weights are pulled."""
        return load_embedder(name, precision=self.precision, engine=self.engine, cache=False)


@dataclass(frozen=True)
class ServedModel:
    """A model of the service.

    Attributes:
        name: in requests and answers.
        batcher: puts the texts of all requests through it.
        embedder: for instruments; its texts share these batches.
        encoder: the states of tokens, whose texts share batches of their own; ``None`` for a model that
            shows none.
        batchers: all batchers.
    """

    name: str
    batcher: Batcher[str, Embeddings]
    embedder: BatchedEmbedder
    encoder: TokenEncoder | None = None
    batchers: Sequence[Batcher[Any, Any]] = ()

    def fits(self, name: str) -> bool:
        """Tell whether a request means this model, by its name or the last part of its path."""
        return name in (self.name, Path(self.name).name)


@dataclass
class ServedModels:
    """The models of the service, once they are loaded.

    Attributes:
        embedding: for embeddings, matches and consistency.
        rating: for ratings; the same one where one model serves all.
    """

    _by_name: dict[str, ServedModel] = field(default_factory=dict)
    _names: tuple[str, str] = ("", "")

    @property
    def embedding(self) -> ServedModel:
        """For embeddings, matches and consistency."""
        return self._by_name[self._names[0]]

    @property
    def rating(self) -> ServedModel:
        """For ratings; the same one where one model serves all."""
        return self._by_name[self._names[1]]

    @property
    def by_name(self) -> Mapping[str, ServedModel]:
        """All models."""
        return self._by_name

    def named(self, name: str) -> ServedModel:
        """Find a model.

        Raises:
            RefusedRequestError: no model of this name is served.
        """
        for model in self._by_name.values():
            if model.fits(name):
                return model
        raise RefusedRequestError(
            NOT_FOUND, f"model must be one of {', '.join(self._by_name)}, got {name[:60]!r}", field="model"
        )

    def load(
        self,
        choice: ModelsToServe,
        limits: ServiceLimits,
        metrics: ServiceMetrics,
        load: Callable[[str], Embedder] | None = None,
    ) -> None:
        """Load the models, and run each once, so that nothing is compiled while requests are answered.

        Args:
            choice: which models.
            limits: of batches and waiting texts.
            metrics: count batches.
            load: loads a model by its name; by default as ``choice`` says.

        Raises:
            SemscaleError: a model is unknown, or cannot be loaded or run.
        """
        workers = WORKERS if choice.engine == "openvino" else 1
        loaded: dict[str, ServedModel] = {}
        for name in dict.fromkeys(choice.names):
            embedder = (load or choice.load)(name)
            embedder.embed(_WARM_UP)
            loaded[name] = _served(name, embedder, limits, metrics, workers)
        self._by_name, self._names = loaded, choice.names

    def close(self) -> bool:
        """Stop all batches once nothing waits, and say whether their threads have ended."""
        return all([batcher.close() for model in self._by_name.values() for batcher in model.batchers])


def _served(
    name: str, embedder: Embedder, limits: ServiceLimits, metrics: ServiceMetrics, workers: int
) -> ServedModel:
    """Put batches before a model: of texts, and of the states of tokens where it shows them."""
    heard = metrics.batch(name)

    def batcher_of(model: BatchedModel[Item, Part]) -> Batcher[Item, Part]:
        return Batcher(
            model,
            batch_tokens=limits.batch_tokens,
            waiting_tokens=limits.waiting_tokens,
            workers=workers,
        )

    texts = batcher_of(BatchedTexts(embedder, heard))
    batchers: list[Batcher[Any, Any]] = [texts]
    encoder = None
    if shows_states(embedder):
        engine = state_engine(embedder)
        rows = batcher_of(BatchedRows(engine, heard))
        batchers.append(rows)
        encoder = TokenEncoder(BatchedStates(engine, rows, limits.batch_tokens))
    metrics.watch_model(name, lambda: sum(each.waiting_items for each in batchers))
    return ServedModel(name, texts, BatchedEmbedder(embedder, texts), encoder, batchers)
