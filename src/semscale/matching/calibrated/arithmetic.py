"""Arithmetic of the method ``calibrated``: layers above their floors, their sum, and penalties."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from semscale.guards.findings import Finding
from semscale.matching.best_matches import mean_best
from semscale.types import Floats

LAYERS = ("word", "context", "text")
"""Words by themselves, words in their context, and texts as wholes."""

LAYERS_OF_WORDS = ("word", "context")
"""Those that compare single words, which have no equals in another language."""

_SAME = 1e-6  # equal vectors have cosines this near 1, as they are rounded


def word_matches(similarity: Iterable[Floats], weights: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Align every word of p pairs of texts with the most similar one on the other side.

    Precision is the weighted mean over the prediction's words of their best cosine, recall the same over the
    reference's. A negative best cosine counts as 0: unlike words are not the opposite of what is asked for.

    Args:
        similarity: of each pair, shape (..., k, l), cosines of k >= 1 words of the prediction with l >= 1 of
            the reference.
        weights: of each pair's words on either side, greater than 0.

    Returns:
        Precision and recall, shape (..., p, 2), 0 to 1; exactly 1 where every word has its equal.

    Example:
        >>> similarity = np.array([[1.0, 0.0], [0.5, -0.2]])
        >>> word_matches([similarity], [(np.array([1.0, 3.0]), np.ones(2))]).tolist()
        [[0.625, 0.5]]
    """
    # Means of what is missing, as these are exactly 0 where nothing is.
    return 1 - mean_best(similarity, weights, lambda best: 1 - clip_cosines(best))


def clip_cosines(cosines: Floats) -> Floats:
    """Clip cosines to 0 and 1; those that differ from 1 by rounding alone become 1."""
    return np.where(cosines > 1 - _SAME, 1.0, np.maximum(cosines, 0.0))


def above_floor(similarity: Floats, floor: float) -> Floats:
    """Rescale similarities linearly so that the floor, and all below it, becomes 0, and 1 stays 1.

    Below the floor, the mean of unrelated pairs, one pair is as unrelated as another.

    Args:
        similarity: 0 to 1.
        floor: 0 or more, less than 1.

    Example:
        >>> above_floor(np.array([0.2, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    return np.maximum(1 - (1 - similarity) / (1 - floor), 0.0)


def estimated_floors(unrelated: Mapping[str, Floats], known: Mapping[str, float]) -> dict[str, float]:
    """Take the mean similarity of unrelated pairs as each layer's floor.

    Args:
        unrelated: each of ``LAYERS``, shape (p,), 0 to 1; NaN where a text has no token.
        known: floors for layers without a pair, or whose pairs are all equal to the model, such as one word
            in several spellings: nothing could lie above a floor of 1.

    Example:
        >>> known = {"word": 0.4, "context": 0.2}
        >>> estimated_floors({"word": np.array([0.5, np.nan, 0.25]), "context": np.ones(3)}, known)
        {'word': 0.375, 'context': 0.2}
    """
    floors = {}
    for name, values in unrelated.items():
        similarity = values[~np.isnan(values)]
        floor = float(similarity.mean()) if len(similarity) else 1.0
        floors[name] = floor if floor < 1 - _SAME else known[name]
    return floors


def weighted_mean(precision: Floats, recall: Floats, recall_share: float) -> Floats:
    """Give ``(1 - recall_share) precision + recall_share recall``."""
    return 1 - (1 - recall_share) * (1 - precision) - recall_share * (1 - recall)


def combine(layers: Mapping[str, Floats], penalty: Floats, shares: Mapping[str, float]) -> Floats:
    """Add the layers up by their shares, and multiply by ``exp(-penalty)``.

    Args:
        layers: each of ``LAYERS``, shape (p,), 0 to 1.
        penalty: shape (p,), 0 or more, as ``penalty_of`` gives it.
        shares: weights of the layers; they add up to 1.

    Returns:
        Shape (p,), 0 to 1; exactly 1 where all layers are 1 and nothing was found.

    Example:
        >>> layers = {name: np.array([1.0, 0.5]) for name in LAYERS}
        >>> shares = {"word": 0.2, "context": 0.5, "text": 0.3}
        >>> combine(layers, np.array([0.0, np.log(2)]), shares).round(3).tolist()
        [1.0, 0.25]
    """
    lost = sum((shares[name] * (1 - layers[name]) for name in LAYERS), start=np.zeros_like(penalty))
    return np.maximum(1 - lost, 0.0) * np.exp(-penalty)


def combine_known(layers: Mapping[str, Floats], penalty: Floats, shares: Mapping[str, float]) -> Floats:
    """Combine layers as ``combine`` does; where the layers of words are NaN, that of texts counts alone.

    Args:
        layers: each of ``LAYERS``, shape (p,), 0 to 1, or NaN.
        penalty: shape (p,), 0 or more.
        shares: weights of the layers; they add up to 1.

    Example:
        >>> layers = {"word": np.array([1.0, np.nan]), "context": np.array([1.0, np.nan])}
        >>> layers["text"] = np.array([0.5, 0.5])
        >>> combine_known(layers, np.zeros(2), {"word": 0.2, "context": 0.5, "text": 0.3}).round(3).tolist()
        [0.85, 0.5]
    """
    alone = np.isnan(layers["word"]) & np.isnan(layers["context"])
    return np.where(alone, layers["text"] * np.exp(-penalty), combine(layers, penalty, shares))


def penalty_of(findings: Iterable[Finding], penalties: Mapping[str, float]) -> float:
    """Add up the penalties of a pair's findings; each kind counts once.

    Of one guard's kinds only the gravest counts: kinds of one guard often tell of the same difference.

    Args:
        findings: findings in one pair.
        penalties: penalty of each guard and kind of finding, such as ``number:other-value``.
    """
    gravest: dict[str, float] = {}
    for finding in findings:
        penalty = penalties.get(f"{finding.guard}:{finding.kind}", 0.0)
        gravest[finding.guard] = max(gravest.get(finding.guard, 0.0), penalty)
    return sum(gravest.values())
