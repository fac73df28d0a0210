"""The words of a text as guards of claims need them: cues of each guard, and stems of content words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from semscale.guards.claims.phrases import Cue, phrase_reader
from semscale.guards.negation_cues import denies_before, denies_next
from semscale.guards.opposites import base_stem
from semscale.guards.roles import ABSENCE, CUE, role_of, rules_of_negation
from semscale.guards.words import TextWords, kind_of


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
        """How often each stem of the content occurs."""
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


def similarity(ours: Wording, theirs: Wording, guard: str) -> float:
    """Return the share of content words that two texts have in common, apart from the guard's cues (Dice).

    Twice the number of common words, over the number of words in both.

    Returns:
        0 to 1; 0 for texts without content.

    Example:
        >>> texts = "Only admins may log in", "Admins may log in too"
        >>> similarity(*(Wording(TextWords(text)) for text in texts), "exclusivity")
        1.0
    """
    one, other = _apart_from(ours, guard), _apart_from(theirs, guard)
    shared = (one & other).total()
    return 2 * shared / ((one.total() + other.total()) or 1)


def coverage(ours: Wording, theirs: Wording, guard: str) -> float:
    """Return the share of the shorter text's content words that the longer one has, apart from cues.

    Returns:
        0 to 1; 0 if one of the texts has no content.
    """
    one, other = _apart_from(ours, guard), _apart_from(theirs, guard)
    return (one & other).total() / (min(one.total(), other.total()) or 1)


def alignment(ours: Wording, theirs: Wording, guard: str) -> float:
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
    one, other = _row_apart_from(ours, guard), _row_apart_from(theirs, guard)
    return 2 * _longest_common(one, other) / ((len(one) + len(other)) or 1)


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence; a zero bit marks each word of it."""
    places: dict[str, int] = {}
    for at, stem in enumerate(one):
        places[stem] = places.get(stem, 0) | 1 << at
    every = row = (1 << len(one)) - 1
    for stem in other:
        found = row & places.get(stem, 0)
        row = ((row + found) | (row - found)) & every
    return len(one) - row.bit_count()


def most_shared(ours: Wording, theirs: Wording) -> int:
    """Return an upper bound for the number of content words that two texts have in common."""
    one, other = ours.counts, theirs.counts
    repeated = min(len(ours.content) - len(one), len(theirs.content) - len(other))
    return len(one.keys() & other.keys()) + repeated


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
