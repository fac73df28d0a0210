"""Phrases of claims and the wording that two texts share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from semscale.guards.negation import denies_before, denies_next
from semscale.guards.words import (
    ABSENCE,
    CUE,
    TextWords,
    base_stem,
    kind_of,
    read_lexicon,
    role_of,
    rules_of_negation,
)

HARMLESS = "harmless"
_ANY, _SOME = "_", ".."
_LONGEST_GAP = 4

PHRASE_GUARDS = ("quantity", "certainty", "exclusivity", "order", "condition")
"""The guards that have phrases."""

Pattern = tuple[frozenset[str] | str, ...]


class Cue(NamedTuple):
    """A phrase in a text.

    Attributes:
        kind: the phrase's class.
        first: position of its first word.
        last: position of its last word.
    """

    kind: str
    first: int
    last: int


class _Phrase(NamedTuple):
    """A phrase whose first word, or first two words, are found.

    Attributes:
        kind: its class.
        n_found: how many of its words are.
        rest: what follows these.
    """

    kind: str
    n_found: int
    rest: Pattern


class _Patterns(NamedTuple):
    """The phrases with one first word.

    Attributes:
        with_any: phrases of one word, and those with any second word.
        with_second: for each second word the phrases with it, and those of ``with_any``.
    """

    with_any: list[_Phrase]
    with_second: dict[str, list[_Phrase]]


class PhraseBook:
    """The phrases of one guard by their first words.

    Args:
        entries: for each class its phrases, several in a line, with commas between them.
        groups: for each group its words.

    Attributes:
        patterns: the phrases by their first words.

    Example:
        >>> book = PhraseBook({"hedged": ["<be> said to"], "harmless": ["said so"]}, {"be": "is was"})
        >>> sorted(book.patterns)
        ['is', 'said', 'was']
    """

    def __init__(self, entries: Mapping[str, Sequence[str]], groups: Mapping[str, str]) -> None:
        self._groups = {name: frozenset(words.split()) for name, words in groups.items()}
        self.patterns: dict[str, _Patterns] = {}
        for kind, lines in entries.items():
            for line in lines:
                for phrase in line.split(","):
                    self._add(kind, phrase.split())
        self._join()

    def _add(self, kind: str, phrase: Sequence[str]) -> None:
        first, *rest = (self._piece(piece) for piece in phrase)
        pattern = tuple(rest)
        for word in first:
            patterns = self.patterns.setdefault(word, _Patterns([], {}))
            if pattern and isinstance(pattern[0], frozenset):
                for second in pattern[0]:
                    patterns.with_second.setdefault(second, []).append(_Phrase(kind, 2, pattern[1:]))
            else:
                patterns.with_any.append(_Phrase(kind, 1, pattern))

    def _join(self) -> None:
        """Add the phrases with any second word to those with each."""
        for patterns in self.patterns.values():
            for tried in patterns.with_second.values():
                tried[:0] = patterns.with_any

    def _piece(self, piece: str) -> frozenset[str] | str:
        if piece in (_ANY, _SOME):
            return piece
        return self._groups[piece[1:-1]] if piece.startswith("<") else frozenset((piece,))


@cache
def phrase_book(guard: str) -> PhraseBook:
    """Return the phrases of a guard, from ``<guard>.toml`` beside this module."""
    entries = dict(read_lexicon(guard))
    groups = entries.pop("groups", {})
    return PhraseBook(entries, groups)


class _Beginning(NamedTuple):
    """The phrases of several books with one first word, as ``_Patterns``; each list with its book."""

    with_any: list[tuple[str, list[_Phrase]]]
    with_second: dict[str, list[tuple[str, list[_Phrase]]]]


class PhraseReader:
    """Reads the phrases of several books in one pass over a text.

    Args:
        books: by their names.

    Example:
        >>> book = PhraseBook({"hedged": ["<be> said to"], "harmless": ["said so"]}, {"be": "is was"})
        >>> PhraseReader({"certainty": book}).read(TextWords("It was said to work"))
        {'certainty': [Cue(kind='hedged', first=1, last=3)]}
    """

    def __init__(self, books: Mapping[str, PhraseBook]) -> None:
        self._books = tuple(books)
        words: set[str] = set().union(*(book.patterns for book in books.values()))
        self._begun = {
            word: _beginning(
                {name: book.patterns[word] for name, book in books.items() if word in book.patterns}
            )
            for word in words
        }

    def read(self, words: TextWords) -> dict[str, list[Cue]]:
        """Find the phrases of each book in a text, in their order, without harmless ones."""
        cues_by_guard: dict[str, list[Cue]] = {name: [] for name in self._books}
        begun, texts = self._begun, words.texts
        if begun.keys().isdisjoint(words.distinct):
            return cues_by_guard
        free_from = dict.fromkeys(self._books, 0)
        for at, (text, following) in enumerate(zip(texts, [*texts[1:], ""], strict=True)):
            beginning = begun.get(text)
            if beginning is None:
                continue
            for name, phrases in beginning.with_second.get(following, beginning.with_any):
                cue = _longest(texts, at, phrases) if at >= free_from[name] else None
                if cue:
                    free_from[name] = cue.last + 1
                    cues_by_guard[name] += [cue] * (cue.kind != HARMLESS)
        return cues_by_guard


@cache
def phrase_reader() -> PhraseReader:
    """Return what reads the phrases of all guards that have some."""
    return PhraseReader({guard: phrase_book(guard) for guard in PHRASE_GUARDS})


def _beginning(patterns: Mapping[str, _Patterns]) -> _Beginning:
    """Join what books have for one first word."""
    seconds: set[str] = set().union(*(each.with_second for each in patterns.values()))
    with_second = {
        second: {name: each.with_second.get(second, each.with_any) for name, each in patterns.items()}
        for second in seconds
    }
    return _Beginning(
        _with_phrases({name: each.with_any for name, each in patterns.items()}),
        {second: _with_phrases(listed) for second, listed in with_second.items()},
    )


def _with_phrases(phrases: Mapping[str, list[_Phrase]]) -> list[tuple[str, list[_Phrase]]]:
    return [(name, listed) for name, listed in phrases.items() if listed]


def _longest(texts: Sequence[str], at: int, phrases: Sequence[_Phrase]) -> Cue | None:
    """Return the longest of some phrases at a place, whose first words are those of the text."""
    kind, last = "", 0
    for name, n_found, rest in phrases:
        end = _end(texts, at + n_found, rest) if rest else at + n_found
        if end is not None and end > last:
            kind, last = name, end
    return Cue(kind, at, last - 1) if kind else None


def _end(texts: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern; ``None`` if they do not."""
    for number, piece in enumerate(pattern):
        if piece == _SOME:
            return _end_after_gap(texts, at, pattern[number + 1 :])
        if at == len(texts) or not (kind_of(texts[at]) == "w" if piece == _ANY else texts[at] in piece):
            return None
        at += 1
    return at


def _end_after_gap(texts: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern behind a gap; ``None`` if none do."""
    behind = pattern[0] if pattern else _ANY
    if isinstance(behind, frozenset) and behind.isdisjoint(texts[at + 1 : at + 1 + _LONGEST_GAP]):
        return None
    gaps = range(1, 1 + _length_of_gap(texts, at))
    return next((end for gap in gaps if (end := _end(texts, at + gap, pattern)) is not None), None)


def _length_of_gap(texts: Sequence[str], at: int) -> int:
    ahead = texts[at : at + _LONGEST_GAP]
    return next((position for position, text in enumerate(ahead) if kind_of(text) == "p"), len(ahead))


class Wording:
    """A text's cues, denials and the stems of its content words, each computed when it is first needed.

    Args:
        words: the words of the text.
    """

    __slots__ = ("_content", "_counts", "_cues", "_denying", "words")

    def __init__(self, words: TextWords) -> None:
        self.words = words
        self._cues: dict[str, list[Cue]] | None = None
        self._content: dict[int, str] | None = None
        self._counts: Counter[str] | None = None
        self._denying: frozenset[int] | None = None

    def cues(self, guard: str) -> list[Cue]:
        """Return the phrases of a guard in the text."""
        if self._cues is None:
            self._cues = phrase_reader().read(self.words)
        return self._cues[guard]

    @property
    def denying(self) -> frozenset[int]:
        """Positions of the words that negate what comes after or before them."""
        if self._denying is None:
            texts = self.words.texts
            self._denying = frozenset(
                at
                for at, text in enumerate(texts)
                # Other words negate in no place.
                if role_of(text) & (CUE | ABSENCE)
                and (denies_next(texts, at) or denies_before(texts, at) is not None)
            )
        return self._denying

    @property
    def content(self) -> dict[int, str]:
        """Stems of content words and numbers by their positions, in order."""
        if self._content is None:
            self._content = {
                at: stem
                for at, text in enumerate(self.words.texts)
                if (stem := _content_stem(text)) is not None
            }
        return self._content

    @property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each stem of the content."""
        if self._counts is None:
            self._counts = Counter(self.content.values())
        return self._counts

    def stems(self, first: int, end: int) -> set[str]:
        """Return the stems of content words from one position up to, without, another."""
        content = self.content
        return {content[at] for at in range(first, end) if at in content}


@lru_cache(maxsize=65536)
def _content_stem(text: str) -> str | None:
    """Return the stem of a content word or number; ``None`` for small words and marks."""
    return None if text in rules_of_negation()["stop"] or kind_of(text) == "p" else base_stem(text)


def similarity(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of content words that two texts have in common, apart from the guard's cues (Dice).

    Twice the number of common words, over the number of words in both.

    Returns:
        0 to 1; 0 for texts without content.

    Example:
        >>> texts = "Only admins may log in", "Admins may log in too"
        >>> similarity(*(Wording(TextWords(text)) for text in texts), "exclusivity")
        1.0
    """
    first, second = _apart_from(left, guard), _apart_from(right, guard)
    shared = (first & second).total()
    return 2 * shared / ((first.total() + second.total()) or 1)


def coverage(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of the shorter text's content words that the longer one has, apart from cues.

    Returns:
        0 to 1; 0 if one of the texts has no content.
    """
    first, second = _apart_from(left, guard), _apart_from(right, guard)
    return (first & second).total() / (min(first.total(), second.total()) or 1)


def alignment(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of content words that two texts have in common in the same order, apart from cues.

    Twice the length of the longest common subsequence, over the number of words in both. A word put in
    keeps the order; rewording seldom does.

    Returns:
        0 to 1; 0 for texts without content.

    References:
        Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    Example:
        >>> texts = "Perhaps the cache is stale", "The stale cache"
        >>> alignment(*(Wording(TextWords(text)) for text in texts), "certainty")
        0.5
    """
    first, second = _row_apart_from(left, guard), _row_apart_from(right, guard)
    return 2 * _longest_common(first, second) / ((len(first) + len(second)) or 1)


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence; a zero bit marks each word of it."""
    positions: dict[str, int] = {}
    for at, stem in enumerate(first):
        positions[stem] = positions.get(stem, 0) | 1 << at
    every = row = (1 << len(first)) - 1
    for stem in second:
        shared = row & positions.get(stem, 0)
        row = ((row + shared) | (row - shared)) & every
    return len(first) - row.bit_count()


def most_shared(left: Wording, right: Wording) -> int:
    """Return an upper bound for the number of content words that two texts have in common."""
    first, second = left.counts, right.counts
    repeated = min(len(left.content) - len(first), len(right.content) - len(second))
    return len(first.keys() & second.keys()) + repeated


def kinds_of(cues: Iterable[Cue]) -> set[str]:
    """Return the classes of some cues."""
    return {cue.kind for cue in cues}


def first_of(cues: Sequence[Cue], kinds: Iterable[str]) -> Cue | None:
    """Return the first cue of some classes."""
    wanted = set(kinds)
    return next((cue for cue in cues if cue.kind in wanted), None)


def _apart_from(wording: Wording, guard: str) -> Counter[str]:
    content, covered = wording.content, _covered(wording, guard)
    return wording.counts - Counter(content[at] for at in covered) if covered else wording.counts


def _row_apart_from(wording: Wording, guard: str) -> list[str]:
    covered = _covered(wording, guard)
    return [stem for at, stem in wording.content.items() if at not in covered]


def _covered(wording: Wording, guard: str) -> frozenset[int]:
    """Return the positions of content words that are part of a guard's cues."""
    content = wording.content
    return frozenset(
        at for cue in wording.cues(guard) for at in range(cue.first, cue.last + 1) if at in content
    )
