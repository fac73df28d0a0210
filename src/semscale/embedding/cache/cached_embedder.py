"""An embedder with a cache: vectors that were computed before are read from disk."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.cache.embedding_cache import EmbeddingCache
from semscale.embedding.cache.entries import cache_keys
from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.part_progress import shifted
from semscale.embedding.texts import checked_texts, distinct
from semscale.signature import Signature
from semscale.types import Progress

KEPT_EMBEDDINGS = "finished embeddings stay in the cache"
"""What a run that is stopped says of them."""

CHUNK = 2048  # texts that are computed and stored together; a stopped run loses at most as many


class CachedEmbedder:
    """Reads embeddings from a cache; computes missing ones and stores each finished chunk at once.

    Args:
        embedder: computes missing embeddings; its signature is part of every key.
        cache: stores the embeddings.
        chunk: how many texts are computed between two writes.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, *, chunk: int = CHUNK) -> None:
        self.embedder = embedder
        self.cache = cache
        self._chunk = chunk

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def signature(self) -> Signature:
        """The signature of the embedder behind the cache, as a cache changes no number."""
        return self.embedder.signature

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors, with the same cache."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else CachedEmbedder(behind, self.cache, chunk=self._chunk)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are looked up and computed once."""
        unique, where = distinct(checked_texts(texts))
        keys = cache_keys(str(self.signature), unique)
        cached = self.cache.get_many(keys, self.dimensions)
        missing = np.flatnonzero(~cached.found)
        vectors, windows, unknown = cached.vectors, cached.windows, cached.unknown
        if progress:
            progress("embedding", len(unique) - len(missing), len(unique))
        for start in range(0, len(missing), self._chunk):
            rows = missing[start : start + self._chunk]
            done = len(unique) - len(missing) + start
            fresh = self.embedder.embed(
                [unique[row] for row in rows], progress=shifted(progress, done, len(unique))
            )
            self.cache.put_many([keys[row] for row in rows], fresh)
            vectors[rows], windows[rows] = fresh.vectors, fresh.windows
            unknown[rows] = np.nan if fresh.unknown is None else fresh.unknown
        return Embeddings(vectors, windows, unknown).spread(where)
