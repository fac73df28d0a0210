"""Words of texts: their tokens, weights and vectors, and the comparison of texts word by word."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.guards.words import word_list
from semscale.matching.cosines import BestCosines, Rows, best_cosines, mean_best, plan_steps, unit_rows
from semscale.types import Floats, Ids, Integers, Mask, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder, TokenIds, TokenReader

FRESH_BYTES = 128 << 20  # states of texts that are read in one step
KEPT_BYTES = 256 << 20  # vectors of texts that stay in memory for later pairs
MOST_KEPT = 4096
"""Maximum number of pieces whose vectors stay in memory, 13 MB at a width of 384."""

_SPELLED_TOGETHER = 256  # texts
_COMPARED_TOGETHER = 64  # pairs that are compared, and reported, together
_SAME = 1e-6  # equal vectors have cosines this near 1, as they are rounded
_LONGEST_SUBJECT = 9  # words

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# An ideograph is a word of its own, as tokenizers have it; other letters and digits make a word together.
_WORD = re.compile(rf"([{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+)")

_AUXILIARIES = word_list("auxiliaries")
_BEFORE_SUBJECTS = word_list("before_subjects")
_PRONOUNS = word_list("subject_pronouns")
_TELLING = word_list("telling_stop_words")

Spelled = str | tuple[str, ...]
"""A word as it is written in a text; followed by its tokens as they are written unless it is one token."""

Pieces = tuple[str, ...]
"""A word's pieces."""

ReadStates = Callable[["TokenIds", Sequence[str], Integers], Iterator[tuple[int, npt.NDArray[Any]]]]
"""Yields the states of some texts, (t, hidden), each with the text's number, in any order."""


class TokenizedTexts:
    """Texts with their tokens and words.

    Args:
        texts: distinct texts.
        encoder: has the tokenizer.
        words: whether to find all words at once; otherwise ``spell`` finds those of single texts.

    Attributes:
        tokens: tokens of all texts.
        vocabulary: all words that were found.
        words: words of each text, by its number. Shape (3, k): each word's number in the vocabulary, its
            first token, and the token after its last one.
        left_out: number of first tokens and of last tokens of each text that its mean leaves out.
    """

    def __init__(self, texts: Sequence[str], encoder: "TokenEncoder", *, words: bool = True) -> None:
        self._texts = texts
        self._spelled = encoder.reader.spell_all(texts)
        self.tokens = self._spelled.tokens
        self.vocabulary = Vocabulary()
        self.words: dict[int, Ids] = {}
        self.left_out = tokens_left_out(encoder.reader)
        if words:
            self.spell(range(len(texts)))

    def spell(self, texts: Iterable[int]) -> None:
        """Find the words of the texts whose words are not known yet."""
        new = [text for text in texts if text not in self.words]
        for start in range(0, len(new), _SPELLED_TOGETHER):
            self._spell(new[start : start + _SPELLED_TOGETHER])

    def forget(self, texts: Iterable[int]) -> None:
        """Release the words of some texts from memory."""
        for text in texts:
            self.words.pop(text, None)

    def concatenate(self, texts: Sequence[int]) -> tuple[Integers, Integers, Integers, Integers]:
        """Join the words of n texts end to end.

        Returns:
            Numbers of the k words, their first tokens, and the tokens after their last ones, each of shape
            (k,) and counted from the first text's first token; number of words of each text, shape (n,).
        """
        words = [self.words[text] for text in texts]
        counts = np.array([text_words.shape[1] for text_words in words])
        lengths = self.tokens.lengths_of(texts)
        before = np.repeat(np.cumsum(lengths) - lengths, counts)
        numbers, starts, ends = np.concatenate(words, axis=1)
        return numbers, starts + before, ends + before, counts

    def text(self, text: int) -> str:
        """Return a text by its number."""
        return self._texts[text]

    def words_of(self, text: int) -> list[str]:
        """List a text's words in their order, in lower case."""
        return [self.vocabulary.words[number] for number in self.words[text][0].tolist()]

    def _spell(self, texts: Sequence[int]) -> None:
        offsets, special = zip(*(self._spelled.places(text) for text in texts), strict=True)
        lengths = self.tokens.lengths_of(texts)
        spelled, starts, ends, counts = find_words(
            [self._texts[text] for text in texts], np.concatenate(offsets), np.concatenate(special), lengths
        )
        before = np.repeat(np.cumsum(lengths) - lengths, counts)
        columns = np.array([self.vocabulary.numbers(spelled), starts - before, ends - before], np.int32)
        stops: Integers = np.cumsum(counts)
        for text, start, stop in zip(texts, (stops - counts).tolist(), stops.tolist(), strict=True):
            self.words[text] = columns[:, start:stop]


def find_words(
    texts: Sequence[str], offsets: Integers | Ids, special: npt.NDArray[np.bool_], lengths: Integers
) -> tuple[list[Spelled], Integers, Integers, Integers]:
    """Find the words of texts among their tokens; marks are no words unless a text has nothing else.

    Args:
        texts: n of them.
        offsets: shape (t, 2), position of each token in its text.
        special: shape (t,), tokens that the tokenizer has added.
        lengths: shape (n,), tokens of each text.

    Returns:
        The k words of all texts with their tokens; the first token of each word, ascending; the token after
        its last one, both of shape (k,); and the number of words of each text, shape (n,).

    Examples:
        >>> offsets = np.array([[0, 0], [0, 2], [2, 6], [6, 7], [0, 0]])
        >>> special = np.array([True, False, False, False, True])
        >>> find_words(["unlike."], offsets, special, np.array([5]))[0]
        [('unlike', 'un', 'like')]
    """
    joined = "\n".join(texts)
    owner = np.repeat(np.arange(len(texts)), lengths)
    bounds = offsets + np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])[owner, None]
    read = np.flatnonzero((offsets[:, 1] > offsets[:, 0]) & ~special)
    spans, first, after = _words_among(joined, bounds[read])
    wordless = read[np.bincount(owner[read[first]], minlength=len(texts))[owner[read]] == 0]
    starts = np.concatenate([read[first], wordless])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.concatenate([read[after - 1], wordless])[order] + 1
    spans = np.concatenate([spans, bounds[wordless]])[order]
    spelled: list[Spelled] = [joined[start:end] for start, end in spans.tolist()]
    is_whole = (ends == starts + 1) & (bounds[starts] == spans).all(axis=1)
    for word in np.flatnonzero(~is_whole).tolist():
        tokens = bounds[starts[word] : ends[word]].tolist()
        spelled[word] = (str(spelled[word]), *(joined[start:end] for start, end in tokens))
    return spelled, starts, ends, np.bincount(owner[starts], minlength=len(texts))


def _words_among(text: str, bounds: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the words' first and last characters, their first tokens and the ones after their last.

    A token belongs to the word with its last character: some tokenizers count the space before it.
    """
    parts = _WORD.split(text)  # what is between words, and words, in turn
    spans = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))[:-1].reshape(-1, 2)
    tokens = np.searchsorted(np.maximum.accumulate(bounds[:, 1]), spans, side="right")
    read = tokens[:, 0] < tokens[:, 1]
    return spans[read], tokens[read, 0], tokens[read, 1]


class Vocabulary:
    """Words and how a tokenizer splits them.

    Attributes:
        words: lower case.
        pieces: the pieces of each, lower case.

    Examples:
        >>> vocabulary = Vocabulary()
        >>> vocabulary.numbers(["The", ("Unlike", "Un", "like"), "the"]).tolist()
        [0, 1, 0]
        >>> vocabulary.words, vocabulary.pieces
        (['the', 'unlike'], [('the',), ('un', 'like')])
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.pieces: list[Pieces] = []
        self._numbers: dict[tuple[str, Pieces], int] = {}
        self._spelled: dict[Spelled, int] = {}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, spelled: Sequence[Spelled]) -> Ids:
        """Return the numbers of k words, shape (k,); new words get the next ones."""
        known = self._spelled
        for word in dict.fromkeys(spelled):
            if word not in known:
                known[word] = self._number(word)
        return np.fromiter(map(known.__getitem__, spelled), np.int32, len(spelled))

    def _number(self, spelled: Spelled) -> int:
        word, pieces = (spelled, (spelled,)) if isinstance(spelled, str) else (spelled[0], spelled[1:])
        entry = word.lower(), tuple(piece.strip().lower() for piece in pieces)
        if entry not in self._numbers:
            self._numbers[entry] = len(self.words)
            self.words.append(entry[0])
            self.pieces.append(entry[1])
        return self._numbers[entry]


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop words of NLTK's corpus, with which the layered match was defined."""
    listed = resources.files("semscale.matching").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(listed.split())


@dataclass(frozen=True)
class WordWeights:
    """Weights of words, from the share of a corpus's texts that have them.

    Attributes:
        frequency: number of the corpus's texts that have each word.
        texts: number of the corpus's texts, at least 1.
        stop: weight of a stop word relative to other words, 0 to 1.
    """

    frequency: Counter[str]
    texts: int
    stop: float

    @classmethod
    def over(cls, corpus: Iterable[Iterable[str]], *, stop: float) -> "WordWeights":
        """Count the texts in which each word occurs."""
        frequency: Counter[str] = Counter()
        texts = 0
        for words in corpus:
            frequency.update(set(words))
            texts += 1
        return cls(frequency, texts, stop)

    def of(self, words: Sequence[str]) -> Floats:
        """Compute ``1 + ln((N + 1) / (df + 1)) / ln(N + 1)``: 1 for a word in all N texts, 2 for one in none.

        Returns:
            Shape (k,), 1 to 2; a stop word's weight is multiplied by ``stop``.

        References:
            Spärck Jones 1972, doi:10.1108/eb026526, scaled by its greatest value.

        Examples:
            >>> weights = WordWeights.over([["the", "heart"], ["the", "lung"], ["the", "lung"]], stop=0.5)
            >>> weights.of(["the", "lung", "liver"]).round(2).tolist()
            [0.5, 1.21, 2.0]
        """
        df = np.array([self.frequency[word] for word in words], np.float64)
        grammatical = np.array([word in _grammatical() for word in words], np.bool_)
        rarity = 2 - np.log(df + 1) / np.log(self.texts + 1)
        return np.asarray(np.where(grammatical, self.stop, 1.0) * rarity)


@cache
def _grammatical() -> frozenset[str]:
    return stop_words() - frozenset(_TELLING)


def word_roles(words: Sequence[str]) -> Mask:
    """Mark which of k words are auxiliary verbs, can precede a subject, or are pronouns for a subject.

    Returns:
        Shape (k, 3).
    """
    roles = [(word in _AUXILIARIES, word in _BEFORE_SUBJECTS, word in _PRONOUNS) for word in words]
    return np.array(roles, np.bool_).reshape(-1, 3)


def subject_lengths(roles: Mask, counts: Integers) -> Integers:
    """Count the words before a text's first auxiliary verb; 0 if there is none, or only after more than nine.

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Examples:
        >>> roles = word_roles("the left lung is affected no change".split())
        >>> subject_lengths(roles, np.array([5, 2])).tolist()
        [3, 0]
    """
    positions = _first_marked(roles[:, 0], counts)
    return np.where((positions < counts) & (positions <= _LONGEST_SUBJECT), positions, 0)


def start_with_pronoun(roles: Mask, counts: Integers) -> Mask:
    """Return which texts have a pronoun for their subject: "because they are connected".

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Examples:
        >>> roles = word_roles("because they are lungs are".split())
        >>> start_with_pronoun(roles, np.array([3, 2])).tolist()
        [True, False]
    """
    positions = _first_marked(~roles[:, 1], counts)
    words = np.cumsum(counts) - counts + positions
    return np.asarray((positions < counts) & np.append(roles[:, 2], False)[words])


def _first_marked(marked: Mask, counts: Integers) -> Integers:
    """Return the position of each text's first marked word, shape (n,); beyond its end if none is marked."""
    starts = np.cumsum(counts) - counts
    words = np.append(np.flatnonzero(marked), len(marked))
    return np.asarray(words[np.searchsorted(words, starts)] - starts)


def tokens_left_out(reader: "TokenReader") -> tuple[int, int]:
    """Return how many first and how many last tokens of every text its mean leaves out.

    With a prefix such as "query: ", all tokens that do not belong to the text are left out. Without a prefix
    none is: sentence models average [CLS] and [SEP], too.
    """
    return (reader.before, reader.after) if reader.prefix.strip() else (0, 0)


def text_means(
    states: npt.NDArray[np.floating[Any]], lengths: Integers, left_out: tuple[int, int] = (0, 0)
) -> Vectors:
    """Average the states of each text's tokens; if all are left out, all count.

    Args:
        states: shape (t, hidden), those of n texts, end to end.
        lengths: shape (n,), tokens of each text.
        left_out: numbers of each text's first and last tokens that do not count.

    Returns:
        Shape (n, hidden).

    Examples:
        >>> states = np.array([[9.0], [1.0], [3.0], [9.0], [9.0], [7.0]])
        >>> text_means(states, np.array([4, 2]), (1, 1)).tolist()
        [[2.0], [8.0]]
    """
    before, after = np.where(lengths > sum(left_out), np.array(left_out)[:, None], 0)
    ends = np.cumsum(lengths)
    starts, stops = ends - lengths + before, ends - after
    rows = states.astype(np.float32, copy=False)
    sums = [np.add.reduce(rows[start:stop], axis=0) for start, stop in zip(starts, stops, strict=True)]
    means: Vectors = np.divide(sums, (stops - starts)[:, None], dtype=np.float32)
    return means


def word_means(states: npt.NDArray[Rows], starts: Integers, ends: Integers) -> npt.NDArray[Rows]:
    """Average the states of each word's tokens, added up in their order.

    Args:
        states: shape (t, hidden).
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.

    Returns:
        Shape (k, hidden).

    Examples:
        >>> word_means(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1]), np.array([1, 3])).tolist()
        [[1.0], [3.0]]
    """
    means = states[starts]
    counts = ends - starts
    longer = several = np.flatnonzero(counts > 1)
    position = 1
    while len(longer):
        means[longer] += states[starts[longer] + position]
        position += 1
        longer = longer[counts[longer] > position]
    means[several] /= counts[several, None].astype(states.dtype)
    return means


class StaticVectors:
    """Vectors of word pieces, computed when a piece first occurs.

    Any unknown word can be a piece, so vectors are dropped when there are too many; a piece that is read
    again has the same vector.

    Args:
        encoder: reads a piece; its vector is the mean of its tokens' states, scaled to length 1; tokens of a
            model's prefix do not count.
        layer: number of the layer whose states are used.
        read: reads the pieces' states at that layer, up to a factor; by default the encoder.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, read: ReadStates | None = None) -> None:
        self._encoder = encoder
        self._left_out = tokens_left_out(encoder.reader)
        self._read = read or (lambda tokens, _, wanted: encoder.encode(tokens, wanted, layer=layer))
        self._vectors: dict[str, Floats] = {}
        self.hidden = encoder.hidden

    def words(self, words: Sequence[Pieces]) -> Floats:
        """Average the vectors of each word's pieces, scaled to length 1; new pieces are read.

        Args:
            words: the pieces of k words.

        Returns:
            Shape (k, hidden).
        """
        vectors = self._learn(piece for word in words for piece in word)
        means = [np.mean([vectors[piece] for piece in word], axis=0) for word in words]
        return unit_rows(np.array(means, np.float64).reshape(len(words), self.hidden))

    def _learn(self, pieces: Iterable[str]) -> dict[str, Floats]:
        """Return the vectors of these and earlier pieces; too many are dropped before the next call."""
        vectors = self._vectors
        new = [piece for piece in dict.fromkeys(pieces) if piece not in vectors]
        tokens = self._encoder.reader.read(new)
        for row, states in self._read(tokens, new, np.arange(len(new))):
            mean = text_means(states, np.array([len(states)]), self._left_out)
            vectors[new[row]] = unit_rows(mean.astype(np.float64))[0]
        if len(vectors) > MOST_KEPT:
            self._vectors = {}
        return vectors


class WordTable:
    """Vectors, weights and roles of words, by their numbers.

    Args:
        vocabulary: the words; it may grow.
        static: computes their vectors.
        weights: weights of words.
        dtype: type of the vectors, float32 or float64.

    Attributes:
        vectors: shape (n, hidden), unit rows; rows of words that were not learned are 0.
        weights: shape (n,).
        roles: shape (n, 3).
    """

    def __init__(
        self, vocabulary: Vocabulary, static: StaticVectors, weights: WordWeights, dtype: npt.DTypeLike
    ) -> None:
        self._vocabulary = vocabulary
        self._static = static
        self._word_weights = weights
        self._is_learned = np.empty(0, np.bool_)
        self.vectors = np.empty((0, static.hidden), dtype)
        self.weights = np.empty(0)
        self.roles = np.empty((0, 3), np.bool_)

    def learn(self, numbers: Integers | Ids) -> None:
        """Compute vectors, weights and roles of the words that are new."""
        if len(self._vocabulary) > len(self.weights):
            # Twice the room at least, so that rows are seldom copied.
            rows = max(len(self._vocabulary), 2 * len(self.weights))
            self.vectors, self.roles = _longer(self.vectors, rows), _longer(self.roles, rows)
            self.weights, self._is_learned = _longer(self.weights, rows), _longer(self._is_learned, rows)
        new = np.unique(numbers[~self._is_learned[numbers]])
        if len(new):
            words = [self._vocabulary.words[number] for number in new.tolist()]
            self.vectors[new] = self._static.words(
                [self._vocabulary.pieces[number] for number in new.tolist()]
            )
            self.weights[new] = self._word_weights.of(words)
            self.roles[new] = word_roles(words)
            self._is_learned[new] = True


def _longer(rows: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros((length, *rows.shape[1:]), rows.dtype)
    longer[: len(rows)] = rows
    return longer


@dataclass(frozen=True)
class WordVectors:
    """One text of k words.

    Attributes:
        layers: shape (2, k, hidden), unit rows: each word without context, and in its context.
        text: shape (hidden,), unit vector of the whole text.
        weights: shape (k,), of its words.
        to_pronoun: shape (k,), weights compared with a text that has a pronoun for the subject.
        is_pronoun: whether it has a pronoun for the subject itself.
    """

    layers: npt.NDArray[Any]
    text: Floats
    weights: Floats
    to_pronoun: Floats
    is_pronoun: bool

    def __len__(self) -> int:
        return len(self.weights)

    def weights_beside(self, other: "WordVectors") -> Floats:
        """Return the weights; the subject's are near 0 if the other text has a pronoun for it."""
        return self.to_pronoun if other.is_pronoun else self.weights


class WordVectorizer:
    """Vectors and weights of the words of texts, regardless of other texts.

    Args:
        read: texts with their tokens and words.
        static: computes the vectors of words without context.
        weights: weights of words.
        subject_weights: factors of the weights of a subject's words: usually, and compared with a text that
            has a pronoun for them.
        dtype: type of the words' vectors, float32 or float64.
    """

    def __init__(
        self,
        read: TokenizedTexts,
        static: StaticVectors,
        weights: WordWeights,
        subject_weights: tuple[float, float],
        dtype: npt.DTypeLike,
    ) -> None:
        self._read = read
        self._subject_weights = subject_weights
        self._dtype = dtype
        self._table = WordTable(read.vocabulary, static, weights, dtype)

    def learn(self, texts: Iterable[int]) -> None:
        """Read the words of some texts that are new; the texts must have been spelled."""
        numbers = [self._read.words[text][0] for text in texts]
        if numbers:
            self._table.learn(np.concatenate(numbers))

    def vectors(self, texts: Sequence[int], states: Vectors) -> list[WordVectors]:
        """Compute the vectors and weights of some texts' words.

        Args:
            texts: n >= 1 of them, whose words were learned.
            states: shape (tokens of all of them, hidden), after the last layer, end to end.
        """
        numbers, starts, ends, counts = self._read.concatenate(texts)
        layers = np.empty((2, len(numbers), states.shape[1]), self._dtype)
        # With another mode NumPy would fill an array of its own first.
        np.take(self._table.vectors, numbers, axis=0, out=layers[0], mode="clip")
        layers[1] = word_means(states, starts, ends)
        unit_rows(layers[1], out=layers[1])
        means = text_means(states, self._read.tokens.lengths_of(texts), self._read.left_out)
        whole = unit_rows(means.astype(np.float64))
        roles, plain = self._table.roles[numbers], self._table.weights[numbers]
        positions = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        in_subject = positions < np.repeat(subject_lengths(roles, counts), counts)
        weights, to_pronoun = (
            np.where(in_subject, plain * factor, plain) for factor in self._subject_weights
        )
        rows = (slice(*bounds) for bounds in pairwise([0, *np.cumsum(counts).tolist()]))
        columns = zip(rows, whole, start_with_pronoun(roles, counts).tolist(), strict=True)
        return [
            WordVectors(layers[:, words], text, weights[words], to_pronoun[words], is_pronoun)
            for words, text, is_pronoun in columns
        ]


class WordLayers:
    """Comparison of pairs of texts; a pair's values depend only on its two texts and the weights.

    Args:
        encoder: computes token states; those of the last layer are compared.
        subject_weights: factors of the weights of a subject's words: usually, and compared with a text that
            has a pronoun for them.
        read: reads the states of word pieces; by default the encoder.
    """

    def __init__(
        self, encoder: "TokenEncoder", subject_weights: tuple[float, float], *, read: ReadStates | None = None
    ) -> None:
        self._encoder = encoder
        self._subject_weights = subject_weights
        self._static = StaticVectors(encoder, encoder.layers, read)

    def measure(
        self,
        read: TokenizedTexts,
        prediction: Integers,
        reference: Integers,
        weights: WordWeights,
        progress: Progress | None = None,
    ) -> Floats:
        """Compare pairs.

        Args:
            read: the texts.
            prediction: shape (p,), number of each pair's prediction.
            reference: shape (p,), number of each pair's reference.
            weights: weights of words.
            progress: called while pairs are compared.

        Returns:
            Shape (p, 5), see ``compare_words``.
        """
        values = np.full((len(prediction), 5), np.nan)
        done = 0
        for pairs, words in self.word_vectors(read, prediction, reference, weights):
            values[pairs] = compare_words(words)
            done += len(pairs)
            if progress:
                progress("scoring pairs", done, len(values))
        return values

    def word_vectors(
        self, read: TokenizedTexts, prediction: Integers, reference: Integers, weights: WordWeights
    ) -> Iterator[tuple[Integers, list[tuple[WordVectors, WordVectors]]]]:
        """Yield the word vectors of pairs, some pairs at a time, in an order that reads each text once.

        Args:
            read: the texts.
            prediction: shape (p,), number of each pair's prediction.
            reference: shape (p,), number of each pair's reference.
            weights: weights of words.

        Yields:
            Numbers of the pairs, and for each the vectors of its prediction and of its reference.
        """
        vectorizer = self.over(read, weights)
        vectorizer.learn(np.unique(np.concatenate([prediction, reference])).tolist())
        vectors: dict[int, WordVectors] = {}
        token = 4 * self._encoder.hidden
        room = {"fresh_tokens": FRESH_BYTES // token, "kept_tokens": KEPT_BYTES // (4 * token)}
        for step in plan_steps(prediction, reference, read.tokens.lengths, **room):
            for text, states in self._encoder.encode(read.tokens, step.fresh, layer=self._encoder.layers):
                (vectors[text],) = vectorizer.vectors([text], states)
            for start in range(0, len(step.pairs), _COMPARED_TOGETHER):
                pairs = step.pairs[start : start + _COMPARED_TOGETHER]
                texts = zip(prediction[pairs].tolist(), reference[pairs].tolist(), strict=True)
                yield pairs, [(vectors[first], vectors[second]) for first, second in texts]
            for text in step.dropped.tolist():
                del vectors[text]

    def over(
        self, read: TokenizedTexts, weights: WordWeights, dtype: npt.DTypeLike = np.float64
    ) -> WordVectorizer:
        """Return the vectorizer of some texts' words.

        Args:
            read: the texts.
            weights: weights of words.
            dtype: type of the vectors of words.
        """
        return WordVectorizer(read, self._static, weights, self._subject_weights, dtype)


def _cosines(left: Floats, right: Floats) -> Floats:
    return left @ right.swapaxes(-1, -2)


def compare_words(
    pairs: Sequence[tuple[WordVectors, WordVectors]], cosines: Callable[[Any, Any], Any] = _cosines
) -> Floats:
    """Compute precision and recall of words alone and of words in context, and the cosine of the texts.

    Args:
        pairs: p predictions and their references.
        cosines: function that returns the cosines of all unit rows of two texts' layers.

    Returns:
        Shape (p, 5), 0 to 1: precision and recall of words alone, precision and recall in context, and the
        cosine; exactly 1 if every word has an equal. All NaN if a text has no word.
    """
    values = np.full((len(pairs), 5), np.nan)
    worded = [row for row, (prediction, reference) in enumerate(pairs) if len(prediction) and len(reference)]
    if not worded:
        return values
    sides = [pairs[row] for row in worded]
    weights = [(first.weights_beside(second), second.weights_beside(first)) for first, second in sides]
    best = (best_cosines(first.layers, second.layers, cosines) for first, second in sides)
    words = word_matches(best, weights)
    values[worded, :4] = np.concatenate(words, axis=-1)
    texts = np.array([(first.text, second.text) for first, second in sides])
    values[worded, 4] = clip_cosines(np.einsum("ph,ph->p", texts[:, 0], texts[:, 1]))
    return values


def word_matches(best: Iterable[BestCosines], weights: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Align every word of p pairs of texts with the most similar one on the other side.

    Precision is the weighted mean over the prediction's words of their best cosine, recall the same over the
    reference's. A negative best cosine counts as 0, as a dissimilar word is no worse than a missing one.

    Args:
        best: of each pair, the best cosines of k >= 1 words of the prediction, shape (..., k), and of l >= 1
            words of the reference, shape (..., l).
        weights: weights of each pair's words on both sides, greater than 0.

    Returns:
        Precision and recall, shape (..., p, 2), 0 to 1; exactly 1 where every word has its equal.

    Examples:
        >>> from semscale.matching.cosines import best_of
        >>> similarity = np.array([[1.0, 0.0], [0.5, -0.2]])
        >>> word_matches([best_of(similarity)], [(np.array([1.0, 3.0]), np.ones(2))]).tolist()
        [[0.625, 0.5]]
    """
    # Means of what is missing, as these are exactly 0 where nothing is.
    return 1 - mean_best(best, weights, lambda cosines: 1 - clip_cosines(cosines))


def clip_cosines(cosines: Floats) -> Floats:
    """Clip cosines to 0 and 1; those that differ from 1 by rounding alone become 1."""
    return np.where(cosines > 1 - _SAME, 1.0, np.maximum(cosines, 0.0))
