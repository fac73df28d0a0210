"""A scale's anchors as vectors, with the off-topic floor that belongs to them."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from semscale.embedding.embedder import anchor_embedder
from semscale.scales import Scale
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


class AnchorVectors:
    """Vectors and floor of a scale's anchors, made when they are first needed.

    Args:
        scale: s anchor sets of k sentences each.
        embedder: gives the embedder.
        floor: a cosine, ``None`` for no floor, or ``auto`` to estimate it.
    """

    def __init__(
        self, scale: Scale, embedder: "Callable[[], Embedder]", floor: Literal["auto"] | float | None
    ) -> None:
        self.scale = scale
        self._embedder = embedder
        self._floor = floor

    @cached_property
    def vectors(self) -> Floats:
        """Vectors of the anchors, shape (s, k, d)."""
        sentences = [sentence for anchors in self.scale.anchor_sets.values() for sentence in anchors]
        vectors = anchor_embedder(self._embedder()).embed(sentences).vectors.astype(np.float64)
        return vectors.reshape(len(self.scale.anchor_sets), self.scale.n_points, -1)

    @cached_property
    def floor(self) -> float | None:
        """Cosine below which a text is off topic."""
        if not isinstance(self._floor, str):
            return self._floor
        from semscale.rating.anchors.floor import off_topic_floor

        return float(off_topic_floor(self.scale, self._embedder()))
