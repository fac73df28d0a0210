"""What turns texts into vectors, and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from semscale.embedding.parallel import take_rows
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors


@dataclass(frozen=True)
class Embeddings:
    """Vectors of texts, in the order of the texts.

    Attributes:
        vectors: shape (n, d), float32, every row of Euclidean length 1.
        windows: shape (n,), how many overlapping windows a text was read in; 1 where the model read it whole.
    """

    vectors: Vectors
    windows: Integers

    @property
    def n_windowed(self) -> int:
        """How many texts were longer than the model reads at once."""
        return int((self.windows > 1).sum())

    def spread(self, where: Integers) -> "Embeddings":
        """Give the embeddings of n texts from these, of the m distinct ones among them.

        Args:
            where: shape (n,), which of the distinct texts each one is, numbered by first appearance.
        """
        if len(where) == len(self.windows):  # all are distinct, so each is in its place already
            return self
        return Embeddings(take_rows(self.vectors, where), self.windows[where])


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors; an extension point (entry-point group ``semscale``)."""

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
