"""How alike pairs are layer by layer: words by themselves, words in context, whole texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.matching.calibrated import LAYERS, lean
from semscale.matching.reuse import plan_steps
from semscale.matching.static_words import ReadStates, StaticPieces, Word, pieces_of
from semscale.matching.subjects import starts_with_pronoun, subject_length, weigh_subject
from semscale.matching.token_words import WordWeights, find_words, join_words, unit_rows
from semscale.matching.word_vectors import WordVectors, compare_words
from semscale.types import Floats, Integers, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder
    from semscale.matching.token_words import TokenWords

FRESH_BYTES = 128 << 20  # states of texts that are read in one step
KEPT_BYTES = 256 << 20  # vectors of texts that are kept for later pairs

_REPORTED = 64  # pairs between two reports of progress


@dataclass(frozen=True)
class Measured:
    """Similarities of p pairs, each of shape (p,), 0 to 1; NaN where a text has no token."""

    word_precision: Floats
    word_recall: Floats
    context_precision: Floats
    context_recall: Floats
    text: Floats

    def layers(self, recall_share: float) -> dict[str, Floats]:
        """Give the similarity in each of ``LAYERS``, with what recall counts in those of words."""
        word = lean(self.word_precision, self.word_recall, recall_share)
        context = lean(self.context_precision, self.context_recall, recall_share)
        return dict(zip(LAYERS, (word, context, self.text), strict=True))


@dataclass(frozen=True)
class SubjectWeights:
    """What a subject's words count: ``usual`` ones, and those that the other text has ``for_pronoun``."""

    usual: float
    for_pronoun: float


class TextsRead:
    """Texts with their tokens and words.

    Args:
        texts: distinct.
        encoder: whose tokens.
        words: whether to find all words at once; otherwise those of a text are found by ``spell``.

    Attributes:
        tokens: of all texts.
        words: of each text, by its number.
        pieces: of the words of each text, likewise.
    """

    def __init__(self, texts: Sequence[str], encoder: "TokenEncoder", *, words: bool = True) -> None:
        self._texts = texts
        self._spelled = encoder.reader.spell_all(texts)
        self.tokens = self._spelled.tokens
        self.words: dict[int, TokenWords] = {}
        self.pieces: dict[int, list[Word]] = {}
        if words:
            self.spell(range(len(texts)))

    def spell(self, texts: Iterable[int]) -> None:
        """Find the words of those of the texts whose words are not known yet."""
        for text in texts:
            if text not in self.words:
                offsets, special = self._spelled.places(text)
                self.words[text] = find_words(self._texts[text], offsets, special)
                self.pieces[text] = pieces_of(self._texts[text], offsets, self.words[text])

    def forget(self, texts: Iterable[int]) -> None:
        """Let go of the words of some texts."""
        for text in texts:
            self.words.pop(text, None)
            self.pieces.pop(text, None)


class WordLayers:
    """Measures pairs of texts; a pair's numbers depend on its two texts and the weights alone.

    Args:
        encoder: gives the states of tokens; those of its last layer are compared.
        subject: what the words of subjects count.
        read: gives the states of word pieces; the encoder does unless given.
    """

    def __init__(
        self, encoder: "TokenEncoder", subject: SubjectWeights, *, read: ReadStates | None = None
    ) -> None:
        self._encoder = encoder
        self._subject = subject
        self._layer = encoder.layers
        self._static = StaticPieces(encoder, encoder.layers, read)

    def measure(
        self,
        read: TextsRead,
        prediction: Integers,
        reference: Integers,
        weights: WordWeights,
        progress: Progress | None = None,
    ) -> Measured:
        """Measure pairs.

        Args:
            read: the texts.
            prediction: shape (p,), which text is the prediction.
            reference: shape (p,), which text is the reference.
            weights: of words.
            progress: called while pairs are measured.
        """
        self.learn(read, np.unique(np.concatenate([prediction, reference])).tolist())
        values = np.full((len(prediction), 5), np.nan)
        kept: dict[int, WordVectors] = {}
        token = 4 * self._encoder.hidden
        room = {"fresh_tokens": FRESH_BYTES // token, "kept_tokens": KEPT_BYTES // (4 * token)}
        done = 0
        for step in plan_steps(prediction, reference, read.tokens.lengths, **room):
            kept.update(self._vectors(read, step.fresh, weights))
            for pair in step.pairs.tolist():
                values[pair] = compare_words(kept[int(prediction[pair])], kept[int(reference[pair])])
                done += 1
                if progress and (done % _REPORTED == 0 or done == len(values)):
                    progress("scoring pairs", done, len(values))
            for text in step.dropped.tolist():
                del kept[text]
        return Measured(*values.T.copy())

    def learn(self, read: TextsRead, texts: Iterable[int]) -> None:
        """Read the word pieces of some texts that are new."""
        self._static.learn(piece for text in texts for word in read.pieces[text] for piece in word)

    def vectors(
        self,
        read: TextsRead,
        texts: Sequence[int],
        states: Sequence[Vectors],
        weights: WordWeights,
        dtype: npt.DTypeLike = np.float64,
    ) -> list[WordVectors]:
        """Give what is compared of some texts, each as if it stood alone.

        Args:
            read: texts whose pieces were learned.
            texts: which of them.
            states: their tokens' states after the last layer, each of shape (t, hidden).
            weights: of words.
            dtype: of the vectors of words.
        """
        words = [read.words[text] for text in texts]
        joined = join_words(words, [len(each) for each in states])
        plain = weights.of(joined.words)
        static = self._static.words([piece for text in texts for piece in read.pieces[text]])
        context = joined.pooled(np.concatenate(states))
        static, context = static.astype(dtype, copy=False), context.astype(dtype, copy=False)
        means = np.array([each.mean(axis=0) for each in states], np.float64)
        found, start = [], 0
        for own, text in zip(words, unit_rows(means), strict=True):
            rows = slice(start, start := start + len(own))
            length = subject_length(own.words)
            found.append(
                WordVectors(
                    static=static[rows],
                    context=context[rows],
                    text=text,
                    weights=weigh_subject(plain[rows], length, self._subject.usual),
                    to_pronoun=weigh_subject(plain[rows], length, self._subject.for_pronoun),
                    is_pronoun=starts_with_pronoun(own.words),
                )
            )
        return found

    def _vectors(
        self, read: TextsRead, texts: Integers, weights: WordWeights
    ) -> Iterator[tuple[int, WordVectors]]:
        for text, states in self._encoder.encode(read.tokens, texts, layer=self._layer):
            yield text, self.vectors(read, [text], [states], weights)[0]
