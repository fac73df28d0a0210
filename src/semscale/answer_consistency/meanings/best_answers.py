"""The answer that stands for the most probable meaning among an answer and its samples."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from semscale.types import Floats, Integers


def best_text(texts: Sequence[str], clusters: Integers, weights: Floats | None = None) -> int:
    """Pick the text that stands for the most probable meaning.

    The meaning is the cluster with the greatest sum of weights, the first one of equals. Its text is the one
    that occurs most often, or the longest where none occurs twice; the first one of equals.

    Args:
        texts: m texts, the answer first.
        clusters: shape (m,), the number of each text's cluster, from 0.
        weights: shape (m,), the probability of each text, at least 0; all alike unless given.

    Returns:
        The number of the text, from 0.

    References:
        As uqlm 0.6 picks the "uncertainty-minimized response".

    Example:
        >>> best_text(["Rome", "Paris", "It is Paris"], np.array([0, 1, 1]))
        2
        >>> best_text(["Rome", "Paris", "It is Paris", "Paris"], np.array([0, 1, 1, 1]))
        1
    """
    mass = np.bincount(clusters, weights=weights)
    members = np.flatnonzero(clusters == mass.argmax()).tolist()
    counts = Counter(texts[member] for member in members)
    text, n = counts.most_common(1)[0]
    if n > 1:
        return next(member for member in members if texts[member] == text)
    return max(members, key=lambda member: len(texts[member]))
