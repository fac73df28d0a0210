"""Aligned words of two texts, as a table."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from semscale.types import Floats


def alignment_frame(
    predicted: Sequence[str], referred: Sequence[str], similarity: Floats, weights: tuple[Floats, Floats]
) -> pl.DataFrame:
    """Align every token with the most similar one of the other text, with each token's contribution.

    Args:
        predicted: p tokens of the prediction.
        referred: r tokens of the reference.
        similarity: shape (p, r), cosines.
        weights: of both sides' tokens, shapes (p,) and (r,), greater than 0.

    Returns:
        Columns ``side``, ``place``, ``token``, ``matched_place``, ``matched_token``, ``similarity``,
        ``weight`` (a share of its side's) and ``contribution``. The contributions of a side sum to precision
        (prediction) or recall (reference). Empty where one side has no token.

    Example:
        >>> one = np.ones(1)
        >>> alignment_frame(["heart"], ["cardiac"], np.array([[0.6]]), (one, one))["matched_token"].to_list()
        ['cardiac', 'heart']
    """
    sides = [
        _side("prediction", predicted, referred, similarity, weights[0]),
        _side("reference", referred, predicted, similarity.T, weights[1]),
    ]
    return pl.concat(sides) if similarity.size else pl.concat(sides).clear()


def _side(
    name: str, tokens: Sequence[str], others: Sequence[str], similarity: Floats, weights: Floats
) -> pl.DataFrame:
    found = bool(similarity.size)
    places = similarity.argmax(axis=1) if found else np.zeros(len(tokens), np.int64)
    best = similarity.max(axis=1) if found else np.zeros(len(tokens))
    shares = weights / weights.sum() if len(weights) else weights
    return pl.DataFrame(
        {
            "side": pl.Series([name] * len(tokens), dtype=pl.String),
            "place": np.arange(len(tokens)),
            "token": pl.Series(list(tokens), dtype=pl.String),
            "matched_place": places.astype(np.int64),
            "matched_token": pl.Series([others[at] if found else None for at in places], dtype=pl.String),
            "similarity": best.astype(np.float64),
            "weight": shares.astype(np.float64),
            "contribution": (shares * best).astype(np.float64),
        }
    )
