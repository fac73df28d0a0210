"""Arithmetic of the layered match: word alignment, adjustment by a baseline, and the weighted sum."""

import numpy as np

from semscale.types import Floats

WORD, SENTENCE, PARAGRAPH = 0.4, 0.4, 0.2
"""Weights of the layers."""
FLOOR = 0.25
"""Subtracted from the weighted sum, as unrelated texts have about this score."""
SNAP = 0.95
"""Scores of at least this become 1."""


def aligned_f1(similarity: Floats, prediction_weights: Floats, reference_weights: Floats) -> float:
    """Align every token greedily with the most similar one of the other text, and compute the weighted F1.

    Precision is the weighted mean over the prediction's tokens of their best similarity, recall the same over
    the reference's, F1 = 2PR / (P + R).

    Args:
        similarity: shape (p, r), cosines of p tokens of the prediction with r of the reference.
        prediction_weights: shape (p,), greater than 0.
        reference_weights: shape (r,), greater than 0.

    Returns:
        -1 to 1; 0 where one side has no token, or where P + R is 0.

    Example:
        >>> aligned_f1(np.array([[1.0, 0.0]]), np.ones(1), np.ones(2))  # P = 1, R = 1/2
        0.6666666666666666
    """
    if similarity.size == 0:
        return 0.0
    best = similarity.max(axis=1), similarity.max(axis=0)
    return f1_of_best(best, prediction_weights, reference_weights)


def f1_of_best(best: tuple[Floats, Floats], prediction_weights: Floats, reference_weights: Floats) -> float:
    """Compute the weighted F1 of tokens whose best similarities are known, as ``aligned_f1`` does.

    Args:
        best: of the prediction's tokens, shape (p,), and of the reference's, shape (r,).
        prediction_weights: shape (p,), greater than 0.
        reference_weights: shape (r,), greater than 0.
    """
    precision = float(best[0] @ prediction_weights / prediction_weights.sum())
    recall = float(best[1] @ reference_weights / reference_weights.sum())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def above_baseline(cosine: Floats, baseline: float) -> Floats:
    """Rescale cosines to 0 at the baseline and 1 at 1: ``(cosine - baseline) / (1 - baseline)``."""
    return (cosine - baseline) / (1 - baseline)


def layered_score(word: Floats, sentence: Floats, paragraph: Floats) -> Floats:
    """Compute .4 word + .4 sentence + .2 paragraph - .25, at least 0; .95 and more becomes 1.

    Equal texts score .75, as 1 - .25 never reaches .95; the snap is kept as the published evaluator has it.

    Example:
        >>> layered_score(np.array([1.0, 0.0]), np.array([1.0, 0.1]), np.array([1.0, 0.0])).tolist()
        [0.75, 0.0]
    """
    total = np.maximum(WORD * word + SENTENCE * sentence + PARAGRAPH * paragraph - FLOOR, 0.0)
    return np.where(total >= SNAP, 1.0, total)
