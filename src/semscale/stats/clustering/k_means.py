"""Clusters by k-means, with k-means++ starts."""

from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
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
    """Part points so that the squared distances from the clusters' means are small.

    Each start draws its first centres by k-means++ and moves them until no point changes its cluster, at most
    50 rounds; the start with the smallest sum of squares counts.

    Args:
        points: shape (n, d).
        k: clusters, 1 to the number of distinct points.
        rng: source of the starts.
        starts: how many are tried.

    Raises:
        InputError: more clusters than distinct points, or fewer than one.

    References:
        Lloyd (1982), doi 10.1109/TIT.1982.1056489; Arthur and Vassilvitskii (2007), k-means++.

    Example:
        >>> found = k_means(np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0))
        >>> bool(found.labels[0] == found.labels[1] != found.labels[2])
        True
    """
    if not 1 <= k <= len(points):
        raise InputError(f"clusters must be 1 to the {len(points)} points that there are, got {k}")
    tried = [_lloyd(points, _first_centres(points, k, rng)) for _ in range(starts)]
    return min(tried, key=lambda one: one.inertia)


def _first_centres(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Draw k points, each with a chance in proportion to its squared distance from those drawn before."""
    chosen = [int(rng.integers(len(points)))]
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k:
        total = nearest.sum()
        if not total > 0:
            raise InputError(f"clusters must be at most the {len(chosen)} distinct points, got {k}")
        chosen.append(int(rng.choice(len(points), p=nearest / total)))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _lloyd(points: Floats, centres: Floats) -> Clustering:
    k, squares = len(centres), (points**2).sum(axis=1)
    labels: Integers = np.full(len(points), -1)
    for _ in range(_MOST_ROUNDS):
        distances = squares[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)
        new: Integers = distances.argmin(axis=1)
        new = _filled(new, distances, k)
        if (new == labels).all():
            break
        labels = new
        members = np.zeros((k, len(points)))
        members[labels, np.arange(len(points))] = 1.0
        centres = members @ points / members.sum(axis=1)[:, None]
    inertia = float(((points - centres[labels]) ** 2).sum())
    return Clustering(labels, centres, inertia)


def _filled(labels: Integers, distances: Floats, k: int) -> Integers:
    """Give each empty cluster the point farthest from its centre, of a cluster with several points."""
    labels = labels.copy()
    counts = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(counts == 0):
        own = np.where(counts[labels] > 1, distances[np.arange(len(labels)), labels], -np.inf)
        moved = int(own.argmax())
        counts[labels[moved]] -= 1
        counts[empty] += 1
        labels[moved] = empty
    return labels
