"""Texts in batches: how a batcher puts them through an embedder, and how vectors of a request are joined."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.types import Integers, Vectors

Heard = Callable[[int, int | None], None]
"""Told of each batch: the number of its texts, and of its tokens (``None`` if not known)."""

_BYTES_PER_TOKEN, _AROUND = 4, 2


def estimated_tokens(text: str) -> int:
    """Estimate a text's tokens by its length in UTF-8; batches need no exact number.

    Example:
        >>> estimated_tokens("good"), estimated_tokens("")
        (3, 2)
    """
    return _AROUND + len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN


class BatchedTexts:
    """Puts texts through an embedder; the vector of a text does not depend on its batch.

    Args:
        embedder: the model; its ``embed`` is called from several threads at once.
        heard: called after each batch.
    """

    def __init__(self, embedder: Embedder, heard: Heard | None = None) -> None:
        self._embedder = embedder
        self._heard = heard

    def size(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return estimated_tokens(text)

    def run(self, texts: Sequence[str], counts: Sequence[int]) -> list[Embeddings]:
        """Embed the texts of several requests, ``counts`` of each."""
        found = self._embedder.embed(texts)
        if self._heard:
            self._heard(len(texts), None if found.tokens is None else int(found.tokens.sum()))
        return [_cut(found, *bounds) for bounds in pairwise([0, *accumulate(counts)])]


def joined_embeddings(parts: Sequence[Embeddings]) -> Embeddings:
    """Join the vectors of a request, whose texts were in several batches."""
    if len(parts) == 1:
        return parts[0]
    return Embeddings(
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.windows for part in parts]),
        _joined([part.unknown for part in parts]),
        _joined([part.tokens for part in parts]),
    )


def _joined(parts: Sequence[Vectors | Integers | None]) -> "np.ndarray | None":
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _cut(found: Embeddings, start: int, stop: int) -> Embeddings:
    """Give the embeddings of some texts of a batch, as arrays of their own."""
    return Embeddings(
        found.vectors[start:stop].copy(),
        found.windows[start:stop].copy(),
        None if found.unknown is None else found.unknown[start:stop].copy(),
        None if found.tokens is None else found.tokens[start:stop].copy(),
    )
