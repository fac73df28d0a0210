"""Clusters of points, and their stability when some points are left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals import mean_of_known
from semscale.types import Floats, Integers

_MOST_ROUNDS = 50


@dataclass(frozen=True)
class Clustering:
    """A partition of n points into k clusters.

    Attributes:
        labels: shape (n,), the cluster of each point, 0 to k - 1; every cluster has a point.
        centres: shape (k, d), means of the clusters' points.
        inertia: sum of squared distances from the centres.
    """

    labels: Integers
    centres: Floats
    inertia: float


def k_means(points: Floats, k: int, rng: np.random.Generator, *, starts: int = 3) -> Clustering:
    """Partition points into clusters with small squared distances from their means.

    Each start draws its first centres by k-means++ and moves them until no point changes its cluster, at most
    50 rounds; the start with the smallest sum of squares is returned.

    Args:
        points: shape (n, d).
        k: number of clusters, 1 to the number of distinct points.
        rng: random generator of the starts.
        starts: number of starts.

    Raises:
        InputError: more clusters than distinct points, or fewer than one.

    References:
        Lloyd (1982), doi 10.1109/TIT.1982.1056489; Arthur and Vassilvitskii (2007), k-means++.

    Examples:
        >>> clusters = k_means(np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0))
        >>> bool(clusters.labels[0] == clusters.labels[1] != clusters.labels[2])
        True
    """
    if not 1 <= k <= len(points):
        raise InputError("clusters", f"must be 1 to the {len(points)} points that there are, got {k}")
    tried = [_lloyd(points, _first_centres(points, k, rng)) for _ in range(starts)]
    return min(tried, key=lambda clustering: clustering.inertia)


def _first_centres(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Draw k points, each with a chance in proportion to its squared distance from those drawn before."""
    chosen = [int(rng.integers(len(points)))]
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k:
        total = nearest.sum()
        if not total > 0:
            raise InputError("clusters", f"must be at most the {len(chosen)} distinct points, got {k}")
        chosen.append(int(rng.choice(len(points), p=nearest / total)))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _lloyd(points: Floats, centres: Floats) -> Clustering:
    k, squares = len(centres), (points**2).sum(axis=1)
    labels: Integers = np.full(len(points), -1)
    for _ in range(_MOST_ROUNDS):
        distances = squares[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)
        new: Integers = distances.argmin(axis=1)
        new = _fill_empty(new, distances, k)
        if (new == labels).all():
            break
        labels = new
        members = np.zeros((k, len(points)))
        members[labels, np.arange(len(points))] = 1.0
        centres = members @ points / members.sum(axis=1)[:, None]
    inertia = float(((points - centres[labels]) ** 2).sum())
    return Clustering(labels, centres, inertia)


def _fill_empty(labels: Integers, distances: Floats, k: int) -> Integers:
    """Fill each empty cluster with the point farthest from its centre, of a cluster with several points."""
    labels = labels.copy()
    counts = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(counts == 0):
        removable = np.where(counts[labels] > 1, distances[np.arange(len(labels)), labels], -np.inf)
        moved = int(removable.argmax())
        counts[labels[moved]] -= 1
        counts[empty] += 1
        labels[moved] = empty
    return labels


STABLE = 0.75
"""Mean Jaccard similarity from which a cluster is stable, after Hennig."""

RESAMPLES = 20

_MOST_DRAWN = 1_000

_STARTS = 2

DIRECTIONS = 10
"""Number of principal directions of the answers' vectors used for clustering."""


@dataclass(frozen=True)
class StableClusters:
    """Clusters with the stability of each.

    Attributes:
        clustering: partition of all points.
        jaccard: shape (k,), mean over resamples of the greatest Jaccard similarity that the cluster has with
            any cluster of a half of the points, 0 to 1; halves without a point of the cluster do not count.
    """

    clustering: Clustering
    jaccard: Floats

    @property
    def n_stable(self) -> int:
        """Number of clusters with a Jaccard similarity of at least 0.75."""
        return int((self.jaccard >= STABLE).sum())


def stable_clusters(points: Floats, k: int, *, seed: int = 0) -> StableClusters:
    """Cluster points, and measure stability on 20 random halves of at most 1,000 points.

    Args:
        points: shape (n, d).
        k: clusters.
        seed: seed of starts and halves.

    Raises:
        InputError: as ``k_means``.

    References:
        Hennig (2007), Cluster-wise assessment of cluster stability, doi 10.1016/j.csda.2006.11.025, with
        halves instead of bootstrap samples as in section 3; the threshold is the one of ``fpc::clusterboot``.
    """
    rng = np.random.default_rng(seed)
    whole = k_means(points, k, rng)
    n_drawn = min(max(len(points) // 2, k), _MOST_DRAWN)
    similar = []
    for _ in range(RESAMPLES):
        drawn = rng.choice(len(points), n_drawn, replace=False)
        half = k_means(points[drawn], k, rng, starts=_STARTS)
        similar.append(best_jaccard(whole.labels[drawn], half.labels, k))
    return StableClusters(whole, np.nan_to_num(mean_of_known(similar, axis=0)))


def best_jaccard(first: Integers, second: Integers, k: int) -> Floats:
    """Greatest Jaccard similarity of each cluster of one partition with any of another, of the same points.

    Args:
        first: shape (n,), 0 to k - 1.
        second: shape (n,), likewise.
        k: clusters.

    Returns:
        Shape (k,), 0 to 1: points in both by points in either; NaN for a cluster without a point.

    Examples:
        >>> best_jaccard(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), 2).round(3).tolist()
        [0.667, 0.5]
    """
    both = np.bincount(first * k + second, minlength=k * k).reshape(k, k).astype(np.float64)
    either = both.sum(axis=1, keepdims=True) + both.sum(axis=0) - both
    similarity: Floats = np.divide(both, either, out=np.zeros_like(both), where=either > 0).max(axis=1)
    similarity[both.sum(axis=1) == 0] = np.nan
    return similarity


def most_stable(points: Floats, candidates: Sequence[int], *, seed: int = 0) -> StableClusters:
    """Choose the number of clusters with the most stable clusters, then with the greatest mean similarity.

    Args:
        points: shape (n, d).
        candidates: numbers of clusters to try.
        seed: seed of starts and halves.
    """
    tried = [stable_clusters(points, k, seed=seed) for k in candidates]
    return max(tried, key=lambda clusters: (clusters.n_stable, float(clusters.jaccard.mean())))


def principal_axes(vectors: Floats, most: int = DIRECTIONS) -> tuple[Floats, Floats]:
    """Find the directions in which vectors vary most.

    Args:
        vectors: shape (n, d).
        most: greatest number of directions.

    Returns:
        The mean of the vectors, shape (d,), and the directions, shape (d, min(most, n, d)), of length 1.
    """
    middle: Floats = vectors.mean(axis=0)
    centred = vectors - middle
    _, directions = np.linalg.eigh(centred.T @ centred)
    return middle, directions[:, ::-1][:, : min(most, len(vectors))]
