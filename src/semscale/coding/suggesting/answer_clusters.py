"""Clusters of answers, and the cluster that any answer is in."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.rating.cells import text_status
from semscale.stats.clustering.cluster_stability import (
    StableClusters,
    main_axes,
    most_stable,
    stable_clusters,
)
from semscale.types import Floats, Integers, Progress, Status

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class AnswerClusters:
    """k clusters of m different answers, in the main directions of their vectors.

    Attributes:
        texts: the answers.
        labels: shape (m,), their clusters, 0 to k - 1.
        nearness: shape (m,), cosine of each answer with the mean of its cluster.
        jaccard: shape (k,), how well each cluster comes back.
        middle: shape (d,), mean of the vectors.
        axes: shape (d, q), the main directions.
        centres: shape (k, q), means of the clusters in these directions.
        means: shape (k, d), means of the clusters' vectors, of length 1.
    """

    texts: tuple[str, ...]
    labels: Integers
    nearness: Floats
    jaccard: Floats
    middle: Floats
    axes: Floats
    centres: Floats
    means: Floats

    def of(
        self, cells: Sequence[Any], embedder: "Embedder", *, progress: Progress | None = None
    ) -> tuple[Integers, Floats]:
        """Find the clusters of answers: their own, or of those that were not clustered the nearest.

        Args:
            cells: n answers, of which some may be missing or no text.
            embedder: that the clusters were made with.
            progress: called while texts are embedded.

        Returns:
            Cluster (n,) of each answer, -1 where it cannot be read, and its nearness (n,), NaN likewise.
        """
        places, near = np.full(len(cells), -1), np.full(len(cells), np.nan)
        status = np.array([text_status(cell) for cell in cells], dtype=object)
        readable = np.flatnonzero(status == Status.SCORED)
        texts, where = distinct([str(cells[row]) for row in readable.tolist()])
        own = np.array([self._places.get(text, -1) for text in texts], dtype=np.int64)
        labels, nearness = self.labels[own], self.nearness[own]
        new = np.flatnonzero(own < 0)
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            vectors = embedder.embed([texts[place] for place in some.tolist()], progress=progress).vectors
            labels[some], nearness[some] = self._nearest(vectors.astype(np.float64))
        places[readable], near[readable] = labels[where], nearness[where]
        return places, near

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self.texts)}

    def _nearest(self, vectors: Floats) -> tuple[Integers, Floats]:
        points = (vectors - self.middle) @ self.axes
        distances = (self.centres**2).sum(axis=1) - 2 * points @ self.centres.T
        labels: Integers = distances.argmin(axis=1)
        return labels, (vectors * self.means[labels]).sum(axis=1)


def cluster_answers(
    texts: Sequence[str], vectors: Floats, *, codes: int | None, most: int, seed: int
) -> AnswerClusters:
    """Cluster different answers: so many clusters, or else as many as are most stable.

    Args:
        texts: m answers, all different.
        vectors: shape (m, d), of length 1.
        codes: how many clusters; 2 to ``most`` are tried unless given.
        most: most clusters that are tried.
        seed: of everything that is random.

    Raises:
        InputError: a number of clusters out of range.
    """
    middle, axes = main_axes(vectors)
    found = _clusters((vectors - middle) @ axes, codes, most, seed)
    labels, k = found.clustering.labels, len(found.jaccard)
    means = np.stack([vectors[labels == one].mean(axis=0) for one in range(k)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return AnswerClusters(
        tuple(texts),
        labels,
        (vectors * means[labels]).sum(axis=1),
        found.jaccard,
        middle,
        axes,
        found.clustering.centres,
        means,
    )


def _clusters(points: Floats, codes: int | None, most: int, seed: int) -> StableClusters:
    """Find so many clusters, or else as many as are most stable."""
    largest = len(points) // 2
    name, given = ("most", most) if codes is None else ("codes", codes)
    if given < 2 or (codes is not None and codes > largest):  # noqa: PLR2004 - a codebook has at least two
        raise InputError(f"{name} must be 2 to {largest}, half of the different answers, got {given}")
    if codes is not None:
        return stable_clusters(points, codes, seed=seed)
    return most_stable(points, range(2, min(most, largest) + 1), seed=seed)
