"""Comparisons and orders, which two texts may state in reverse: "A is greater than B", "B is less than A"."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.opposites import Side, is_listed, sides
from semscale.guards.words import TextWords, kind_of, stem

_REACH = 6
_MOST_COMPARED = 500  # comparisons of a text, as each is compared with each one of the other text
_ORDERS = (
    "before",
    "after",
    "above",
    "below",
    "over",
    "under",
    "north",
    "south",
    "east",
    "west",
    "left",
    "right",
)
_COMPARING = frozenset((*_ORDERS, "than"))
_ENDS = ".;:?!"
_IDLE = word_list("not_compared")


class Relation(NamedTuple):
    """A comparison of two things.

    Attributes:
        places: the axes of the comparing word, each with the word's side.
        at: position of the comparing word among the words.
        first: stems of the first thing, before the comparing word.
        second: stems of the second thing, after it.
    """

    places: tuple[Side, ...]
    at: int
    first: frozenset[str]
    second: frozenset[str]


def may_compare(words: TextWords) -> bool:
    """Check quickly whether a text may contain a comparison."""
    return not _COMPARING.isdisjoint(words.distinct)


def read_relations(words: TextWords) -> list[Relation]:
    """Find comparisons such as "X is greater than Y" or "X comes before Y"."""
    if not may_compare(words):
        return []
    texts = words.texts
    return [
        Relation(
            sides(texts[at]),
            at,
            _stems(texts, range(at - 1, -1, -1)),
            _stems(texts, range(behind, len(texts))),
        )
        for at in _comparing(texts)
        for behind in _second_side(texts, at)
    ]


def _comparing(texts: list[str]) -> list[int]:
    """List possible positions of comparing words: words of order, or up to three words before "than"."""
    found = {at for at, text in enumerate(texts) if text in _ORDERS}
    found.update(at - back for at, text in enumerate(texts) if text == "than" for back in (1, 2, 3))
    return sorted(at for at in found if at > 0)


def _second_side(texts: list[str], at: int) -> list[int]:
    """Return the positions where the second thing may begin; none if the word compares nothing."""
    text = texts[at]
    if text in _ORDERS[:6]:
        return [at + 1]
    ahead = texts[at + 1 : at + 4]
    if text in _ORDERS and ahead[:1] == ["of"]:
        return [at + 2]
    if "than" not in ahead or not is_listed(text):
        return []
    behind = ahead.index("than")
    return [] if any(map(is_listed, ahead[:behind])) else [at + 2 + behind]


def _stems(texts: list[str], places: range) -> frozenset[str]:
    """Collect the stems of content words on one side, up to the end of the clause."""
    found: list[str] = []
    for place in places:
        text = texts[place]
        if text in _ENDS or len(found) == _REACH:
            break
        if text not in _IDLE and kind_of(text) != "p":
            found.append(stem(text))
    return frozenset(found)


def _turned(one: Relation, other: Relation) -> bool:
    """Tell whether the second relation names the same things in the reverse order."""
    here, there = one.first - one.second, one.second - one.first
    return bool(here & (other.second - other.first)) and bool(there & (other.first - other.second))


def restated(prediction: Sequence[Relation], reference: Sequence[Relation]) -> set[str]:
    """List the axes on which both the word and the order are reversed, so that the texts agree.

    Example:
        >>> first, second = "Iron is heavier than cork", "Cork is lighter than iron"
        >>> len(restated(read_relations(TextWords(first)), read_relations(TextWords(second))))
        1
    """
    return {
        place.key
        for one, other in _turned_pairs(prediction, reference)
        for place in one.places
        if Side(place.key, -place.side) in other.places
    }


def reversals(prediction: Sequence[Relation], reference: Sequence[Relation]) -> list[tuple[int, int]]:
    """Find comparisons that one text states in the reverse order of the other, by positions of their words.

    Example:
        >>> first, second = "Iron is heavier than cork", "Cork is heavier than iron"
        >>> reversals(read_relations(TextWords(first)), read_relations(TextWords(second)))
        [(2, 2)]
    """
    found = {
        (one.at, other.at)
        for one, other in _turned_pairs(prediction, reference)
        if set(one.places) & set(other.places)
    }
    return sorted(found)


def _turned_pairs(ours: Sequence[Relation], theirs: Sequence[Relation]) -> list[tuple[Relation, Relation]]:
    pairs = product(ours[:_MOST_COMPARED], theirs[:_MOST_COMPARED])
    return [(one, other) for one, other in pairs if _turned(one, other)]
