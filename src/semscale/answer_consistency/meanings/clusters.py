"""Clusters of texts that mean the same."""

import numpy as np

from semscale.types import Integers, Mask


def meaning_clusters(same: Mask) -> Integers:
    """Group texts by meaning: each joins the first cluster whose first text means the same.

    Args:
        same: shape (m, m), whether two texts mean the same; symmetric.

    Returns:
        Shape (m,), the number of each text's cluster, counted from 0 by first appearance.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0.

    Example:
        >>> same = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], bool)
        >>> meaning_clusters(same).tolist()
        [0, 1, 0]
    """
    first: list[int] = []
    clusters: Integers = np.zeros(len(same), np.int64)
    for text in range(len(same)):
        found = next((number for number, other in enumerate(first) if same[other, text]), len(first))
        if found == len(first):
            first.append(text)
        clusters[text] = found
    return clusters
