"""Embedding of texts in chunks, for every engine of checkpoints: tokenized, cut into windows, and joined."""

from collections.abc import Callable, Sequence

import numpy as np

from semscale.embedding.embedder import Embeddings
from semscale.embedding.engines.windows import Windows, WindowTokenizer, pool_windows
from semscale.embedding.texts import checked_texts, distinct
from semscale.types import Progress, Vectors

CHUNK = 8192  # texts that are tokenized and sorted together


def embed_chunks(
    texts: Sequence[str],
    tokenizer: WindowTokenizer,
    window_vectors: Callable[[Windows], Vectors],
    *,
    dimensions: int,
    progress: Progress | None = None,
) -> Embeddings:
    """Embed texts in their order; equal texts are computed once, long ones in windows.

    Args:
        texts: shape (n,).
        tokenizer: splits texts into windows.
        window_vectors: gives the unit vectors of windows, shape (w, dimensions).
        dimensions: width of a vector.
        progress: called after every chunk.

    Raises:
        InputError: a text is not a string.
    """
    unique, where = distinct(checked_texts(texts))
    vectors = np.empty((len(unique), dimensions), np.float32)
    windows = np.ones(len(unique), np.int64)
    unknown = np.empty(len(unique), np.float32)
    tokens = np.empty(len(unique), np.int64)
    for start in range(0, len(unique), CHUNK):
        rows = slice(start, min(start + CHUNK, len(unique)))
        n = rows.stop - rows.start
        split = tokenizer.split(unique[rows])
        vectors[rows] = pool_windows(window_vectors(split), split, n)
        windows[rows] = split.per_text(n)
        unknown[rows] = split.unknown_shares(tokenizer.unknown, n)
        tokens[rows] = split.tokens_per_text(n)
        if progress:
            progress("embedding", rows.stop, len(unique))
    return Embeddings(vectors, windows, unknown, tokens).spread(where)
