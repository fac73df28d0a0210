"""Arithmetic of BERTScore: each token is matched with the most similar token of the other text."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from semscale.matching.best_matches import mean_best, mean_of_best
from semscale.types import Floats, Vectors

# Multiplications up to which NumPy's matrix product stays on the calling thread. Beyond that it waits for
# helpers that the engine keeps busy, which costs milliseconds where the product itself takes microseconds.
_ONE_THREAD = 1 << 18


class GreedyScore(NamedTuple):
    """Precision, recall and F1 of one pair, each -1 to 1; NaN where no token has a weight."""

    precision: float
    recall: float
    f1: float


def cosine_matrix(prediction: Vectors, reference: Vectors) -> Vectors:
    """Cosines of all tokens of one text with all tokens of the other.

    Computed tile by tile, where only the pair's own shape decides the tiles, so that neither the company nor
    the number of threads changes a bit.

    Args:
        prediction: shape (..., t, d), unit rows, float32, in C order.
        reference: shape (..., s, d), likewise.

    Returns:
        Shape (..., t, s), float32.

    Example:
        >>> cosine_matrix(np.eye(2, dtype=np.float32), np.array([[0.6, 0.8]], np.float32)).tolist()
        [[0.6000000238418579], [0.800000011920929]]
    """
    if reference is prediction:
        # NumPy multiplies a matrix with itself by another routine, whose last digits differ.
        reference = reference.copy()
    *layers, t, d = prediction.shape
    s = reference.shape[-2]
    side = max(1, math.isqrt(_ONE_THREAD // max(1, d)))
    cosines = np.empty((*layers, t, s), np.float32)
    for row in range(0, t, side):
        for column in range(0, s, side):
            rows, columns = slice(row, row + side), slice(column, column + side)
            across = reference[..., columns, :].swapaxes(-1, -2)
            np.matmul(prediction[..., rows, :], across, out=cosines[..., rows, columns])
    return cosines


def greedy_score(cosines: Vectors, prediction_weights: Floats, reference_weights: Floats) -> GreedyScore:
    """BERTScore of one pair.

    Precision is the weighted mean, over the prediction's tokens, of each one's highest cosine in the
    reference; recall is the same from the reference's side; F1 is their harmonic mean, 2PR / (P + R). A token
    without weight, such as [CLS], can still be what another one is matched with. F1 is 0 where P + R is 0.

    Args:
        cosines: shape (t, s).
        prediction_weights: shape (t,), at least 0.
        reference_weights: shape (s,), at least 0.

    References:
        Zhang et al. 2020, BERTScore, section 3 and equation for idf weighting, arXiv 1904.09675.

    Example:
        >>> cosines = np.array([[1.0, 0.5], [0.0, 0.25]], np.float32)
        >>> greedy_score(cosines, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
        GreedyScore(precision=0.625, recall=1.0, f1=0.7692307692307693)
    """
    return greedy_scores([cosines], [(prediction_weights, reference_weights)])[0]


def greedy_scores(matrices: Iterable[Vectors], weights: Sequence[tuple[Floats, Floats]]) -> list[GreedyScore]:
    """BERTScores of p pairs, each as ``greedy_score`` gives it.

    Args:
        matrices: p matrices of cosines, one after the other.
        weights: of each pair's tokens.
    """
    return _scores(mean_best(matrices, weights, _at_most_1)) if weights else []


def scores_of_best(best: Sequence[Vectors], weights: Sequence[tuple[Floats, Floats]]) -> list[GreedyScore]:
    """BERTScores of p pairs whose best cosines are known.

    Args:
        best: for each pair the best cosine of each token of the prediction, then of the reference.
        weights: of each pair's tokens.
    """
    return _scores(mean_of_best(best, weights, _at_most_1)) if weights else []


def _at_most_1(best: Vectors) -> Vectors:
    """Rounding may lift the cosine of equal vectors above 1 by 1e-7."""
    return np.minimum(best, 1)


def _scores(means: Floats) -> list[GreedyScore]:
    return [
        GreedyScore(precision, recall, f_measure(precision, recall)) for precision, recall in means.tolist()
    ]


def f_measure(precision: float, recall: float) -> float:
    """Harmonic mean 2PR / (P + R); 0 where P + R is 0, NaN where either is.

    Example:
        >>> f_measure(0.5, 1.0), f_measure(0.0, 0.0)
        (0.6666666666666666, 0.0)
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
