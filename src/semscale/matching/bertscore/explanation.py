"""Explanation of a pair's BERTScore: matched tokens with their similarity and contribution to the score."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.embedding.tokens.token_states import TokenStates
from semscale.matching.bertscore.greedy import GreedyScore, cosine_matrix, greedy_score
from semscale.matching.bertscore.token_weights import TokenWeights
from semscale.matching.unit_rows import unit_rows
from semscale.signature import Signature
from semscale.types import Floats, Integers, Vectors


@dataclass(frozen=True)
class ExplainedSide:
    """One text's tokens, each with the token of the other text that it was matched with.

    Attributes:
        text: the text itself.
        pieces: its t tokens as the vocabulary writes them, special ones included.
        offsets: shape (t, 2), first character and the one after the last; both 0 for special tokens.
        match: shape (t,), place of the most similar token in the other text.
        similarity: shape (t,), cosine with that token, -1 to 1.
        weight: shape (t,), share of the token in the mean; sums to 1, or 0 where no token has a weight.
    """

    text: str
    pieces: tuple[str, ...]
    offsets: Integers
    match: Integers
    similarity: Floats
    weight: Floats

    @property
    def contribution(self) -> Floats:
        """What each token adds to precision or recall, shape (t,): weight times similarity."""
        return self.weight * self.similarity


@dataclass(frozen=True)
class Explanation:
    """One pair's BERTScore, token by token.

    Attributes:
        prediction: the prediction's tokens; their contributions sum to precision.
        reference: the reference's tokens; their contributions sum to recall.
        cosines: shape (t, s), of every token of the prediction with every one of the reference.
        score: precision, recall and F1, not rescaled.
        windows: the most windows that one of the two texts was read in.
        signature: the settings that were applied.
    """

    prediction: ExplainedSide
    reference: ExplainedSide
    cosines: Vectors
    score: GreedyScore
    windows: int
    signature: Signature

    def to_frame(self) -> pl.DataFrame:
        """Lay the tokens out as a table, the prediction's first.

        Returns:
            Columns ``side``, ``place``, ``token``, ``start``, ``end`` (null for special tokens),
            ``matched_place``, ``matched_token``, ``similarity``, ``weight`` and ``contribution``.
        """
        return pl.concat(
            [
                _frame("prediction", self.prediction, self.reference),
                _frame("reference", self.reference, self.prediction),
            ]
        )


def explain_pair(
    texts: tuple[str, str],
    tokens: tuple[TokenStates, TokenStates],
    weights: TokenWeights,
    signature: Signature,
) -> Explanation:
    """Explain the score of a prediction and a reference.

    Args:
        texts: the two, as given.
        tokens: their tokens' states; offsets count from the first character that is no white space.
        weights: weights of tokens.
        signature: the settings that were applied.
    """
    first, second = tokens
    cosines = cosine_matrix(unit_rows(first.states), unit_rows(second.states))
    shares = weights.of(first.ids), weights.of(second.ids)
    return Explanation(
        prediction=_side(texts[0], first, cosines, shares[0]),
        reference=_side(texts[1], second, cosines.T, shares[1]),
        cosines=cosines,
        score=greedy_score(cosines, *shares),
        windows=max(first.windows, second.windows),
        signature=signature,
    )


def _side(text: str, tokens: TokenStates, cosines: Vectors, weights: Floats) -> ExplainedSide:
    indent = len(text) - len(text.lstrip())
    offsets = np.where(tokens.special[:, None], 0, tokens.offsets + indent)
    total = float(weights.sum())
    similarity = np.minimum(cosines.max(axis=1), 1).astype(np.float64)
    shares = weights / total if total else np.zeros(len(weights))
    return ExplainedSide(text, tokens.pieces, offsets, cosines.argmax(axis=1), similarity, shares)


def _frame(name: str, side: ExplainedSide, other: ExplainedSide) -> pl.DataFrame:
    special = side.offsets[:, 1] == 0
    return pl.DataFrame(
        {
            "side": [name] * len(side.pieces),
            "place": np.arange(len(side.pieces)),
            "token": side.pieces,
            "start": pl.Series(side.offsets[:, 0]).set(pl.Series(special), None),
            "end": pl.Series(side.offsets[:, 1]).set(pl.Series(special), None),
            "matched_place": side.match,
            "matched_token": [other.pieces[place] for place in side.match],
            "similarity": side.similarity,
            "weight": side.weight,
            "contribution": side.contribution,
        }
    )
