"""Models of the service, which are loaded once, warmed up, and run batches shared by requests."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import distinct, validate_texts
from semscale.embedding.token_states import (
    Outputs,
    Rows,
    StateEngine,
    TokenEncoder,
    Whose,
    shows_states,
    state_engine,
)
from semscale.serving.background import current_task
from semscale.serving.batching import WORKERS, BatchedModel, Batcher, Item, OnBatch, Part
from semscale.serving.refusals import RefusedRequestError
from semscale.serving.requests import ServiceLimits
from semscale.signature import Signature
from semscale.types import Integers, Progress
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.serving.state import ServiceMetrics

# One text for each arithmetic: short texts are computed in float32 at any precision.
_WARM_UP = ("Yes.", "The staff was kind and the room was clean, but breakfast was over much too early.")
_BYTES_PER_TOKEN, _SPECIAL_TOKENS = 4, 2
_AHEAD = 2  # runs of rows of a request under way: the model works on one while the other is read

Row = npt.NDArray[np.int32]
"""Token ids of a text."""


@dataclass(frozen=True)
class ServedModel:
    """A model of the service.

    Attributes:
        name: name in requests and responses.
        batcher: runs the texts of all requests through the model.
        embedder: embedder for instruments; its texts share these batches.
        encoder: token encoder, with its own batches; ``None`` if the model provides no token states.
        batchers: all batchers.
    """

    name: str
    batcher: Batcher[str, Embeddings]
    embedder: "BatchedEmbedder"
    encoder: TokenEncoder | None = None
    batchers: Sequence[Batcher[Any, Any]] = ()

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Embed the texts of a request without a thread; cancellation drops waiting texts.

        Raises:
            RefusedRequestError: the service stops.
            ModelError: the model cannot be run.
        """
        parts = await asyncio.wrap_future(self.batcher.submit(texts))
        return join_embeddings(parts)


def model_names(name: str | None) -> tuple[str, str]:
    """Return two names: the model for embeddings, matches and consistency, and the model for ratings.

    Args:
        name: name of one model for everything; ``None`` for the default models.
    """
    return name or DEFAULT_MODEL, name or DEFAULT_RATING_MODEL


@dataclass
class ServedModels:
    """The loaded models of the service.

    Attributes:
        by_name: all models by name.
        names: names of the model for embeddings, matches and consistency, and of the model for ratings.
    """

    by_name: dict[str, ServedModel] = field(default_factory=dict)
    names: tuple[str, str] = ("", "")

    @property
    def embedding(self) -> ServedModel:
        """Model for embeddings, matches and consistency."""
        return self.by_name[self.names[0]]

    @property
    def rating(self) -> ServedModel:
        """Model for ratings; equal to ``embedding`` if one model serves everything."""
        return self.by_name[self.names[1]]

    def find(self, name: str) -> ServedModel:
        """Return the model with this name, or with this name as the last part of its path.

        Raises:
            RefusedRequestError: no model of this name is served.
        """
        for model in self.by_name.values():
            if name in (model.name, Path(model.name).name):
                return model
        raise RefusedRequestError(
            404, f"model must be one of {', '.join(self.by_name)}, got {name[:60]!r}", field="model"
        )

    def load(
        self,
        load_model: Callable[[str], Embedder],
        limits: ServiceLimits,
        metrics: "ServiceMetrics",
        *,
        name: str | None = None,
        workers: int = WORKERS,
    ) -> None:
        """Load the models and run each once, so that nothing is compiled during requests.

        Args:
            load_model: loads a model by its name; missing weights are downloaded.
            limits: limits of batches.
            metrics: metrics that count batches.
            name: name of one model for everything; ``None`` for the default models.
            workers: number of batches that run at once.

        Raises:
            SemscaleError: a model is unknown, or cannot be loaded or run.
        """
        names = model_names(name)
        loaded: dict[str, ServedModel] = {}
        for wanted in dict.fromkeys(names):
            embedder = load_model(wanted)
            embedder.embed(_WARM_UP)
            loaded[wanted] = _with_batches(wanted, embedder, limits, metrics, workers)
        self.by_name, self.names = loaded, names

    def close(self) -> bool:
        """Stop all batchers once their queues are empty; return true if their threads have ended."""
        return all([batcher.close() for model in self.by_name.values() for batcher in model.batchers])


def _with_batches(
    name: str, embedder: Embedder, limits: ServiceLimits, metrics: "ServiceMetrics", workers: int
) -> ServedModel:
    """Add batching to a model: for texts, and for token states if the model provides them."""
    on_batch = metrics.batch_counter(name)

    def batcher_of(model: BatchedModel[Item, Part]) -> Batcher[Item, Part]:
        return Batcher(model, batch_tokens=limits.batch_tokens, workers=workers)

    texts = batcher_of(BatchedTexts(embedder, on_batch))
    batchers: list[Batcher[Any, Any]] = [texts]
    encoder = None
    if shows_states(embedder):
        engine = state_engine(embedder)
        rows = batcher_of(BatchedRows(engine, on_batch))
        batchers.append(rows)
        encoder = TokenEncoder(BatchedStates(engine, rows, limits.batch_tokens))
    metrics.waiting.labels(name).set_function(lambda: sum(batcher.waiting_items for batcher in batchers))
    return ServedModel(name, texts, BatchedEmbedder(embedder, texts), encoder, batchers)


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens from its length in UTF-8.

    Examples:
        >>> estimate_tokens("good"), estimate_tokens("")  # 2 special tokens, and 4 bytes per token
        (3, 2)
    """
    return _SPECIAL_TOKENS + len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN


class BatchedTexts:
    """Runs texts through an embedder; the vector of a text does not depend on its batch.

    Args:
        embedder: the model; its ``embed`` is called from several threads at once.
        on_batch: called after each batch.
    """

    def __init__(self, embedder: Embedder, on_batch: OnBatch | None = None) -> None:
        self._embedder = embedder
        self._on_batch = on_batch

    def size(self, text: str) -> int:
        """Estimate a text's tokens."""
        return estimate_tokens(text)

    def run(self, texts: Sequence[str], counts: Sequence[int], check: Callable[[], None]) -> list[Embeddings]:
        """Embed the texts of several requests; ``counts`` has the number of texts of each."""
        batch = self._embedder.embed(texts, progress=lambda *_: check())
        if self._on_batch:
            self._on_batch(len(texts), None if batch.tokens is None else int(batch.tokens.sum()))
        # Copies, so that a request does not hold the vectors of the whole batch.
        return [
            Embeddings(
                batch.vectors[start:stop].copy(),
                batch.windows[start:stop].copy(),
                None if batch.unknown is None else batch.unknown[start:stop].copy(),
                None if batch.tokens is None else batch.tokens[start:stop].copy(),
            )
            for start, stop in pairwise([0, *accumulate(counts)])
        ]


def join_embeddings(parts: Sequence[Embeddings]) -> Embeddings:
    """Join the vectors of a request from several batches."""

    def join(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if any(array is None for array in arrays) else np.concatenate(arrays)

    if len(parts) == 1:
        return parts[0]
    return Embeddings(join("vectors"), join("windows"), join("unknown"), join("tokens"))


class BatchedEmbedder:
    """Embedder for instruments in threads that sends texts to a batcher; vectors equal the embedder's.

    Args:
        embedder: computes the vectors.
        batcher: runs texts through that embedder.
    """

    def __init__(self, embedder: Embedder, batcher: Batcher[str, Embeddings]) -> None:
        self.embedder = embedder
        self._batcher = batcher

    @property
    def for_anchors(self) -> Embedder:
        """Embedder for anchors; these are few texts, so they share no batches."""
        for_anchors = anchor_embedder(self.embedder)
        return self if for_anchors is self.embedder else for_anchors

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def signature(self) -> Signature:
        """Signature of the embedder; batching changes no number."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once.

        Raises:
            CancelledError: the work of this thread was cancelled.
            RefusedRequestError: the service stops.
        """
        unique, where = distinct(validate_texts(texts))
        if not unique:
            return Embeddings(np.empty((0, self.dimensions), np.float32), np.empty(0, np.int64))
        parts = current_task().submit(self._batcher.submit, unique).result()
        if progress:
            progress("embedding", len(unique), len(unique))
        return join_embeddings(parts).spread(where)


class BatchedRows:
    """Runs rows of token ids through a model; the states of a row do not depend on its batch.

    Args:
        engine: the model; its ``run_layer`` is called from several threads at once.
        on_batch: called after each batch.
    """

    def __init__(self, engine: StateEngine, on_batch: OnBatch | None = None) -> None:
        self._engine = engine
        self._on_batch = on_batch

    def size(self, row: Row) -> int:
        """Return the number of a row's tokens."""
        return len(row)

    def run(
        self, rows: Sequence[Row], counts: Sequence[int], check: Callable[[], None]
    ) -> list[list[Outputs]]:
        """Compute the last layer's states for rows of several requests; ``counts`` has the rows of each."""
        states: dict[int, Outputs] = {}
        for _, batch, output in self._engine.run_layer([(None, rows)], layer=self._engine.layers):
            states.update(zip(batch.tolist(), output.copy(), strict=True))
            check()
        if self._on_batch:
            self._on_batch(len(rows), sum(map(len, rows)))
        bounds = pairwise([0, *accumulate(counts)])
        return [[states[row] for row in range(start, stop)] for start, stop in bounds]


class BatchedStates:
    """``StateEngine`` that computes the last layer's states in batches of several requests.

    The states equal those of the wrapped engine, which does everything else. A request's thread sends a few
    rows at a time to the queue, and sends the next ones after it has read the first.

    Args:
        engine: computes the states.
        batcher: runs rows of token ids through that engine.
        together: number of tokens of a request that are sent at once.
    """

    def __init__(self, engine: StateEngine, batcher: Batcher[Row, list[Outputs]], together: int) -> None:
        self._engine = engine
        self._batcher = batcher
        self._together = together

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer``; only runs up to the last layer share batches.

        Args:
            groups: rows that the model can read at once, special tokens included, with their owners.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            One row at a time: its index, shape (1,), and its states, shape (1, t, hidden); one group after
            the other.

        Raises:
            CancelledError: the work of this thread was cancelled.
        """
        if layer != self._engine.layers:
            yield from self._engine.run_layer(groups, layer=layer)
            return
        for owner, rows in groups:
            for row, states in self._states(rows):
                yield owner, np.array([row]), states[np.newaxis]

    def _states(self, rows: Rows) -> Iterator[tuple[int, Outputs]]:
        """Yield the states of all rows, the longest first, while the model computes the next ones."""
        under_way: deque[tuple[list[int], Future[list[list[Outputs]]]]] = deque()
        runs, task = self._runs_of_rows(rows), current_task()
        try:
            while True:
                while len(under_way) < _AHEAD and (numbers := next(runs, None)):
                    sent = [rows[number] for number in numbers]
                    under_way.append((numbers, task.submit(self._batcher.submit, sent)))
                if not under_way:
                    return
                numbers, future = under_way.popleft()
                states = [row for part in future.result() for row in part]
                yield from zip(numbers, states, strict=True)
        finally:
            for _, future in under_way:
                future.cancel()

    def _runs_of_rows(self, rows: Rows) -> Iterator[list[int]]:
        """Divide rows into runs with similar numbers of tokens, sorted by length."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        order = np.argsort(-lengths, kind="stable")
        before = np.cumsum(lengths[order]) - lengths[order]
        cuts = np.flatnonzero(np.diff(before // self._together)) + 1
        return (run.tolist() for run in np.split(order, cuts) if len(run))
