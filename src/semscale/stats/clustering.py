"""Clusters of directions, and whether they come back when some points are left out."""

from dataclasses import dataclass

import numpy as np

from semscale.types import Floats, Integers, Mask

STABLE = 0.75
"""Mean Jaccard similarity from which a cluster is stable, after Hennig."""

DIRECTIONS = 40
"""Number of principal directions of vectors that are used for clustering."""

HALVES = 20
"""Number of random halves of the points whose clusters are compared."""

_MOST_ROUNDS = 25
_MOST_DRAWN = 3_000
_FEWEST_PER_CLUSTER = 8
_RECURS = 0.75


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


def spherical_k_means(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Find k directions with large projections of the points on the nearest of them.

    A direction is that of the sum of its points, so long points count more. The first directions are drawn
    as by k-means++, with a chance in proportion to the point's length and to 1 minus its greatest cosine with
    those drawn before.

    Args:
        points: shape (n, d).
        k: number of directions.
        rng: random generator of the start.

    Returns:
        Directions of length 1, shape (k, d); fewer if there are fewer distinct directions.

    References:
        Dhillon and Modha (2001), Concept decompositions for large sparse text data, doi
        10.1023/A:1007612920971.

    Examples:
        >>> points = np.array([[1.0, 0.1], [1.0, -0.1], [0.0, 2.0]])
        >>> sorted(spherical_k_means(points, 2, np.random.default_rng(0)).round(3).tolist())
        [[0.0, 1.0], [1.0, 0.0]]
    """
    directions = _first_directions(points, k, rng)
    labels: Integers = np.full(len(points), -1)
    for _ in range(_MOST_ROUNDS):
        new: Integers = (points @ directions.T).argmax(axis=1)
        if (new == labels).all():
            break
        labels = new
        members = np.zeros((len(directions), len(points)))
        members[labels, np.arange(len(points))] = 1.0
        sums = members @ points
        directions = np.where(sums.any(axis=1, keepdims=True), of_length_1(sums), directions)
    return directions


def _first_directions(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    lengths = np.linalg.norm(points, axis=1)
    units = of_length_1(points)
    distance = np.ones(len(points))
    chosen: list[int] = []
    while len(chosen) < k:
        chances = np.where(distance > _SAME, distance, 0.0) * lengths
        total = chances.sum()
        if not total > 0:
            break
        chosen.append(int(rng.choice(len(points), p=chances / total)))
        distance = np.minimum(distance, 1 - units @ units[chosen[-1]])
    return units[chosen]


_SAME = 1e-9  # 1 minus the cosine of two directions that are the same


def of_length_1(vectors: Floats) -> Floats:
    """Divide vectors by their lengths; a vector of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = vectors / np.where(lengths > 0, lengths, 1.0)
    return scaled


@dataclass(frozen=True, eq=False)
class RecurringDirections:
    """Directions of the clusters of many random halves of the points, and a tree that joins like ones.

    Attributes:
        directions: shape (c, d), of length 1.
        half: shape (c,), the half that each comes from, 0 to ``n_halves`` - 1.
        n_halves: number of halves.
        tree: average linkage of the directions by cosine.
    """

    directions: Floats
    half: Integers
    n_halves: int
    tree: Floats

    def groups(self, cosine: float) -> tuple[Floats, Floats]:
        """Join directions whose mean cosine is at least a bound.

        Args:
            cosine: the bound; a higher one gives more groups.

        Returns:
            Mean direction of each group, shape (g, d), of length 1, and the share of the halves with a
            direction in it, shape (g,).
        """
        from scipy.cluster.hierarchy import fcluster

        labels = fcluster(self.tree, 1 - cosine, criterion="distance") - 1
        g = int(labels.max()) + 1
        members = np.zeros((g, len(labels)))
        members[labels, np.arange(len(labels))] = 1.0
        is_there = np.zeros((g, self.n_halves), dtype=bool)
        is_there[labels, self.half] = True
        return of_length_1(members @ self.directions), is_there.mean(axis=1)

    def recurring(self, cosine: float) -> Floats:
        """Return the mean directions of the groups that occur in at least three of four halves."""
        directions, shares = self.groups(cosine)
        return directions[shares >= _RECURS]


def recurring_directions(
    points: Floats, k: int, rng: np.random.Generator, *, halves: int = HALVES
) -> RecurringDirections:
    """Cluster random halves of the points, of at most 3,000 points each.

    Args:
        points: shape (n, d).
        k: most clusters of a half; fewer, at least 4, where a cluster would have fewer than 8 points.
        rng: random generator of halves and starts.
        halves: number of halves.

    References:
        Fred and Jain (2005), Combining multiple clusterings using evidence accumulation, doi
        10.1109/TPAMI.2005.113, of which this takes the idea: what many clusterings join belongs together.
    """
    from scipy.cluster.hierarchy import linkage

    n = min(max(len(points) // 2, 1), _MOST_DRAWN)
    k = min(k, max(4, n // _FEWEST_PER_CLUSTER))
    tried = [
        spherical_k_means(points[np.sort(rng.choice(len(points), n, replace=False))], k, rng)
        for _ in range(halves)
    ]
    directions = np.concatenate(tried)
    half = np.repeat(np.arange(halves), [len(some) for some in tried])
    return RecurringDirections(directions, half, halves, linkage(directions, "average", metric="cosine"))


def best_jaccard(first: Mask, second: Mask) -> Floats:
    """Greatest Jaccard similarity of each set of points with any of some other sets.

    Args:
        first: shape (n, k), the points of each set.
        second: shape (n, l), likewise.

    Returns:
        Shape (k,), 0 to 1: points in both by points in either; 0 for a set without a point.

    Examples:
        >>> best_jaccard(np.array([[1], [1], [0]], bool), np.array([[1, 0], [0, 1], [0, 1]], bool)).tolist()
        [0.5]
    """
    left, right = first.astype(np.float64), second.astype(np.float64)
    both = left.T @ right
    either = left.sum(axis=0)[:, None] + right.sum(axis=0) - both
    similarity = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    best: Floats = similarity.max(axis=1, initial=0.0)
    return best
