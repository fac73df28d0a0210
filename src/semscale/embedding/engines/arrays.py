"""Embeddings that the user already has, looked up by text."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semscale.embedding.embedder import Embeddings
from semscale.embedding.texts import checked_texts
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Progress, Vectors


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
        if len(self._vectors) != len(checked_texts(texts)):
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
