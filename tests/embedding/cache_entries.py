"""Made-up embeddings and their keys, for tests of the cache."""

import numpy as np

from semscale.embedding.cache import cache_keys
from semscale.embedding.embedder import Embeddings


def embeddings(n: int, *, width: int = 4, start: float = 0) -> Embeddings:
    vectors = start + np.arange(n * width, dtype=np.float32).reshape(n, width)
    return Embeddings(vectors, np.arange(1, n + 1))


def keys(*texts: str) -> list[bytes]:
    return cache_keys("signature", texts)
