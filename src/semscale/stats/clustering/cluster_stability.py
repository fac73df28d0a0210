"""Whether clusters come back when half of the points are left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.stats.clustering.k_means import Clustering, k_means
from semscale.types import Floats, Integers

STABLE = 0.75
"""Mean Jaccard similarity from which Hennig calls a cluster stable."""

RESAMPLES = 20
_MOST_DRAWN = 1_000
_STARTS = 2

DIRECTIONS = 10
"""Main directions of the answers' vectors that clusters are looked for in."""


@dataclass(frozen=True)
class StableClusters:
    """Clusters with how well each comes back.

    Attributes:
        clustering: of all points.
        jaccard: shape (k,), mean over resamples of the greatest Jaccard similarity that the cluster has with
            any cluster of a half of the points, 0 to 1; halves without a point of the cluster do not count.
    """

    clustering: Clustering
    jaccard: Floats

    @property
    def n_stable(self) -> int:
        """Clusters with a Jaccard similarity of at least 0.75."""
        return int((self.jaccard >= STABLE).sum())


def stable_clusters(points: Floats, k: int, *, seed: int = 0, resamples: int = RESAMPLES) -> StableClusters:
    """Cluster points, and cluster halves of them anew to see which clusters come back.

    Args:
        points: shape (n, d).
        k: clusters.
        seed: of starts and halves.
        resamples: halves that are drawn; each has at most 1,000 points.

    Raises:
        InputError: as ``k_means``.

    References:
        Hennig (2007), Cluster-wise assessment of cluster stability, doi 10.1016/j.csda.2006.11.025, with
        halves for bootstrap samples as in his section 3; the bound is that of his ``fpc::clusterboot``.
    """
    rng = np.random.default_rng(seed)
    whole = k_means(points, k, rng)
    n_drawn = min(max(len(points) // 2, k), _MOST_DRAWN)
    similar = []
    for _ in range(resamples):
        drawn = rng.choice(len(points), n_drawn, replace=False)
        half = k_means(points[drawn], k, rng, starts=_STARTS)
        similar.append(best_jaccard(whole.labels[drawn], half.labels, k))
    found = np.array(similar)
    there = ~np.isnan(found)
    means: Floats = np.where(there, found, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return StableClusters(whole, means)


def best_jaccard(first: Integers, second: Integers, k: int) -> Floats:
    """Greatest Jaccard similarity of each cluster of one partition with any of another, of the same points.

    Args:
        first: shape (n,), 0 to k - 1.
        second: shape (n,), likewise.
        k: clusters.

    Returns:
        Shape (k,), 0 to 1: points in both by points in either; NaN for a cluster without a point.

    Example:
        >>> best_jaccard(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), 2).round(3).tolist()
        [0.667, 0.5]
    """
    both = np.bincount(first * k + second, minlength=k * k).reshape(k, k).astype(np.float64)
    either = both.sum(axis=1, keepdims=True) + both.sum(axis=0) - both
    found: Floats = np.divide(both, either, out=np.zeros_like(both), where=either > 0).max(axis=1)
    found[both.sum(axis=1) == 0] = np.nan
    return found


def most_stable(points: Floats, candidates: Sequence[int], *, seed: int = 0) -> StableClusters:
    """Choose the number of clusters: the most stable clusters, then the greatest mean similarity.

    Args:
        points: shape (n, d).
        candidates: numbers that are tried.
        seed: as ``stable_clusters`` takes it.
    """
    tried = [stable_clusters(points, k, seed=seed) for k in candidates]
    return max(tried, key=lambda found: (found.n_stable, float(found.jaccard.mean())))


def main_axes(vectors: Floats, most: int = DIRECTIONS) -> tuple[Floats, Floats]:
    """Find the directions in which vectors vary most; distances along them mean more and cost less.

    Args:
        vectors: shape (n, d).
        most: directions that are kept, at most n and d.

    Returns:
        The mean of the vectors, shape (d,), and the directions, shape (d, min(most, n, d)), of length 1.
    """
    middle: Floats = vectors.mean(axis=0)
    centred = vectors - middle
    _, directions = np.linalg.eigh(centred.T @ centred)
    return middle, directions[:, ::-1][:, : min(most, len(vectors))]
