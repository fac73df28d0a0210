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


class _Patterns(NamedTuple):
    """The phrases with one first word, each with its class and what follows that word.

    Attributes:
        with_any: phrases of one word, and those with any second word.
        with_second: for each second word the phrases with it, and those of ``with_any``.
    """

    with_any: list[tuple[str, Pattern]]
    with_second: dict[str, list[tuple[str, Pattern]]]


class PhraseBook:
    """The phrases of one guard by their first words.

    Args:
        entries: for each class its phrases, several in a line, with commas between them.
        groups: for each group its words.

    Example:
        >>> book = PhraseBook({"hedged": ["<be> said to"], "harmless": ["said so"]}, {"be": "is was"})
        >>> book.read(TextWords("It was said to work"))
        [Cue(kind='hedged', first=1, last=3)]
    """

    def __init__(self, entries: Mapping[str, Sequence[str]], groups: Mapping[str, str]) -> None:
        self._groups = {name: frozenset(words.split()) for name, words in groups.items()}
        self._patterns: dict[str, _Patterns] = {}
        for kind, lines in entries.items():
            for line in lines:
                for phrase in line.split(","):
                    self._add(kind, phrase.split())
        self._join()

    def read(self, words: TextWords) -> list[Cue]:
        """Find the phrases of a text in their order, without harmless ones."""
        if self._patterns.keys().isdisjoint(words.distinct):
            return []
        texts, found, free_from = words.texts, [], 0
        for at in [at for at, text in enumerate(texts) if text in self._patterns]:
            cue = self._longest(texts, at) if at >= free_from else None
            if cue:
                free_from = cue.last + 1
                if cue.kind != HARMLESS:
                    found.append(cue)
        return found

    def _longest(self, texts: Sequence[str], at: int) -> Cue | None:
        patterns, following = self._patterns[texts[at]], texts[at + 1] if at + 1 < len(texts) else ""
        tried = patterns.with_second.get(following, patterns.with_any)
        kind, last = "", 0
        for name, pattern in tried:
            end = _end(texts, at + 1, pattern) if pattern else at + 1
            if end is not None and end > last:
                kind, last = name, end
        return Cue(kind, at, last - 1) if kind else None

    def _add(self, kind: str, phrase: Sequence[str]) -> None:
        first, *rest = (self._piece(piece) for piece in phrase)
        pattern = tuple(rest)
        for word in first:
            patterns = self._patterns.setdefault(word, _Patterns([], {}))
            if pattern and isinstance(pattern[0], frozenset):
                for second in pattern[0]:
                    patterns.with_second.setdefault(second, []).append((kind, pattern))
            else:
                patterns.with_any.append((kind, pattern))

    def _join(self) -> None:
        """Add the phrases with any second word to those with each."""
        for patterns in self._patterns.values():
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


def _end(texts: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern; ``None`` if they do not."""
    for number, piece in enumerate(pattern):
        if piece == _SOME:
            gaps = range(1, 1 + _length_of_gap(texts, at))
            rest = pattern[number + 1 :]
            return next((end for gap in gaps if (end := _end(texts, at + gap, rest)) is not None), None)
        if at == len(texts) or not (kind_of(texts[at]) == "w" if piece == _ANY else texts[at] in piece):
            return None
        at += 1
    return at


def _length_of_gap(texts: Sequence[str], at: int) -> int:
    ahead = texts[at : at + _LONGEST_GAP]
    return next((place for place, text in enumerate(ahead) if kind_of(text) == "p"), len(ahead))
