"""Scores of pairs of outputs (match, BERTScore, cosine, findings), all from one reading of each text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.measure.aligned_item import PairScores
from semscale.drift.measure.text_readings import Reading, TextReadings
from semscale.embedding.languages import language_of
from semscale.guards.findings import Finding
from semscale.guards.number_guard import figure_findings
from semscale.guards.registry import Guards, Mode
from semscale.guards.text import is_english_script
from semscale.matching.calibrated import (
    FEWEST_FOR_FLOORS,
    LAYERS,
    LAYERS_OF_WORDS,
    UNRELATED_PAIRS,
    CalibratedWeights,
    above_floor,
    combine,
    estimated_floors,
    layer_similarities,
    penalty_of,
)
from semscale.matching.cosines import unit_rows
from semscale.matching.pairs import are_across, guards_read, unrelated_pairs
from semscale.matching.token_scores import cosine_matrix, greedy_scores
from semscale.matching.words import WordLayers, WordVectorizer, WordVectors, WordWeights, compare_words
from semscale.types import Floats, Integers, Mask, Vectors

if TYPE_CHECKING:
    from semscale.matching.token_scores import TokenWeights

_SCORES = ("match", "bertscore_f1", "cosine")
_TOGETHER = 16  # unrelated pairs that are compared together


@dataclass(frozen=True)
class _ReadyText:
    """Vectors and weights of one text, for comparison."""

    words: WordVectors
    tokens: Vectors
    weights: Floats


class PairScoring:
    """Scores pairs of texts; a pair's scores depend only on its texts, the corpus and these arguments.

    Args:
        read: reads the texts at BERTScore's layer, its first, and at the model's last layer, its last.
        layers: compares words.
        token_weights: weights of tokens in BERTScore.
        guards: the guards with their modes.
        calibration: weights of the calibrated match.
        languages: that the model reads, by ISO 639-1 code; empty where unknown.
    """

    def __init__(
        self,
        read: TextReadings,
        layers: WordLayers,
        *,
        token_weights: "TokenWeights",
        guards: Guards,
        calibration: CalibratedWeights,
        languages: frozenset[str] = frozenset(),
    ) -> None:
        self._read = read
        self._token_weights = token_weights
        self._guards = guards
        self._calibration = calibration
        self._languages = languages
        self._layers = layers
        self._words = self._over([])
        self.floors: Mapping[str, float] = calibration.floors

    def learn(self, corpus: Integers, seed: int) -> None:
        """Estimate word weights and the floors of layers from a corpus.

        Args:
            corpus: numbers of the corpus's texts.
            seed: seed of the draw of unrelated pairs.
        """
        spelled = self._read.spelled
        spelled.spell(corpus.tolist())
        self._words = self._over([spelled.words_of(text) for text in corpus.tolist()])
        known = corpus[~self._read.unread[corpus]]  # unread texts are all alike to the model
        if len(known) < FEWEST_FOR_FLOORS:
            return
        texts = [self._read.texts[text] for text in known]
        drawn = known[unrelated_pairs(texts, UNRELATED_PAIRS, seed)]
        readings = self._read.hold(np.unique(drawn))
        compared = []
        for start in range(0, len(drawn), _TOGETHER):
            pairs = drawn[start : start + _TOGETHER]
            ready = self._ready(np.unique(pairs).tolist(), readings)
            words = [(ready[one].words, ready[other].words) for one, other in pairs.tolist()]
            compared.append(compare_words(words, cosine_matrix))
        self.floors = estimated_floors(np.concatenate(compared), self.floors)

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs.

        Args:
            pairs: numbers of the baseline's and the candidate's text.
            cosines: cosines of the pairs' vectors.
            readings: token states of the texts by number.
        """
        if not pairs:
            return []
        ready = self._ready(list(dict.fromkeys(text for pair in pairs for text in pair)), readings)
        sides = [(ready[candidate], ready[baseline]) for baseline, candidate in pairs]
        # Cosines are computed in single precision in small blocks: a larger product would wait for threads
        # that the engine keeps busy.
        compared = compare_words([(ours.words, theirs.words) for ours, theirs in sides], cosine_matrix)
        scored = greedy_scores(
            (cosine_matrix(ours.tokens, theirs.tokens) for ours, theirs in sides),
            [(ours.weights, theirs.weights) for ours, theirs in sides],
        )
        texts = [(self._read.texts[candidate], self._read.texts[baseline]) for baseline, candidate in pairs]
        guarded = [guards_read(*both) for both in texts]
        findings = [
            tuple(self._guards.check(*both)) if looked else ()
            for both, looked in zip(texts, guarded, strict=True)
        ]
        across = np.array([are_across(*both, self._languages) for both in texts])
        match = self._match(compared, findings, across)
        values = np.array([match, [one.f1 for one in scored], cosines]).T
        unread = self._read.unread[np.array(pairs)]
        values[unread.any(axis=1)] = np.nan
        return [
            PairScores(dict(zip(_SCORES, own, strict=True)), (*found, *self._figures(*both)), neither, looked)
            for own, found, both, neither, looked in zip(
                values.tolist(), findings, texts, unread.all(axis=1).tolist(), guarded, strict=True
            )
        ]

    def _figures(self, prediction: str, reference: str) -> list[Finding]:
        """Compare the digits of texts that the number guard does not read; ``match`` does not weigh them."""
        if self._guards.modes["number"] is Mode.OFF:
            return []
        if guards_read(prediction, reference) and all(map(is_english_script, (prediction, reference))):
            return []
        languages = language_of(prediction), language_of(reference)
        return figure_findings(prediction, reference, languages=languages)

    def _match(self, compared: Floats, findings: Sequence[tuple[Finding, ...]], across: Mask) -> Floats:
        similar = layer_similarities(compared, self._calibration.recall_share)
        layers = {name: above_floor(similar[name], self.floors[name]) for name in LAYERS}
        for name in LAYERS_OF_WORDS:
            layers[name][across] = np.nan
        weighed = (self._guards.weighed(found) for found in findings)
        penalties = (penalty_of(found, self._calibration.penalties) for found in weighed)
        return combine(layers, np.fromiter(penalties, np.float64, len(findings)), self._calibration.shares)

    def _over(self, corpus: Iterable[Iterable[str]]) -> WordVectorizer:
        weights = WordWeights.over(corpus, stop=self._calibration.stop_weight)
        return self._layers.over(self._read.spelled, weights, np.float32)

    def _ready(self, texts: Sequence[int], readings: Mapping[int, Reading]) -> dict[int, _ReadyText]:
        """Compute vectors and weights of several texts at once: faster than one by one, and the same."""
        self._read.spelled.spell(texts)
        self._words.learn(texts)
        tokens = self._read.spelled.tokens
        layers = [
            np.concatenate(states, dtype=np.float32)
            for states in zip(*(readings[text] for text in texts), strict=True)
        ]
        words = self._words.vectors(texts, layers[-1])
        units = unit_rows(layers[0], out=layers[0])
        weights = self._token_weights.of(np.concatenate([tokens.of(text) for text in texts]))
        rows = (slice(*bounds) for bounds in pairwise([0, *np.cumsum(tokens.lengths_of(texts)).tolist()]))
        return {
            text: _ReadyText(each, units[own], weights[own])
            for text, each, own in zip(texts, words, rows, strict=True)
        }
