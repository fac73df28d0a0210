"""Similarity of pairs in three layers: words alone, words in context, whole texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.matching.calibrated.arithmetic import LAYERS, weighted_mean
from semscale.matching.pair_scheduling import plan_steps
from semscale.matching.words.contextual_vectors import WordVectorizer
from semscale.matching.words.static_vectors import ReadStates, StaticVectors
from semscale.matching.words.subjects import SubjectWeights
from semscale.matching.words.tokenized_texts import TokenizedTexts
from semscale.matching.words.vectors import MEASURES, WordVectors, compare_words
from semscale.matching.words.weights import WordWeights
from semscale.types import Floats, Integers, Progress

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_states import TokenEncoder

FRESH_BYTES = 128 << 20  # states of texts that are read in one step
KEPT_BYTES = 256 << 20  # vectors of texts that are kept for later pairs

_TOGETHER = 64  # pairs that are compared, and reported, together


@dataclass(frozen=True)
class LayerSimilarities:
    """Similarities of p pairs, each of shape (p,), 0 to 1; NaN where a text has no token."""

    word_precision: Floats
    word_recall: Floats
    context_precision: Floats
    context_recall: Floats
    text: Floats

    def layers(self, recall_share: float) -> dict[str, Floats]:
        """Give the similarity in each of ``LAYERS``; ``recall_share`` weighs recall in those of words."""
        word = weighted_mean(self.word_precision, self.word_recall, recall_share)
        context = weighted_mean(self.context_precision, self.context_recall, recall_share)
        return dict(zip(LAYERS, (word, context, self.text), strict=True))


class WordLayers:
    """Measures pairs of texts; a pair's numbers depend on its two texts and the weights alone.

    Args:
        encoder: gives the states of tokens, of which the last layer's are compared.
        subject: weights of the words of subjects.
        read: reads the states of word pieces; by default the encoder.
    """

    def __init__(
        self, encoder: "TokenEncoder", subject: SubjectWeights, *, read: ReadStates | None = None
    ) -> None:
        self._encoder = encoder
        self._subject = subject
        self._layer = encoder.layers
        self._static = StaticVectors(encoder, encoder.layers, read)

    def measure(
        self,
        read: TokenizedTexts,
        prediction: Integers,
        reference: Integers,
        weights: WordWeights,
        progress: Progress | None = None,
    ) -> LayerSimilarities:
        """Measure pairs.

        Args:
            read: the texts.
            prediction: shape (p,), which text is the prediction.
            reference: shape (p,), which text is the reference.
            weights: weights of words.
            progress: called while pairs are measured.
        """
        values = np.full((len(prediction), MEASURES), np.nan)
        done = 0
        for pairs, words in self.word_vectors(read, prediction, reference, weights):
            values[pairs] = compare_words(words)
            done += len(pairs)
            if progress:
                progress("scoring pairs", done, len(values))
        return LayerSimilarities(*values.T.copy())

    def word_vectors(
        self, read: TokenizedTexts, prediction: Integers, reference: Integers, weights: WordWeights
    ) -> Iterator[tuple[Integers, list[tuple[WordVectors, WordVectors]]]]:
        """Give the words' vectors of pairs, some pairs at a time, in an order that reads each text once.

        Args:
            read: the texts.
            prediction: shape (p,), which text is the prediction.
            reference: shape (p,), which text is the reference.
            weights: weights of words.

        Yields:
            Numbers of the pairs, and for each the vectors of its prediction and of its reference.
        """
        vectorizer = self.over(read, weights)
        vectorizer.learn(np.unique(np.concatenate([prediction, reference])).tolist())
        kept: dict[int, WordVectors] = {}
        token = 4 * self._encoder.hidden
        room = {"fresh_tokens": FRESH_BYTES // token, "kept_tokens": KEPT_BYTES // (4 * token)}
        for step in plan_steps(prediction, reference, read.tokens.lengths, **room):
            kept.update(self._vectors(read, step.fresh, vectorizer))
            for start in range(0, len(step.pairs), _TOGETHER):
                pairs = step.pairs[start : start + _TOGETHER]
                texts = zip(prediction[pairs].tolist(), reference[pairs].tolist(), strict=True)
                yield pairs, [(kept[ours], kept[theirs]) for ours, theirs in texts]
            for text in step.dropped.tolist():
                del kept[text]

    def over(
        self, read: TokenizedTexts, weights: WordWeights, dtype: npt.DTypeLike = np.float64
    ) -> WordVectorizer:
        """Make the vectorizer of some texts' words.

        Args:
            read: the texts.
            weights: weights of words.
            dtype: type of the vectors of words.
        """
        return WordVectorizer(read, self._static, weights, self._subject, dtype)

    def _vectors(
        self, read: TokenizedTexts, texts: Integers, vectorizer: WordVectorizer
    ) -> Iterator[tuple[int, WordVectors]]:
        for text, states in self._encoder.encode(read.tokens, texts, layer=self._layer):
            yield text, vectorizer.vectors([text], states)[0]
