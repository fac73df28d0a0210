"""Embedders: the protocol, the embeddings that they return, and vectors that the user already has."""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from semscale.embedding.texts import checked_texts
from semscale.embedding.tokenizer import are_unread
from semscale.errors import InputError
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
        """Texts that the model cannot read, as most of their tokens are unknown to it, shape (n,)."""
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
    """Return the embedder of a scale's anchors: a more exact form of the model, if the embedder names one.

    An anchor's error is part of every rating, so an engine that rounds texts strongly may have a form for
    anchors in an attribute ``for_anchors``.
    """
    exact: Embedder = getattr(embedder, "for_anchors", embedder)
    return exact


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


class ArrayEmbedder:
    """Returns vectors that were computed elsewhere, scaled to length 1.

    Args:
        texts: n texts; one may occur several times if its vectors are equal.
        vectors: shape (n, d), any finite numbers, no row of zeros.
        name: the vectors' name in signatures, which also contain a hash of texts and vectors.

    Raises:
        InputError: shapes differ, a row is NaN, infinite or zero, or equal texts have different vectors.

    Example:
        >>> embedder = ArrayEmbedder(["good", "bad"], [[3.0, 4.0], [0.0, 2.0]], name="by-hand")
        >>> embedder.embed(["bad", "good"]).vectors.round(3).tolist()[0]
        [0.0, 1.0]
    """

    def __init__(self, texts: Sequence[str], vectors: npt.ArrayLike, *, name: str = "arrays") -> None:
        self._vectors = unit_rows(vectors)
        texts = checked_texts(texts)
        if len(self._vectors) != len(texts):
            raise InputError(
                f"vectors must have one row a text, got {len(self._vectors)} for {len(texts)} texts"
            )
        self._rows: dict[str, int] = {}
        for row, text in enumerate(texts):
            first = self._rows.setdefault(text, row)
            if first != row and not np.array_equal(self._vectors[first], self._vectors[row]):
                raise InputError(
                    f"texts[{row}] equals texts[{first}], but their vectors differ: {text[:40]!r}"
                )
        self._name = name
        self._hash = _hash(texts, self._vectors)

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return int(self._vectors.shape[1])

    @property
    def signature(self) -> Signature:
        """The vectors' name, and a hash of texts and vectors."""
        return Signature.of("embed", model=f"{self._name}#{self._hash}", engine="arrays")

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Look up the vectors of texts, in their order.

        Raises:
            InputError: a text has no vector.
        """
        rows = np.fromiter(
            (self._rows.get(text, -1) for text in checked_texts(texts)), dtype=np.int64, count=len(texts)
        )
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            first = int(unknown[0])
            raise InputError(
                f"texts[{first}] has no vector, nor have {len(unknown) - 1} more: {texts[first][:40]!r}; "
                f"give vectors for anchors and probes too, or another embedder"
            )
        if progress:
            progress("embedding", len(texts), len(texts))
        return Embeddings(self._vectors[rows], np.ones(len(texts), dtype=np.int64))


def unit_rows(vectors: npt.ArrayLike) -> Vectors:
    """Scale every row to Euclidean length 1, computed in float64.

    Args:
        vectors: shape (n, d) with d >= 1.

    Returns:
        Shape (n, d), float32.

    Raises:
        InputError: not a table of numbers, or a row is NaN, infinite or zero.

    Example:
        >>> unit_rows([[0.0, 0.0]])
        Traceback (most recent call last):
        ...
        semscale.errors.InputError: vectors[0] is zero, so it has no direction
    """
    try:
        table = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"vectors must be a table of numbers with rows of one width: {error}") from error
    if table.ndim != 2 or table.shape[1] == 0:  # noqa: PLR2004
        raise InputError(f"vectors must have the shape (texts, dimensions), got {table.shape}")
    largest = np.abs(table).max(axis=1, initial=0.0)
    for row in np.flatnonzero(~np.isfinite(largest) | (largest == 0))[:1]:
        what = (
            "is zero, so it has no direction" if largest[row] == 0 else "has a value that is NaN or infinite"
        )
        raise InputError(f"vectors[{row}] {what}")
    scaled = table / largest[:, None]  # so that squares neither overflow nor vanish
    unit: Vectors = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _hash(texts: Sequence[str], vectors: Vectors) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()[:8]


THREADS_VARIABLE = "SEMSCALE_THREADS"
"""Variable of the environment: how many processors a process uses at most."""

_WORTH_THREADS = 4_000_000  # numbers to copy; below that, starting threads costs more than it saves


def processors() -> int:
    """Count the processors that this process may use; a container or ``SEMSCALE_THREADS`` may limit them.

    Raises:
        InputError: ``SEMSCALE_THREADS`` is no whole number from 1.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    there = len(affinity(0)) if affinity else os.cpu_count() or 1
    chosen = os.environ.get(THREADS_VARIABLE)
    if not chosen:
        return there
    if not chosen.isdecimal() or int(chosen) < 1:
        raise InputError(f"{THREADS_VARIABLE} must be a whole number from 1, got {chosen!r:.40}")
    return min(there, int(chosen))


def take_rows(rows: npt.NDArray[np.float32], where: Integers) -> npt.NDArray[np.float32]:
    """Return ``rows[where]``; all processors fill a large result, as first use of new memory is slow.

    Args:
        rows: shape (m, d).
        where: shape (n,), 0 to m - 1.

    Returns:
        Shape (n, d).

    Example:
        >>> take_rows(np.array([[1, 2], [3, 4]], np.float32), np.array([1, 1, 0]))[:, 0].tolist()
        [3.0, 3.0, 1.0]
    """
    result = np.empty((len(where), rows.shape[1]), np.float32)
    if result.size < _WORTH_THREADS:
        return np.take(rows, where, axis=0, out=result, mode="clip")
    cuts = np.linspace(0, len(where), processors() + 1).astype(int)

    def fill(part: slice) -> None:
        np.take(rows, where[part], axis=0, out=result[part], mode="clip")

    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(fill, map(slice, cuts[:-1], cuts[1:])))
    return result
