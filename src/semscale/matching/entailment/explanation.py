"""Explanation of an entailment score: what became of each sentence, and which other sentence decided."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from semscale.matching.entailment.probabilities import CONTRADICTION, ENTAILMENT, NEUTRAL
from semscale.matching.entailment.sentence_support import SentenceSupport


def explain_sentences(
    sentences: tuple[Sequence[str], Sequence[str]],
    supports: tuple[SentenceSupport, SentenceSupport],
    shares: tuple[float, float],
) -> pl.DataFrame:
    """Lay out what each sentence of a prediction and of its reference adds to the score.

    Args:
        sentences: those of the prediction, and those of the reference.
        supports: how far each of them is backed by the other text.
        shares: weight of the prediction's sentences in the score, and of the reference's; they sum to 1.

    Returns:
        A row a sentence that was read, the prediction's first. Columns ``side``, ``place``, ``token`` (the
        sentence), ``matched_place`` and ``matched_token`` (the sentence of the other text that decides: it
        entails this one, or contradicts it, most), ``similarity`` (probability that it is entailed),
        ``neutral``, ``contradiction``, ``weight`` (the side's share, split among its sentences; all sum to
        1) and ``contribution`` (similarity times weight; all sum to the score).
    """
    own, other = sentences
    first = _side("prediction", (own, other), supports[0], shares[0])
    return pl.concat([first, _side("reference", (other, own), supports[1], shares[1])])


def _side(
    name: str, sentences: tuple[Sequence[str], Sequence[str]], support: SentenceSupport, share: float
) -> pl.DataFrame:
    read = np.flatnonzero(support.deciding >= 0)
    values, deciding = support.values[read], support.deciding[read]
    weight = np.full(len(read), share / max(1, len(read)))
    return pl.DataFrame(
        {
            "side": pl.Series([name] * len(read), dtype=pl.String),
            "place": read.astype(np.int64),
            "token": pl.Series([sentences[0][at] for at in read.tolist()], dtype=pl.String),
            "matched_place": deciding.astype(np.int64),
            "matched_token": pl.Series([sentences[1][at] for at in deciding.tolist()], dtype=pl.String),
            "similarity": values[:, ENTAILMENT],
            "neutral": values[:, NEUTRAL],
            "contradiction": values[:, CONTRADICTION],
            "weight": weight,
            "contribution": weight * values[:, ENTAILMENT],
        }
    )
