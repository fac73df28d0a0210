"""The protocol of an embedder, and the embeddings that it returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from semscale.embedding.parallel import take_rows
from semscale.embedding.tokens.unknown_tokens import are_unread
from semscale.signature import Signature
from semscale.types import Integers, Mask, Progress, Vectors

AUTO = "auto"
"""Device of the engine ``torch``: a GPU where there is one, else the processor."""


@dataclass(frozen=True)
class Embeddings:
    """Vectors of texts, in the order of the texts.

    Attributes:
        vectors: shape (n, d), float32, every row of Euclidean length 1.
        windows: shape (n,), overlapping windows that a text was read in; 1 if the model read it at once.
        unknown: shape (n,), share of a text's tokens that the model's tokenizer does not know, 0 to 1;
            NaN or ``None`` where the engine does not say.
        tokens: shape (n,), tokens that the model read of a text, special ones included and those of
            overlapping windows each time; ``None`` where the engine does not say.
    """

    vectors: Vectors
    windows: Integers
    unknown: Vectors | None = None
    tokens: Integers | None = None

    @property
    def n_windowed(self) -> int:
        """Number of texts that were too long for the model to read at once."""
        return int((self.windows > 1).sum())

    @property
    def unread(self) -> Mask:
        """Which texts the model cannot read, as most of their tokens are unknown to it, shape (n,)."""
        return np.zeros(len(self.windows), np.bool_) if self.unknown is None else are_unread(self.unknown)

    def spread(self, where: Integers) -> "Embeddings":
        """Repeat the embeddings of m distinct texts for n texts.

        Args:
            where: shape (n,), the number of each text among the distinct ones, in order of first appearance.
        """
        if len(where) == len(self.windows):  # all texts are distinct, so the order is the same
            return self
        unknown = None if self.unknown is None else self.unknown[where]
        tokens = None if self.tokens is None else self.tokens[where]
        return Embeddings(take_rows(self.vectors, where), self.windows[where], unknown, tokens)


def anchor_embedder(embedder: "Embedder") -> "Embedder":
    """Give the embedder of a scale's anchors: a more exact form of the same model, if the embedder names one.

    An anchor's error is part of every rating, so an engine that rounds texts strongly may have a form for
    anchors in an attribute ``for_anchors``.
    """
    found: Embedder = getattr(embedder, "for_anchors", embedder)
    return found


@runtime_checkable
class Embedder(Protocol):
    """An embedder: turns texts into unit vectors; an extension point (entry-point group ``semscale``)."""

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, weights' hash, engine, precision and window settings."""
        ...

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed non-empty texts, in their order; equal texts are computed once.

        Raises:
            InputError: a text is not a string.
            ModelError: the model cannot be run.
            ReplyError: a remote endpoint gave no usable reply.
        """
        ...
