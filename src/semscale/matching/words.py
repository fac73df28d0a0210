"""Words of texts: tokens and their spans, subjects, stop words, vocabularies and weights."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding import Embedder
from semscale.guards.lexicons import word_list
from semscale.json_reading import encodable
from semscale.types import Floats, Ids, Integers, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from semscale.embedding.tokens.token_ids import TokenReader
    from semscale.embedding.tokens.token_states import TokenEncoder


_TOGETHER = 256  # texts whose words are found together


Numbers = Ids | Integers
"""Numbers of words, or of tokens."""


@dataclass(frozen=True)
class TokenWords:
    """The k words of a text.

    Attributes:
        numbers: shape (k,), in the vocabulary.
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.
    """

    numbers: Ids
    starts: Numbers
    ends: Numbers

    def __len__(self) -> int:
        return len(self.numbers)


class TokenizedTexts:
    """Texts with their tokens and words.

    Args:
        texts: distinct texts.
        encoder: has the tokenizer.
        words: whether to find all words at once; otherwise ``spell`` finds those of single texts.

    Attributes:
        tokens: tokens of all texts.
        vocabulary: all words that were found.
        words: words of each text, by its number.
        left_out: how many of each text's first and last tokens do not count in the mean of its states.
    """

    def __init__(self, texts: Sequence[str], encoder: "TokenEncoder", *, words: bool = True) -> None:
        self._texts = texts
        self._spelled = encoder.reader.spell_all(texts)
        self.tokens = self._spelled.tokens
        self.vocabulary = Vocabulary()
        self.words: dict[int, TokenWords] = {}
        self.left_out = tokens_left_out(encoder.reader)
        if words:
            self.spell(range(len(texts)))

    def spell(self, texts: Iterable[int]) -> None:
        """Find the words of the texts, as far as they are not known yet."""
        new = [text for text in texts if text not in self.words]
        for start in range(0, len(new), _TOGETHER):
            self._spell(new[start : start + _TOGETHER])

    def forget(self, texts: Iterable[int]) -> None:
        """Release the words of some texts from memory."""
        for text in texts:
            self.words.pop(text, None)

    def joined(self, texts: Sequence[int]) -> tuple[TokenWords, Integers]:
        """Join the words of n texts end to end, and count those of each text."""
        words = [self.words[text] for text in texts]
        counts = np.array([len(own) for own in words])
        lengths = self.tokens.lengths_of(texts)
        before = np.repeat(np.cumsum(lengths) - lengths, counts)
        return TokenWords(
            np.concatenate([own.numbers for own in words]),
            np.concatenate([own.starts for own in words]) + before,
            np.concatenate([own.ends for own in words]) + before,
        ), counts

    def text(self, text: int) -> str:
        """Give a text by its number."""
        return self._texts[text]

    def words_of(self, text: int) -> list[str]:
        """Give a text's words in their order, lower case."""
        return [self.vocabulary.words[number] for number in self.words[text].numbers.tolist()]

    def _spell(self, texts: Sequence[int]) -> None:
        offsets, special = zip(*(self._spelled.places(text) for text in texts), strict=True)
        lengths = self.tokens.lengths_of(texts)
        found = find_words(
            [self._texts[text] for text in texts], np.concatenate(offsets), np.concatenate(special), lengths
        )
        before = np.repeat(np.cumsum(lengths) - lengths, found.counts)
        columns = np.array(
            [self.vocabulary.numbers(found.shown), found.starts - before, found.ends - before], np.int32
        )
        ends: Integers = np.cumsum(found.counts)
        for text, start, end in zip(texts, (ends - found.counts).tolist(), ends.tolist(), strict=True):
            self.words[text] = TokenWords(*columns[:, start:end])


_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


# An ideograph is a word of its own, as tokenizers have it; other letters and digits make a word together.
_WORD = re.compile(rf"([{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+)")


Shown = str | tuple[str, ...]
"""A word as it stands in a text; followed by its tokens as they stand there unless it is one token itself."""


@dataclass(frozen=True)
class WordSpans:
    """The k words of n texts, whose tokens stand end to end.

    Attributes:
        shown: the words and their tokens, as they stand in the texts.
        starts: shape (k,), first token of each word, ascending.
        ends: shape (k,), the token after its last one.
        counts: shape (n,), words of each text.
    """

    shown: list[Shown]
    starts: Integers
    ends: Integers
    counts: Integers


def find_words(
    texts: Sequence[str], offsets: Integers | Ids, special: npt.NDArray[np.bool_], lengths: Integers
) -> WordSpans:
    """Find the words of texts among their tokens; marks are no words unless a text has nothing else.

    Args:
        texts: n of them.
        offsets: shape (t, 2), where in its text each token stands.
        special: shape (t,), tokens that the tokenizer has added.
        lengths: shape (n,), tokens of each text.

    Example:
        >>> offsets = np.array([[0, 0], [0, 2], [2, 6], [6, 7], [0, 0]])
        >>> special = np.array([True, False, False, False, True])
        >>> find_words(["unlike."], offsets, special, np.array([5])).shown
        [('unlike', 'un', 'like')]
    """
    joined = "\n".join(texts)
    own = np.repeat(np.arange(len(texts)), lengths)
    bounds = offsets + np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])[own, None]
    read = np.flatnonzero((offsets[:, 1] > offsets[:, 0]) & ~special)
    spans, first, after = _among(joined, bounds[read])
    wordless = read[np.bincount(own[read[first]], minlength=len(texts))[own[read]] == 0]
    starts = np.concatenate([read[first], wordless])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.concatenate([read[after - 1], wordless])[order] + 1
    spans = np.concatenate([spans, bounds[wordless]])[order]
    counts = np.bincount(own[starts], minlength=len(texts))
    return WordSpans(_shown(joined, spans, bounds, starts, ends), starts, ends, counts)


def _among(text: str, bounds: Integers) -> tuple[Integers, Integers, Integers]:
    """Give the words' first and last characters, their first tokens and the ones after their last.

    A token belongs to the word with its last character: some tokenizers count the space before it.
    """
    parts = _WORD.split(text)  # what is between words, and words, in turn
    spans = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))[:-1].reshape(-1, 2)
    tokens = np.searchsorted(np.maximum.accumulate(bounds[:, 1]), spans, side="right")
    read = tokens[:, 0] < tokens[:, 1]
    return spans[read], tokens[read, 0], tokens[read, 1]


def _shown(text: str, spans: Integers, bounds: Integers, starts: Integers, ends: Integers) -> list[Shown]:
    words = [text[start:end] for start, end in zip(*spans.T.tolist(), strict=True)]
    shown: list[Shown] = list(words)
    whole = (ends == starts + 1) & (bounds[starts] == spans).all(axis=1)
    for word in np.flatnonzero(~whole).tolist():
        tokens = bounds[starts[word] : ends[word]].T.tolist()
        shown[word] = (words[word], *(text[start:end] for start, end in zip(*tokens, strict=True)))
    return shown


Roles = npt.NDArray[np.bool_]


_AUXILIARIES = word_list("auxiliaries")


_BEFORE_SUBJECTS = word_list("before_subjects")


_PRONOUNS = word_list("subject_pronouns")


_LONGEST = 9


@dataclass(frozen=True)
class SubjectWeights:
    """Weights of a subject's words: ``usual`` ones, and those for which the other text has a pronoun."""

    usual: float
    for_pronoun: float


def word_roles(words: Sequence[str]) -> Roles:
    """Tell for k words whether each is an auxiliary verb, can precede a subject, or is a pronoun for one.

    Returns:
        Shape (k, 3).
    """
    roles = [(word in _AUXILIARIES, word in _BEFORE_SUBJECTS, word in _PRONOUNS) for word in words]
    return np.array(roles, np.bool_).reshape(-1, 3)


def subject_lengths(roles: Roles, counts: Integers) -> Integers:
    """Count the words before a text's first auxiliary verb; 0 if there is none, or only after more than nine.

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Example:
        >>> roles = word_roles("the left lung is affected no change".split())
        >>> subject_lengths(roles, np.array([5, 2])).tolist()
        [3, 0]
    """
    places = _first(roles[:, 0], counts)
    return np.where((places < counts) & (places <= _LONGEST), places, 0)


def start_with_pronoun(roles: Roles, counts: Integers) -> npt.NDArray[np.bool_]:
    """Tell which texts speak of their subject by a pronoun: "because they are connected".

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Example:
        >>> roles = word_roles("because they are lungs are".split())
        >>> start_with_pronoun(roles, np.array([3, 2])).tolist()
        [True, False]
    """
    places = _first(~roles[:, 1], counts)
    words = np.cumsum(counts) - counts + places
    return np.asarray((places < counts) & np.append(roles[:, 2], False)[words])


def _first(found: npt.NDArray[np.bool_], counts: Integers) -> Integers:
    """Place of the first word of each text that was found; beyond its end where none was, shape (n,)."""
    starts = np.cumsum(counts) - counts
    words = np.append(np.flatnonzero(found), len(found))
    return np.asarray(words[np.searchsorted(words, starts)] - starts)


_WORDS_AND_MARKS = re.compile(r"\w+(?:[.'-]\w+)*|[^\w\s]")


_PUNCTUATION = frozenset(string.punctuation)


@cache
def stop_words() -> frozenset[str]:
    """Give the English stop words of NLTK's corpus, which the layered match was defined with."""
    listed = resources.files("semscale.matching").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(listed.split())


def content_only(text: str, *, marks_apart: bool = False) -> str:
    """Drop the tokens that are wholly a stop word or wholly punctuation.

    Args:
        text: to be cleaned.
        marks_apart: punctuation is a token of its own; otherwise only white space separates tokens, so that a
            stop word with a mark at its end, such as "the,", stays.

    Example:
        >>> content_only("Surgery is not indicated - the, end")
        'Surgery indicated the, end'
        >>> content_only("Surgery isn't indicated - the, end", marks_apart=True)
        'Surgery indicated end'
    """
    found = _WORDS_AND_MARKS.findall(text) if marks_apart else text.split()
    tokens = (token for token in found if token.lower() not in stop_words())
    return " ".join(token for token in tokens if not _PUNCTUATION.issuperset(token))


Pieces = Callable[[str], list[str]]
"""Splits a text into word pieces, without special tokens and without a limit."""


_WORD_BEGIN = "▁"  # SentencePiece marks where a word begins, BERT where one goes on


def pieces_of(tokenizer: "Tokenizer") -> Pieces:
    """Return a function that splits texts into word pieces, by a model's tokenizer.

    All tokenizers' pieces are written as BERT's are: the first of a word as it is, and a continuation with
    ``##`` before it.

    Args:
        tokenizer: without padding; its truncation is switched off.
    """
    tokenizer.no_truncation()
    begins_words = any(token.startswith(_WORD_BEGIN) for token in tokenizer.encode("a word").tokens)

    def split(text: str) -> list[str]:
        tokens: list[str] = tokenizer.encode(encodable(text), add_special_tokens=False).tokens
        return [_as_bert(token) for token in tokens] if begins_words else tokens

    return split


def _as_bert(token: str) -> str:
    """Write a piece of SentencePiece as BERT's vocabulary would.

    Example:
        >>> [_as_bert(token) for token in ("▁card", "iology")]
        ['card', '##iology']
    """
    return token.removeprefix(_WORD_BEGIN) if token.startswith(_WORD_BEGIN) else f"##{token}"


def alphanumeric(pieces: Iterable[str]) -> list[str]:
    """Keep the pieces that are letters and digits only, which drops every continuation (``##ing``).

    Example:
        >>> alphanumeric(["card", "##iom", "-", "b12"])
        ['card', 'b12']
    """
    return [piece for piece in pieces if piece.isalnum()]


class PieceTable:
    """Vectors of word pieces without context; each piece is embedded once, when it is first met.

    Args:
        embedder: gives a piece its vector, as if it were a text.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, int] = {}
        self._vectors: Floats = np.empty((0, embedder.dimensions))

    def learn(self, pieces: Iterable[str]) -> None:
        """Embed the pieces that are new."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._rows]
        if not new:
            return
        self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
        vectors = self._embedder.embed(new).vectors.astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self._vectors = np.concatenate([self._vectors, vectors])

    def rows(self, pieces: list[str]) -> Integers:
        """Rows of ``vectors`` with known pieces, shape (number of pieces,)."""
        return np.fromiter((self._rows[piece] for piece in pieces), np.int64, len(pieces))

    @property
    def vectors(self) -> Floats:
        """Shape (pieces learned, d), rows of length 1 in double precision."""
        return self._vectors


Word = tuple[str, ...]
"""A word's pieces."""


class Vocabulary:
    """Words and how a tokenizer splits them.

    Attributes:
        words: lower case.
        pieces: the pieces of each, lower case.

    Example:
        >>> vocabulary = Vocabulary()
        >>> vocabulary.numbers(["The", ("Unlike", "Un", "like"), "the"]).tolist()
        [0, 1, 0]
        >>> vocabulary.words, vocabulary.pieces
        (['the', 'unlike'], [('the',), ('un', 'like')])
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.pieces: list[Word] = []
        self._numbers: dict[tuple[str, Word], int] = {}
        self._shown: dict[Shown, int] = {}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, shown: Sequence[Shown]) -> Ids:
        """Return the numbers of words; new words get the next ones.

        Args:
            shown: k words.

        Returns:
            Shape (k,).
        """
        known = self._shown
        for each in dict.fromkeys(shown):
            if each not in known:
                known[each] = self._number(each)
        return np.fromiter(map(known.__getitem__, shown), np.int32, len(shown))

    def _number(self, shown: Shown) -> int:
        word, pieces = (shown, (shown,)) if isinstance(shown, str) else (shown[0], shown[1:])
        entry = word.lower(), tuple(piece.strip().lower() for piece in pieces)
        if entry not in self._numbers:
            self._numbers[entry] = len(self.words)
            self.words.append(entry[0])
            self.pieces.append(entry[1])
        return self._numbers[entry]


@dataclass(frozen=True)
class WordIdf:
    """Weights of word pieces.

    Attributes:
        weights: weight of each piece that occurs in the corpus, 1 or more.
        unseen: weight of every other piece, 1 or more.
    """

    weights: Mapping[str, float]
    unseen: float

    def of(self, pieces: Sequence[str]) -> Floats:
        """Weights of pieces, shape (number of pieces,)."""
        found = (self.weights.get(piece, self.unseen) for piece in pieces)
        return np.fromiter(found, np.float64, len(pieces))


def smoothed_idf(documents: Iterable[Sequence[str]], *, unseen: float | None = None) -> WordIdf:
    """Compute each piece's weight ``ln((N + 1) / (df + 1)) + 1``, where df of the N documents hold it.

    Args:
        documents: the pieces of each document.
        unseen: weight of a piece that no document holds; by default that of the formula, ``ln(N + 1) + 1``.

    References:
        Spärck Jones 1972, doi:10.1108/eb026526; smoothed as by scikit-learn's ``TfidfTransformer``.

    Example:
        >>> idf = smoothed_idf([["heart", "attack"], ["heart"]])
        >>> idf.of(["heart", "lung"]).round(3).tolist()  # ln(3 / 3) + 1, ln(3 / 1) + 1
        [1.0, 2.099]
    """
    counts: Counter[str] = Counter()
    n = 0
    for document in documents:
        counts.update(set(document))
        n += 1
    weights = {piece: float(np.log((n + 1) / (df + 1)) + 1) for piece, df in counts.items()}
    return WordIdf(weights, float(np.log(n + 1) + 1) if unseen is None else unseen)


_TELLING = word_list("telling_stop_words")


@dataclass(frozen=True)
class WordWeights:
    """Weights of words, from the share of a corpus' texts that have them.

    Attributes:
        frequency: how many of the corpus's texts have each word.
        texts: how many texts the corpus has, at least 1.
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

        Example:
            >>> weights = WordWeights.over([["the", "heart"], ["the", "lung"], ["the", "lung"]], stop=0.5)
            >>> weights.of(["the", "lung", "liver"]).round(2).tolist()
            [0.5, 1.21, 2.0]
        """
        df = np.array([self.frequency[word] for word in words], np.float64)
        grammar = np.array([word in _grammatical() for word in words], np.bool_)
        rarity = 2 - np.log(df + 1) / np.log(self.texts + 1)
        return np.asarray(np.where(grammar, self.stop, 1.0) * rarity)


@cache
def _grammatical() -> frozenset[str]:
    return stop_words() - frozenset(_TELLING)


def tokens_left_out(reader: "TokenReader") -> tuple[int, int]:
    """Count the first and the last tokens of every text that are left out of its mean.

    With a prefix such as "query: " these are all tokens that are none of the text's own. Without one none is
    left out: sentence models average [CLS] and [SEP], too.
    """
    return (reader.before, reader.after) if reader.prefix.strip() else (0, 0)


def text_means(
    states: npt.NDArray[np.floating[Any]], lengths: Integers, left_out: tuple[int, int] = (0, 0)
) -> Vectors:
    """Average the states of each text's tokens; a text without tokens of its own has the mean of all.

    Args:
        states: shape (t, hidden), those of n texts, end to end.
        lengths: shape (n,), tokens of each text.
        left_out: how many of each text's first and last tokens do not count.

    Returns:
        Shape (n, hidden).

    Example:
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
