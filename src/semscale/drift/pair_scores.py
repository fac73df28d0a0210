"""Scores pairs of outputs in every way from one reading of each text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.text_readings import Reading, TextReadings
from semscale.embedding.state_cache import Rounded
from semscale.guards.findings import Finding
from semscale.guards.registry import Guards
from semscale.matching.calibrated import (
    LAYERS,
    Calibration,
    above_floor,
    combine,
    estimated_floors,
    penalty_of,
)
from semscale.matching.calibrated_match import FEWEST_FOR_FLOORS, UNRELATED_PAIRS
from semscale.matching.greedy import cosine_matrix, greedy_score
from semscale.matching.greedy import unit_rows as unit_tokens
from semscale.matching.token_words import WordWeights
from semscale.matching.unrelated import unrelated_pairs
from semscale.matching.word_layers import Measured, WordLayers
from semscale.matching.word_vectors import WordVectors, compare_words
from semscale.types import Floats, Integers, Vectors

if TYPE_CHECKING:
    from semscale.matching.token_weights import TokenWeights

_TOGETHER = 16  # unrelated pairs that are compared together


@dataclass(frozen=True)
class PairScores:
    """What was found about one pair of texts.

    Attributes:
        scores: ``match``, ``bertscore_f1`` and ``cosine``; NaN where the model reads no token.
        findings: of the guards.
    """

    scores: Mapping[str, float]
    findings: tuple[Finding, ...] = ()


EQUAL = PairScores({"match": 1.0, "bertscore_f1": 1.0, "cosine": 1.0})
"""What two equal texts have."""


@dataclass(frozen=True)
class _Prepared:
    """One text, ready to be compared."""

    words: WordVectors
    tokens: Vectors
    weights: Floats


class PairScoring:
    """Scores pairs of texts against one corpus; a pair's numbers depend on these and its texts alone.

    Args:
        read: the texts; the first of its layers is BERTScore's, its last the model's last.
        layers: measures words.
        token_weights: what tokens count in BERTScore.
        guards: which guards look, and which of them weigh.
        calibration: weights of the calibrated match.
    """

    def __init__(
        self,
        read: TextReadings,
        layers: WordLayers,
        *,
        token_weights: "TokenWeights",
        guards: Guards,
        calibration: Calibration,
    ) -> None:
        self._read = read
        self._token_weights = token_weights
        self._guards = guards
        self._calibration = calibration
        self._layers = layers
        self._weights = WordWeights.over([], stop=calibration.stop_weight)
        self.floors: Mapping[str, float] = calibration.floors

    def learn(self, corpus: Integers, seed: int) -> None:
        """Estimate the weights of words and the floors of layers from a corpus.

        Args:
            corpus: numbers of texts.
            seed: of the draw of unrelated pairs.
        """
        spelled = self._read.spelled
        spelled.spell(corpus.tolist())
        self._weights = WordWeights.over(
            (spelled.words[text].words for text in corpus.tolist()), stop=self._calibration.stop_weight
        )
        if len(corpus) < FEWEST_FOR_FLOORS:
            return
        texts = [self._read.texts[text] for text in corpus]
        drawn = corpus[unrelated_pairs(texts, UNRELATED_PAIRS, seed)]
        readings = self._read.hold(np.unique(drawn))
        compared: list[tuple[float, ...]] = []
        for start in range(0, len(drawn), _TOGETHER):
            pairs = drawn[start : start + _TOGETHER]
            ready = self._prepared(np.unique(pairs).tolist(), readings)
            compared += [
                compare_words(ready[one].words, ready[other].words, cosine_matrix)
                for one, other in pairs.tolist()
            ]
        unrelated = self._measured(compared)
        self.floors = estimated_floors(unrelated.layers(0.5), self.floors)

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs.

        Args:
            pairs: the baseline's text and the candidate's, each by number.
            cosines: of their vectors.
            readings: of the texts.
        """
        if not pairs:
            return []
        ready = self._prepared(list(dict.fromkeys(text for pair in pairs for text in pair)), readings)
        compared, f1, findings = [], [], []
        for baseline, candidate in pairs:
            # Words in single precision, tile by tile: a larger product would wait for threads that the engine
            # keeps busy.
            ours, theirs = ready[candidate], ready[baseline]
            compared.append(compare_words(ours.words, theirs.words, cosine_matrix))
            matrix = cosine_matrix(ours.tokens, theirs.tokens)
            f1.append(greedy_score(matrix, ours.weights, theirs.weights).f1)
            texts = self._read.texts[candidate], self._read.texts[baseline]
            findings.append(tuple(self._guards.check(*texts)))
        match = self._match(self._measured(compared), findings)
        return [
            PairScores({"match": float(one), "bertscore_f1": two, "cosine": three}, found)
            for one, two, three, found in zip(match, f1, cosines, findings, strict=True)
        ]

    def _match(self, measured: Measured, findings: Sequence[tuple[Finding, ...]]) -> Floats:
        similar = measured.layers(self._calibration.recall_share)
        layers = {name: above_floor(similar[name], self.floors[name]) for name in LAYERS}
        weighed = (self._guards.weighed(found) for found in findings)
        penalties = (penalty_of(found, self._calibration.penalties) for found in weighed)
        return combine(layers, np.fromiter(penalties, np.float64, len(findings)), self._calibration.shares)

    @staticmethod
    def _measured(compared: Sequence[tuple[float, ...]]) -> Measured:
        return Measured(*np.array(compared, np.float64).reshape(-1, 5).T.copy())

    def _prepared(self, texts: Sequence[int], readings: Mapping[int, Reading]) -> dict[int, _Prepared]:
        """Make some texts ready together, which costs less than one by one and gives the same."""
        spelled = self._read.spelled
        spelled.spell(texts)
        self._layers.learn(spelled, texts)
        ends = np.cumsum([len(readings[text][-1]) for text in texts])[:-1]
        layers = [_floats(states) for states in zip(*(readings[text] for text in texts), strict=True)]
        words = self._layers.vectors(spelled, texts, np.split(layers[-1], ends), self._weights, np.float32)
        return {
            text: _Prepared(each, tokens, self._token_weights.of(spelled.tokens.of(text)))
            for text, each, tokens in zip(texts, words, np.split(unit_tokens(layers[0]), ends), strict=True)
        }


def _floats(states: Sequence[Rounded]) -> Vectors:
    return np.concatenate(states).astype(np.float32)
