"""Rates free text by its similarity with anchors, with one embedder for all scales of a study."""

import hashlib
from typing import TYPE_CHECKING

from semscale.rating.rater import Rater
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.types import Floats, Progress, Statuses

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

Rated = tuple[Statuses, Floats, Floats]
"""Statuses and masses of n texts."""


class SimilarityRating:
    """Rates texts on scales.

    Args:
        embedder: a model's name or an embedder; the default model of ratings unless given.
    """

    def __init__(self, embedder: "str | Embedder | None" = None) -> None:
        self._embedder = embedder
        self._applied: list[Signature] = []

    def rate(self, scale: Scale, texts: list[str], progress: Progress | None = None) -> Rated:
        """Rate n texts on a scale; each is in the language that it seems to be in.

        Returns:
            Statuses, shape (n,), masses of the k points, shape (n, k), and means under each of s anchor sets,
            shape (n, s); NaN where there is no rating.
        """
        rater = Rater(scale, embedder=self._embedder)
        self._embedder = rater.embedder
        self._applied.append(rater.signature)
        ratings = rater.rate(texts, progress=progress)
        return ratings.status, ratings.pmf, ratings.set_means

    @property
    def settings(self) -> dict[str, object]:
        """What a signature says: a hash of all raters' settings, and the embedder; empty before rating."""
        if not self._applied or self._embedder is None or isinstance(self._embedder, str):
            return {}
        said = "\n".join(sorted(str(signature) for signature in set(self._applied)))
        embedder = {f"ssr_{name}": value for name, value in self._embedder.signature.fields}
        return {"ssr": hashlib.sha256(said.encode()).hexdigest()[:8], **embedder}
