"""A codebook of three codes, and an embedder that sees nothing but their key words."""

import numpy as np
import pytest

from semscale.coding.codebook import Code, Codebook
from semscale.embedding.embedder import Embeddings
from semscale.signature import Signature

TOPICS = ("battery", "price", "screen", "bright")


class KeywordEmbedder:
    """Embeds a text by its key words; one axis, which all texts share, stands for everything else."""

    dimensions = len(TOPICS) + 1
    signature = Signature.of("embed", model="key-words")

    def __init__(self):
        self.embedded = []

    def embed(self, texts, *, progress=None):
        self.embedded += texts
        rows = [[*(text.lower().count(word) for word in TOPICS), 0.5] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        unknown = np.array([float("gibberish" in text) for text in texts], dtype=np.float32)
        return Embeddings(vectors, np.ones(len(texts), dtype=np.int64), unknown)


@pytest.fixture
def keyword_embedder():
    return KeywordEmbedder()


@pytest.fixture(scope="session")
def book():
    return Codebook(
        "phones",
        (
            Code("power", "how long the battery lasts", ("the battery died", "a strong battery")),
            Code("cost", "what it costs: its price", ("the price is high", "a fair price")),
            Code("display", "the screen", ("a good screen", "the screen broke")),
        ),
    )
