"""Vectors that ship with Semscale: of the sentences that the built-in scales need, for their default model.

``release/shipped_vectors.py`` writes the file (docs/decisions/070-shipped-vectors.md).
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from semscale.embedding.embedder import Embeddings
from semscale.types import Mask

SHIPPED_FILE = "shipped_vectors.npy"

ShippedTable = npt.NDArray[np.void]
"""Rows of texts, ascending by ``key``, with ``tokens`` and ``vector``."""


def shipped_table(model: str, texts: Sequence[str], embeddings: Embeddings) -> ShippedTable:
    """Return the content of the file.

    Args:
        model: as in ``find_shipped``.
        texts: n distinct texts that the model reads in one window, without unknown tokens.
        embeddings: their embeddings, with numbers of tokens.
    """
    layout = [("key", "<u8"), ("tokens", "<u2"), ("vector", "<f4", (embeddings.vectors.shape[1],))]
    table = np.empty(len(texts), layout)
    table["key"] = _keys(model, texts)
    table["tokens"], table["vector"] = embeddings.tokens, embeddings.vectors
    return np.sort(table, order="key")


def find_shipped(model: str, texts: Sequence[str]) -> tuple[Mask, ShippedTable]:
    """Look up texts in the shipped file.

    Args:
        model: hash of the weights, and the settings that vectors depend on.
        texts: n texts.

    Returns:
        The mask of texts with a shipped vector, shape (n,), and their rows of the file, in their order.
    """
    table, row_of_key = _shipped()
    rows = np.array([row_of_key.get(key, -1) for key in _keys(model, texts)], np.int64)
    is_shipped = rows >= 0
    return is_shipped, table[rows[is_shipped]]


def _keys(model: str, texts: Iterable[str]) -> list[int]:
    """Return the first 64 bits of the SHA-256 of the model with each text."""
    start = hashlib.sha256(model.encode() + b"\0")
    keys = []
    for text in texts:
        digest = start.copy()
        digest.update(text.encode())
        keys.append(int.from_bytes(digest.digest()[:8], "little"))
    return keys


@cache
def _shipped() -> tuple[ShippedTable, dict[int, int]]:
    """Return the shipped table, and the row of each key."""
    with (resources.files("semscale.embedding") / SHIPPED_FILE).open("rb") as file:
        table: ShippedTable = np.load(file)
    return table, {key: row for row, key in enumerate(table["key"].tolist())}
