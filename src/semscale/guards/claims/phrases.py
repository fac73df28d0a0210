"""Phrases with a class, found in the words of a text: "as long as" sets a condition, "at all" says nothing.

A phrase is a row of words. ``<name>`` stands for any word of a group and, but not at the start, ``_`` for
any one word and ``..`` for one to four words. The longest phrase at a place counts, and what it covers is not
read again. Phrases of the class ``harmless`` are passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
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
        with_second: the others by their second word.
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

    def read(self, words: TextWords) -> list[Cue]:
        """Find the phrases of a text in their order, without harmless ones."""
        if self._patterns.keys().isdisjoint(words.distinct):
            return []
        return [cue for cue in self._all_cues(words.texts) if cue.kind != HARMLESS]

    def _all_cues(self, texts: Sequence[str]) -> Iterator[Cue]:
        free_from = 0
        for at, text in enumerate(texts):
            if at >= free_from and text in self._patterns:
                cue = self._longest(texts, at)
                if cue:
                    yield cue
                    free_from = cue.last + 1

    def _longest(self, texts: Sequence[str], at: int) -> Cue | None:
        patterns, following = self._patterns[texts[at]], texts[at + 1] if at + 1 < len(texts) else ""
        of_second = patterns.with_second.get(following)
        if not of_second and not patterns.with_any:
            return None
        tried = [*patterns.with_any, *(of_second or ())]
        found = [(end, kind) for kind, pattern in tried if (end := _end(texts, at + 1, pattern)) is not None]
        if not found:
            return None
        end, kind = max(found, key=lambda match: match[0])
        return Cue(kind, at, end - 1)

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
    if not pattern:
        return at
    piece, rest = pattern[0], pattern[1:]
    if piece == _SOME:
        gaps = range(1, 1 + _length_of_gap(texts, at))
        return next((end for gap in gaps if (end := _end(texts, at + gap, rest)) is not None), None)
    if at == len(texts) or not (kind_of(texts[at]) == "w" if piece == _ANY else texts[at] in piece):
        return None
    return _end(texts, at + 1, rest)


def _length_of_gap(texts: Sequence[str], at: int) -> int:
    ahead = texts[at : at + _LONGEST_GAP]
    return next((place for place, text in enumerate(ahead) if kind_of(text) == "p"), len(ahead))
