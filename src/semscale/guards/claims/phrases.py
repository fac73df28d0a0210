"""Phrases with a class, found in the words of a text: "as long as" sets a condition, "at all" says nothing.

A phrase is a row of words. ``<name>`` stands for any word of a group and, but not at the start, ``_`` for
any one word and ``..`` for one to four words. The longest phrase at a place counts, and what it covers is not
read again. Phrases of the class ``harmless`` are passed over.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from semscale.guards.lexicons import read_lexicon
from semscale.guards.words import TextWords, kind_of

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
    entries = dict(read_lexicon(guard, "semscale.guards.claims"))
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
        found: dict[str, list[Cue]] = {name: [] for name in self._books}
        begun, texts = self._begun, words.texts
        if begun.keys().isdisjoint(words.distinct):
            return found
        free_from = dict.fromkeys(self._books, 0)
        for at, (text, following) in enumerate(zip(texts, [*texts[1:], ""], strict=True)):
            beginning = begun.get(text)
            if beginning is None:
                continue
            for name, phrases in beginning.with_second.get(following, beginning.with_any):
                cue = _longest(texts, at, phrases) if at >= free_from[name] else None
                if cue:
                    free_from[name] = cue.last + 1
                    found[name] += [cue] * (cue.kind != HARMLESS)
        return found


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
    return next((place for place, text in enumerate(ahead) if kind_of(text) == "p"), len(ahead))
