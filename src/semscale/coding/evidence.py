"""Evidence for codes in sentences: similarity of meaning, and words that are near to a code's own words.

Both are measured in standard deviations of unrelated sentences. So models with different spreads of cosines
give figures on one scale, and one set of weights serves them all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.codebook import Code, Codebook
from semscale.coding.units import cut_between
from semscale.coding.words import content_words, is_evaluation, words_in
from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.guards.words import read_lexicon
from semscale.matching.pairs import are_in_other_languages
from semscale.rating.anchors import language_of_probes, unrelated_sentences
from semscale.results.languages import language_of
from semscale.types import Floats, Integers, Mask, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

FEATURES = ("similarity", "rival", "clause", "clause_rival", "length", "words", "definition", "examples")
"""Evidence for a code in a sentence, in the order of the last axis of ``SentenceEvidence.features``.

``similarity``: cosine of the sentence with the code's nearest texts. ``rival``: the same with the nearest
other code. ``clause`` and ``clause_rival``: the greatest of the sentence's clauses, likewise. ``length``:
logarithm of the number of words; sentences of fewer than four words count as four.
``words``: margin of the word that is nearest to a word of the code's texts, compared with other codes;
``definition`` and ``examples``: the same with the words of these texts alone.
"""

MEANING_FEATURES = ("similarity", "rival", "clause", "clause_rival")
WORD_FEATURES = ("words", "definition", "examples")

WEIGHTS = (-1.7, 0.35, -0.4, 0.26, -0.02, -0.43, 0.23, 0.25, -0.05)
"""Intercept and weights of the features, learned by ``bench/code_weights.py`` on eight domains."""

EQUAL_ERROR = -1.44
"""Weighted evidence at which a code is assigned in error as often as it is missed, learned likewise."""

NEAREST = 2
"""Number of a code's texts whose cosines with a sentence are averaged."""

MAX_COSINE = 0.95
"""Cosine of two codes' mean vectors, relative to unrelated sentences, above which they are too similar."""

_TOKEN = re.compile(r"\S+")
_LEAST_SPREAD = 0.02  # of cosines with unrelated texts, which a toy model may not have
_LEAST_LENGTH = 4  # words: "yes" and "nothing" are no stronger evidence than a sentence
_NO_WORD = -3.0  # margin of a sentence without a content word
_NO_RIVAL = 0.0  # similarity of the rival of a code that has none
_NO_LENGTH = 1e-6  # of a vector
_N_WORD_FEATURES = 3
_SHARPNESS_OF_WORDS = 4  # power of the cosine of similar words: .9 counts as .66, .5 as .06


@dataclass(frozen=True)
class SentenceEvidence:
    """Evidence for k codes in m sentences.

    Attributes:
        features: shape (m, k, 8), see ``FEATURES``; 0 for nets.
        vectors: shape (m, d), the sentences relative to unrelated ones, unit length.
        clauses: shape (m, k), position of the clause with the strongest evidence for each code.
        unread: shape (m,), mask of sentences that the model cannot read.
        foreign: shape (m,), mask of those of them that are in a language that it does not read.
    """

    features: Floats
    vectors: Floats
    clauses: Integers
    unread: Mask
    foreign: Mask

    @property
    def logits(self) -> Floats:
        """Weighted evidence, shape (m, k): above 0, the code is assigned."""
        logits: Floats = WEIGHTS[0] - EQUAL_ERROR + (self.features * WEIGHTS[1:]).sum(axis=2)
        return logits

    def some(self, rows: Mask) -> "SentenceEvidence":
        """Select the evidence in some sentences, by a mask."""
        return SentenceEvidence(
            self.features[rows],
            self.vectors[rows],
            self.clauses[rows],
            self.unread[rows],
            self.foreign[rows],
        )

    def part(self, features: Sequence[str]) -> Floats:
        """Weighted evidence of some features, shape (m, k)."""
        rows = [FEATURES.index(name) for name in features]
        part: Floats = (self.features[:, :, rows] * np.array(WEIGHTS[1:])[rows]).sum(axis=2)
        return part


class EvidenceReader:
    """Measures the evidence for the codes of a codebook in sentences.

    Args:
        codebook: k codes.
        embedder: embeds sentences, clauses and words.

    Attributes:
        language: ISO 639-1 code of the codebook's language; English if it cannot be told.

    Raises:
        InputError: two codes are too similar, or examples are no nearer to their own code than to others.
    """

    def __init__(self, codebook: Codebook, embedder: "Embedder") -> None:
        self._embedder = embedder
        self._is_net = np.array([code.is_net for code in codebook.codes])
        self._rivals = _rivals(codebook)
        texts = [text for code in codebook.codes for text in code.prototypes]
        self.language = language_of(" ".join(texts)) or "en"
        spoken = language_of_probes(self.language)
        unrelated = unrelated_sentences(spoken)
        background = self._embed(unrelated)
        self._space = _Space(background)
        self._positive = [self._space.place(self._embed(code.prototypes)) for code in codebook.codes]
        self._negative = [self._space.place(self._embed(code.negative_examples)) for code in codebook.codes]
        self._without_topic = self._space.place(self._embed(_texts_without_topic()))
        _check_alike(codebook, self._positive)
        nearness = self._nearness(self._space.place(background))
        self._usual, self._spread = nearness.mean(axis=0), _spread(nearness[:, ~self._is_net])
        self._check_examples(codebook)
        usual = sorted({word for text in unrelated for word in content_words(text, spoken)})
        self._words = _WordMargins(codebook, self.language, embedder, _Space(self._embed(usual)))
        self._words.fit(usual, self._rivals)

    def read(
        self, sentences: Sequence[str], clauses: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> SentenceEvidence:
        """Measure the evidence in m sentences.

        Args:
            sentences: m texts.
            clauses: the texts of each sentence's clauses, at least one.
            progress: called while texts are embedded.
        """
        parts = [text for texts in clauses for text in texts]
        first = np.cumsum([0, *map(len, clauses)])[:-1]
        pieces, where = distinct([*sentences, *parts])
        embedded = self._embedder.embed(pieces, progress=progress)
        placed = self._space.place(embedded.vectors)
        nearness = self._nearness(placed)
        nearness = (nearness - self._lack_of_topic(placed, nearness) - self._usual) / self._spread
        similarity, of_parts = nearness[where[: len(sentences)]], nearness[where[len(sentences) :]]
        best_part = np.maximum.reduceat(of_parts, first)
        words = [content_words(text, self.language) for text in parts]
        margins = self._words.margins(words, progress)
        lengths = np.array([np.log1p(max(len(words_in(text)), _LEAST_LENGTH)) for text in sentences])
        features = np.concatenate(
            [
                np.stack(
                    [
                        similarity,
                        strongest_rival(similarity, self._rivals),
                        best_part,
                        strongest_rival(best_part, self._rivals),
                        np.repeat(lengths[:, None], similarity.shape[1], axis=1),
                    ],
                    axis=2,
                ),
                np.maximum.reduceat(margins, first),
            ],
            axis=2,
        )
        features[:, self._is_net] = 0.0
        foreign = are_in_other_languages(sentences, self._embedder.signature)
        strength = of_parts * (WEIGHTS[1] + WEIGHTS[3]) + (margins * WEIGHTS[-_N_WORD_FEATURES:]).sum(axis=2)
        return SentenceEvidence(
            features,
            placed[where[: len(sentences)]],
            _positions_of_largest(strength, first),
            embedded.unread[where[: len(sentences)]] | foreign,
            foreign,
        )

    def split(self, clause: str, codes: Sequence[int]) -> dict[int, str]:
        """Split a clause between the words that name its codes, such as "staff nice food cold".

        Args:
            clause: a clause that was read.
            codes: positions of the codes that it has.

        Returns:
            The piece with each code that a word names; empty if fewer than two words name codes.
        """
        tokens = list(_TOKEN.finditer(clause))
        words = [content_words(token.group(), self.language) for token in tokens]
        margins = self._words.margins(words)[:, codes, 0]
        margins[[any(is_evaluation(word, self.language) for word in some) for some in words]] = _NO_WORD
        named = {
            code: int(column.argmax())
            for code, column in zip(codes, margins.T, strict=True)
            if column.max() > 0
        }
        topics = sorted(set(named.values()))
        if len(topics) < 2:
            return {}
        starts = [tokens[cut].start() for cut in cut_between(topics, list(map(bool, words)))]
        pieces = [clause[start:end].strip() for start, end in pairwise([0, *starts, len(clause)])]
        return {code: pieces[topics.index(word)] for code, word in named.items()}

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._embedder.dimensions), np.float32)
        return self._embedder.embed(list(texts)).vectors

    def _nearness(self, placed: Floats) -> Floats:
        """Compute the mean of the greatest cosines with each code's texts, shape (n, k); 0 for nets.

        The amount by which the nearest negative example exceeds it is subtracted.
        """
        nearness = np.zeros((len(placed), len(self._positive)))
        for code, (texts, negative) in enumerate(zip(self._positive, self._negative, strict=True)):
            if len(texts):
                nearness[:, code] = _mean_of_nearest(placed, texts)
            if len(negative):
                excess = _cosines(placed, negative).max(axis=1) - nearness[:, code]
                nearness[:, code] -= np.maximum(excess, 0)
        return nearness

    def _lack_of_topic(self, placed: Floats, nearness: Floats) -> Floats:
        """Compute by how much texts without a topic are nearer than every code, shape (n, 1); at least 0."""
        greatest = nearness[:, ~self._is_net].max(axis=1)
        excess = _mean_of_nearest(placed, self._without_topic) - greatest
        lack: Floats = np.maximum(excess, 0)[:, None]
        return lack

    def _check_examples(self, codebook: Codebook) -> None:
        """Refuse a codebook whose examples are on average no nearer to their own code than to others.

        An example is compared with all but one text of each code: with those beside itself of its own code.
        Nearness counts relative to that of unrelated sentences, as a wide code is near to everything.
        """
        own: list[float] = []
        others: list[float] = []
        for code, texts in enumerate(self._positive):
            for example in range(len(texts) - 1):
                vector, rest = texts[[example]], np.delete(texts, example, axis=0)
                own.append(float(_mean_of_nearest(vector, rest)[0] - self._usual[code]))
                for rival in np.flatnonzero(self._rivals[code]):
                    nearness = _nearness_without_one(vector, self._positive[rival])
                    others.append(nearness - float(self._usual[rival]))
        if not others:
            raise InputError(
                f"codebook {codebook.name!r} needs two codes of which neither is above the other: "
                "scores compare them"
            )
        if not np.mean(own) > np.mean(others):
            raise InputError(
                f"codebook {codebook.name!r}: examples are no nearer to their own code than to the others: "
                "give clearer examples and definitions, or another `embedder`"
            )


class _Space:
    """Vectors relative to a background: what all texts share would otherwise count as similarity."""

    def __init__(self, background: Vectors) -> None:
        self._mean: Floats = background.astype(np.float64).mean(axis=0)

    def place(self, vectors: Vectors) -> Floats:
        """Place vectors (n, d) in the space, with unit length; a vector without a direction is 0."""
        centred = vectors.astype(np.float64) - self._mean
        length = np.linalg.norm(centred, axis=1, keepdims=True)
        placed: Floats = np.divide(centred, length, out=np.zeros_like(centred), where=length > _NO_LENGTH)
        return placed


class _WordMargins:
    """Margins of words: how much nearer a word is to a code's words than to those of the nearest other code.

    There are three margins: with the words of all of a code's texts, of its name, definition and keywords,
    and of its examples. A word counts less if other codes have it, or similar words. Every word is embedded
    once.
    """

    def __init__(self, codebook: Codebook, language: str, embedder: "Embedder", space: _Space) -> None:
        self._embedder, self._space = embedder, space
        groups = [
            [topic_words(code, texts, language) for code, texts in zip(codebook.codes, group, strict=True)]
            for group in (
                [code.texts for code in codebook.codes],
                [(code.name, code.definition, *code.keywords) for code in codebook.codes],
                [code.examples for code in codebook.codes],
            )
        ]
        self._vocabulary = sorted({word for group in groups for words in group for word in words})
        index = {word: position for position, word in enumerate(self._vocabulary)}
        self._columns = [[[index[word] for word in words] for words in group] for group in groups]
        self._known: dict[str, int] = {}

    def fit(self, usual: Sequence[str], rivals: Mask) -> None:
        """Set the scale of margins by usual words.

        Args:
            usual: words without a relation to any codebook.
            rivals: shape (k, k), codes that are compared.
        """
        self._rivals = rivals
        self._own = self._place(self._vocabulary)
        self._n_codes = self._count_codes()
        nearness = self._nearness(self._place(usual))
        self._usual = nearness.mean(axis=0)
        self._spread = np.array([_spread(nearness[:, group]) for group in range(_N_WORD_FEATURES)])
        self._margins = np.full((1, len(rivals), _N_WORD_FEATURES), _NO_WORD)

    def margins(self, texts: Sequence[Sequence[str]], progress: Progress | None = None) -> Floats:
        """Return the greatest margins of the words of n texts, shape (n, k, 3).

        Args:
            texts: the content words of each text; may be empty.
            progress: called while words are embedded.
        """
        new = [word for word in dict.fromkeys(word for words in texts for word in words)]
        new = [word for word in new if word not in self._known]
        if new:
            scaled = (self._nearness(self._place(new, progress)) - self._usual) / self._spread[:, None]
            rivals = np.stack(
                [strongest_rival(scaled[:, group], self._rivals) for group in range(_N_WORD_FEATURES)], axis=1
            )
            self._known.update({word: len(self._margins) + index for index, word in enumerate(new)})
            self._margins = np.concatenate([self._margins, np.moveaxis(scaled - rivals, 1, 2)])
        numbers = [[self._known[word] for word in words] or [0] for words in texts]
        first = np.cumsum([0, *map(len, numbers)])[:-1]
        flat = np.array([number for row in numbers for number in row], dtype=np.int64)
        if not len(flat):
            return np.zeros((0, *self._margins.shape[1:]))
        greatest: Floats = np.maximum.reduceat(self._margins[flat], first)
        return greatest

    def _place(self, words: Sequence[str], progress: Progress | None = None) -> Floats:
        if not words:
            return np.zeros((0, self._embedder.dimensions))
        return self._space.place(self._embedder.embed(list(words), progress=progress).vectors)

    def _count_codes(self) -> Floats:
        """Return the number of codes with each word, shape (v,), at least 1.

        A code with a similar word counts in part, by a power of the cosine.
        """
        similar = np.maximum(_cosines(self._own, self._own), 0) ** _SHARPNESS_OF_WORDS
        counts: Floats = np.sum(
            [similar[:, words].max(axis=1) for words in self._columns[0] if words], axis=0
        )
        return np.maximum(counts, 1.0)

    def _nearness(self, placed: Floats) -> Floats:
        """Return the greatest cosine with a word of each code, shape (n, 3, k)."""
        cosines = _cosines(placed, self._own) / self._n_codes
        nearness = np.zeros((len(placed), _N_WORD_FEATURES, len(self._columns[0])))
        for number, group in enumerate(self._columns):
            for code, words in enumerate(group):
                if words:
                    nearness[:, number, code] = cosines[:, words].max(axis=1)
        return nearness


def topic_words(code: Code, texts: Sequence[str], language: str) -> tuple[str, ...]:
    """List the words of a code's texts that name its topic; keywords count whatever they are."""
    if code.is_net:
        return ()
    words: dict[str, None] = {}
    for text in texts:
        if text in code.keywords:
            words |= dict.fromkeys(words_in(text))
        else:
            topical = (word for word in content_words(text, language) if not is_evaluation(word, language))
            words |= dict.fromkeys(topical)
    return tuple(words)


def _texts_without_topic() -> tuple[str, ...]:
    """List texts that no code of any codebook describes."""
    return tuple(
        text.strip()
        for texts in read_lexicon("no_topic", "semscale.coding").values()
        for text in texts.split("/")
    )


def strongest_rival(values: Floats, rivals: Mask) -> Floats:
    """Return the greatest value of each code's rivals, shape (n, k).

    Args:
        values: shape (n, k).
        rivals: shape (k, k), true in row i for the codes that are compared with code i.

    Examples:
        >>> strongest_rival(np.array([[3.0, 1.0, 2.0]]), ~np.eye(3, dtype=bool)).tolist()
        [[2.0, 3.0, 3.0]]
    """
    columns = [values[:, row].max(axis=1) if row.any() else np.full(len(values), _NO_RIVAL) for row in rivals]
    return np.stack(columns, axis=1)


def _rivals(codebook: Codebook) -> Mask:
    names, codes = codebook.names, codebook.codes
    return np.array([
        [not other.is_net and not codebook.are_related(name, other.name) for other in codes] for name in names
    ])  # fmt: skip


def _cosines(vectors: Floats, texts: Floats) -> Floats:
    """Compute cosines (n, p) of n vectors with p texts, bit-identical regardless of the other vectors.

    The order in which a matrix product sums depends on its shape, so each vector has its own product.
    """
    return np.asarray(np.matmul(texts[None], vectors[:, :, None])[:, :, 0])


def _mean_of_nearest(vectors: Floats, texts: Floats) -> Floats:
    nearest = min(NEAREST, len(texts))
    mean: Floats = np.partition(_cosines(vectors, texts), -nearest, axis=1)[:, -nearest:].mean(axis=1)
    return mean


def _nearness_without_one(vector: Floats, texts: Floats) -> float:
    """Return the nearness of a vector (1, d) to all but one of the texts, on average over the one."""
    parts = [np.delete(texts, text, axis=0) for text in range(len(texts))]
    return float(np.mean([_mean_of_nearest(vector, part)[0] for part in parts]))


def _spread(nearness: Floats) -> float:
    """Return the standard deviation around the mean of each column."""
    return max(float((nearness - nearness.mean(axis=0)).std()), _LEAST_SPREAD)


def _positions_of_largest(values: Floats, first: Integers) -> Integers:
    """Return the position of the largest value in each group of rows, shape (m, k).

    Args:
        values: shape (n, k).
        first: shape (m,), first row of each group.
    """
    parts = np.split(values, first[1:])
    return np.array([part.argmax(axis=0) for part in parts], dtype=np.int64).reshape(len(first), -1)


def _check_alike(codebook: Codebook, positive: Sequence[Floats]) -> None:
    """Check that no two codes are too similar, except a code and one above it."""
    named = [
        (code.name, part) for code, part in zip(codebook.codes, positive, strict=True) if not code.is_net
    ]
    means = np.stack([vectors.mean(axis=0) for _, vectors in named])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), _NO_LENGTH)
    cosines = means @ means.T
    for later, (name, _) in enumerate(named):
        for earlier, (other, _) in enumerate(named[:later]):
            if cosines[later, earlier] > MAX_COSINE and not codebook.are_related(name, other):
                raise InputError(
                    f"codes {other!r} and {name!r} are alike (cosine {cosines[later, earlier]:.3f}, at most "
                    f"{MAX_COSINE:g}): join them, or tell them apart by other examples and definitions"
                )
