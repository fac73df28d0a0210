"""An embedder whose texts are embedded by actors, each of which owns the texts that their hash gives it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semscale.distributed.ray_results import result_of
from semscale.distributed.text_repeats import text_hashes
from semscale.embedding.embedder import Embedder, Embeddings
from semscale.embedding.texts import checked_texts, distinct
from semscale.signature import Signature
from semscale.types import Integers, Progress

AT_ONCE = 1024
"""Texts of a call: enough for batches of equal length, so few that all who ask are served in turn."""


@dataclass(frozen=True)
class SharedEmbedder:
    """Asks the owners of texts for their vectors; no model is loaded where it is used.

    Attributes:
        owners: handles of ``TextOwner`` actors, in the same order everywhere.
        dimensions: width of a vector.
        signature: the model's, as it does not matter who computes.
        anchors_signature: of the form of the model that embeds anchors; ``None`` where it has no other one.
        embeds_anchors: whether owners embed in that form.
        attempts: what bounds the attempts of owners; Ray ends an actor to which nobody holds a handle.
    """

    owners: tuple[Any, ...]
    dimensions: int
    signature: Signature
    anchors_signature: Signature | None = None
    embeds_anchors: bool = False
    attempts: Any = None

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors."""
        if self.anchors_signature is None:
            return self
        return replace(self, signature=self.anchors_signature, anchors_signature=None, embeds_anchors=True)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:  # noqa: ARG002
        """Embed texts in their order; equal texts are sent once.

        Raises:
            InputError: a text is not a string.
            ModelError: the model cannot be had or run.
            ClusterError: the process of an owner ended again and again, or its node has other weights.
        """
        unique, where = distinct(checked_texts(texts))
        found = empty_embeddings(len(unique), self.dimensions)
        asked = [
            (rows, self.owners[owner].embed.remote([unique[row] for row in rows], self.embeds_anchors))
            for owner, rows in pieces(text_hashes(unique), len(self.owners))
        ]
        for rows, reference in asked:
            put_rows(found, rows, result_of(reference))
        return found.spread(where)


def pieces(hashes: Integers, n_owners: int, at_once: int = AT_ONCE) -> Iterator[tuple[int, Integers]]:
    """Cut texts into calls: a first one to every owner, then a second one to each that has more.

    Args:
        hashes: shape (n,), of the texts.
        n_owners: number of owners.
        at_once: texts of a call, at most.

    Yields:
        The owner's number, and the rows of its texts.

    Example:
        >>> hashes = np.array([4, 6, 8, 5])
        >>> [(owner, rows.tolist()) for owner, rows in pieces(hashes, 2, at_once=2)]
        [(0, [0, 1]), (1, [3]), (0, [2])]
    """
    owners = hashes % n_owners
    own = [np.flatnonzero(owners == owner) for owner in range(n_owners)]
    for start in range(0, max(map(len, own), default=0), at_once):
        for owner, rows in enumerate(own):
            if len(rows) > start:
                yield owner, rows[start : start + at_once]


def empty_embeddings(n: int, dimensions: int) -> Embeddings:
    """Make room for the embeddings of n texts."""
    return Embeddings(
        np.empty((n, dimensions), np.float32), np.zeros(n, np.int64), np.full(n, np.nan, np.float32)
    )


def put_rows(found: Embeddings, rows: Integers, some: Embeddings) -> None:
    """Put some embeddings into the rows of others."""
    found.vectors[rows], found.windows[rows] = some.vectors, some.windows
    if found.unknown is not None and some.unknown is not None:
        found.unknown[rows] = some.unknown
