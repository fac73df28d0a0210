"""Explanation of a pair's layers of words: matched words with their similarity and contribution."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from semscale.matching.calibrated.arithmetic import clip_cosines
from semscale.matching.words.vectors import WordVectors
from semscale.types import Floats


def explain_words(
    words: tuple[Sequence[str], Sequence[str]],
    vectors: tuple[WordVectors, WordVectors],
    shares: Mapping[str, float],
    recall_share: float,
) -> pl.DataFrame:
    """Lay out what each word of a prediction and of its reference adds to the layers of words.

    In either layer a word's similarity is its best cosine with a word of the other text. Before its floor is
    taken off, the layer is the sum of similarity times weight over the words of both texts.

    Args:
        words: those of the prediction, k >= 0, and those of the reference, l >= 0.
        vectors: their vectors and weights.
        shares: share of each layer in the score.
        recall_share: weight of the reference's words in the layers; the rest is that of the prediction's.

    Returns:
        A row a word, the prediction's first; none where one text has no word. Columns ``side``, ``place``,
        ``token`` (the word), ``matched_place`` and ``matched_token`` (the word of the other text that is most
        similar over both layers), ``similarity`` (mean of the next two, weighted by the layers' shares),
        ``word_similarity`` and ``context_similarity`` (0 to 1), ``weight`` (a share of its side's, times the
        side's share; all sum to 1), ``contribution`` (similarity times weight; all sum to the mean of both
        layers, weighted by their shares).
    """
    ours, theirs = vectors
    sides = [
        _side("prediction", words, (ours, theirs), shares, 1 - recall_share),
        _side("reference", words[::-1], (theirs, ours), shares, recall_share),
    ]
    return pl.concat(sides)


def _side(
    name: str,
    words: tuple[Sequence[str], Sequence[str]],
    vectors: tuple[WordVectors, WordVectors],
    shares: Mapping[str, float],
    side_share: float,
) -> pl.DataFrame:
    own, other = vectors
    n = len(own) if len(other) else 0
    if n:
        in_score = np.array([shares["word"], shares["context"]])
        of_layers = in_score / in_score.sum()
        cosines = clip_cosines(own.layers @ other.layers.swapaxes(-1, -2))
        best: Floats = cosines.max(axis=-1)
        matched = np.tensordot(of_layers, cosines, 1).argmax(axis=-1)
    else:
        of_layers, best, matched = np.zeros(2), np.zeros((2, 0)), np.zeros(0, np.int64)
    weights = own.weights_beside(other)[:n]
    similarity, weight = of_layers @ best, side_share * weights / (weights.sum() if n else 1.0)
    return pl.DataFrame(
        {
            "side": pl.Series([name] * n, dtype=pl.String),
            "place": np.arange(n),
            "token": pl.Series(words[0][:n], dtype=pl.String),
            "matched_place": matched.astype(np.int64),
            "matched_token": pl.Series([words[1][at] for at in matched], dtype=pl.String),
            "similarity": similarity,
            "word_similarity": best[0],
            "context_similarity": best[1],
            "weight": weight,
            "contribution": weight * similarity,
        }
    )
