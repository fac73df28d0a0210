"""Word pieces with their vectors, each embedded as a text of its own."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding import Embedder
from semscale.json_reading import encodable
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Pieces = Callable[[str], list[str]]
"""Splits a text into word pieces, without special tokens and without a limit."""


_WORD_BEGIN = "▁"  # SentencePiece marks where a word begins, BERT where one goes on


def pieces_of(tokenizer: "Tokenizer") -> Pieces:
    """Return a function that splits texts into word pieces, by a model's tokenizer.

    All tokenizers' pieces are written as BERT's are: the first of a word as it is, and a continuation with
    ``##`` before it.

    Args:
        tokenizer: without padding; its truncation is switched off.
    """
    tokenizer.no_truncation()
    begins_words = any(token.startswith(_WORD_BEGIN) for token in tokenizer.encode("a word").tokens)

    def split(text: str) -> list[str]:
        tokens: list[str] = tokenizer.encode(encodable(text), add_special_tokens=False).tokens
        return [_as_bert(token) for token in tokens] if begins_words else tokens

    return split


def _as_bert(token: str) -> str:
    """Write a piece of SentencePiece as BERT's vocabulary would.

    Example:
        >>> [_as_bert(token) for token in ("▁card", "iology")]
        ['card', '##iology']
    """
    return token.removeprefix(_WORD_BEGIN) if token.startswith(_WORD_BEGIN) else f"##{token}"


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
