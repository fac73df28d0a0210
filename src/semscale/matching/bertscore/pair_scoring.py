"""Scoring of pairs while the model encodes their texts, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semscale.embedding.tokens.token_ids import TokenIds
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.matching.bertscore.greedy import GreedyScore, cosine_matrix, greedy_score
from semscale.matching.bertscore.token_weights import TokenWeights
from semscale.matching.pair_scheduling import ScoringStep, plan_steps
from semscale.matching.unit_rows import unit_rows
from semscale.types import Floats, Integers, Progress, Vectors

FRESH_BYTES = 128 << 20  # states of texts that are encoded in one step
KEPT_BYTES = 192 << 20  # states of texts that are kept for later pairs

_REPORTED = 64  # pairs between two reports of progress


@dataclass(frozen=True)
class TextPairs:
    """p pairs of tokenized texts.

    Attributes:
        tokens: the distinct texts.
        prediction: shape (p,), which text is the prediction.
        reference: shape (p,), which text is the reference.
    """

    tokens: TokenIds
    prediction: Integers
    reference: Integers


class PairScorer:
    """Scores pairs at one layer of a model.

    A pair's numbers depend on its two texts alone, to the last bit.

    Args:
        encoder: gives the states of tokens.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        weights: weights of tokens.
        fresh_bytes: most memory for the states of texts that are encoded together.
        kept_bytes: most memory for the states of texts that are kept for later pairs.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        layer: int,
        weights: TokenWeights,
        *,
        fresh_bytes: int = FRESH_BYTES,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self._encoder = encoder
        self._layer = layer
        self._weights = weights
        token = 4 * encoder.hidden
        self._room = {"fresh_tokens": fresh_bytes // token, "kept_tokens": kept_bytes // token}

    def score(self, pairs: TextPairs, progress: Progress | None = None) -> Floats:
        """Score pairs.

        Returns:
            Shape (p, 3): precision, recall and F1; NaN in all three where a text has no token with a weight.
        """
        values = np.full((len(pairs.prediction), 3), np.nan)
        units: dict[int, Vectors] = {}
        done = 0
        for step in plan_steps(pairs.prediction, pairs.reference, pairs.tokens.lengths, **self._room):
            for pair in self._ready(step, pairs, units):
                values[pair] = self._score_pair(pairs, pair, units)
                done += 1
                if progress and (done % _REPORTED == 0 or done == len(values)):
                    progress("scoring pairs", done, len(values))
            for text in step.dropped.tolist():
                del units[text]
        values[np.isnan(values).any(axis=1)] = np.nan
        return values

    def _ready(self, step: ScoringStep, pairs: TextPairs, units: dict[int, Vectors]) -> Iterator[int]:
        """Give each pair of a step as soon as both of its texts are there, while others are still encoded."""
        waiting: dict[int, list[int]] = {int(text): [] for text in step.fresh}
        for pair in step.pairs.tolist():
            awaited = {int(pairs.prediction[pair]), int(pairs.reference[pair])} & waiting.keys()
            if not awaited:
                yield pair
            for text in awaited:
                waiting[text].append(pair)
        for text, states in self._encoder.encode(pairs.tokens, step.fresh, layer=self._layer):
            units[text] = unit_rows(states)
            for pair in waiting[text]:
                if int(pairs.prediction[pair]) in units and int(pairs.reference[pair]) in units:
                    yield pair

    def _score_pair(self, pairs: TextPairs, pair: int, units: dict[int, Vectors]) -> GreedyScore:
        prediction, reference = int(pairs.prediction[pair]), int(pairs.reference[pair])
        return greedy_score(
            cosine_matrix(units[prediction], units[reference]),
            self._weights.of(pairs.tokens.of(prediction)),
            self._weights.of(pairs.tokens.of(reference)),
        )
