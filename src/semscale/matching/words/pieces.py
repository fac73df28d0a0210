"""Word pieces with their vectors, each embedded as a text of its own."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding import Embedder
from semscale.embedding.engines.windows import encodable
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Pieces = Callable[[str], list[str]]
"""Splits a text into word pieces, without special tokens and without a limit."""


def pieces_of(tokenizer: "Tokenizer") -> Pieces:
    """Return a function that splits texts into word pieces, by a model's tokenizer.

    Args:
        tokenizer: without padding; its truncation is switched off.
    """
    tokenizer.no_truncation()

    def split(text: str) -> list[str]:
        tokens: list[str] = tokenizer.encode(encodable(text), add_special_tokens=False).tokens
        return tokens

    return split


def alphanumeric(pieces: Iterable[str]) -> list[str]:
    """Keep the pieces that are letters and digits only, which drops every continuation (``##ing``).

    Example:
        >>> alphanumeric(["card", "##iom", "-", "b12"])
        ['card', 'b12']
    """
    return [piece for piece in pieces if piece.isalnum()]


class PieceTable:
    """Vectors of word pieces without context; each piece is embedded once, when it is first met.

    Args:
        embedder: gives a piece its vector, as if it were a text.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, int] = {}
        self._vectors: Floats = np.empty((0, embedder.dimensions))

    def learn(self, pieces: Iterable[str]) -> None:
        """Embed the pieces that are new."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._rows]
        if not new:
            return
        self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
        vectors = self._embedder.embed(new).vectors.astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self._vectors = np.concatenate([self._vectors, vectors])

    def rows(self, pieces: list[str]) -> Integers:
        """Rows of ``vectors`` with known pieces, shape (number of pieces,)."""
        return np.fromiter((self._rows[piece] for piece in pieces), np.int64, len(pieces))

    @property
    def vectors(self) -> Floats:
        """Shape (pieces learned, d), rows of length 1 in double precision."""
        return self._vectors
