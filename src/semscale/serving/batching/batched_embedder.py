"""An embedder for instruments that work in threads: its texts share batches with those of other requests."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import checked_texts, distinct
from semscale.serving.batching.batched_texts import joined_embeddings
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.errand import Delivery
from semscale.signature import Signature
from semscale.types import Progress


class BatchedEmbedder:
    """Embeds texts through a batcher; the vectors are those of the embedder behind it.

    Args:
        embedder: the one behind it.
        batcher: puts texts through that embedder.
    """

    def __init__(self, embedder: Embedder, batcher: Batcher[str, Embeddings]) -> None:
        self.embedder = embedder
        self._batcher = batcher

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors: its texts are few, so they share no batches."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else behind

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def signature(self) -> Signature:
        """That of the embedder behind it, as batches change no number."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once.

        Raises:
            AbandonedError: nobody waits for the work any more.
            RefusedRequestError: too many texts wait.
        """
        unique, where = distinct(checked_texts(texts))
        if not unique:
            width = self.dimensions
            return Embeddings(np.empty((0, width), np.float32), np.empty(0, np.int64))
        parts = Delivery(self._batcher, unique).wait()
        if progress:
            progress("embedding", len(unique), len(unique))
        return joined_embeddings(parts).spread(where)
