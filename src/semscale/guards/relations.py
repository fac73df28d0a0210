"""Comparatives and converses: words that state one relation from two sides."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from semscale.guards.words import (
    CONTENT,
    Side,
    TextWords,
    is_listed,
    kind_of,
    read_lexicon,
    role_of,
    sides,
    stem,
    word_list,
)

_COMPARATIVE_REACH = 6
_MOST_COMPARATIVES = 500  # comparisons of a text, as each is compared with each one of the other text
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
    positions = {at for at, text in enumerate(texts) if text in _ORDERS}
    positions.update(at - back for at, text in enumerate(texts) if text == "than" for back in (1, 2, 3))
    return sorted(at for at in positions if at > 0)


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
    stems: list[str] = []
    for position in places:
        text = texts[position]
        if text in _ENDS or len(stems) == _COMPARATIVE_REACH:
            break
        if text not in _IDLE and kind_of(text) != "p":
            stems.append(stem(text))
    return frozenset(stems)


def _turned(first: Relation, second: Relation) -> bool:
    """Tell whether the second relation names the same things in the reverse order."""
    here, there = first.first - first.second, first.second - first.first
    return bool(here & (second.second - second.first)) and bool(there & (second.first - second.second))


def restated(prediction: Sequence[Relation], reference: Sequence[Relation]) -> set[str]:
    """List the axes on which both the word and the order are reversed, so that the texts agree.

    Example:
        >>> first, second = "Iron is heavier than cork", "Cork is lighter than iron"
        >>> len(restated(read_relations(TextWords(first)), read_relations(TextWords(second))))
        1
    """
    return {
        position.key
        for first, second in _turned_pairs(prediction, reference)
        for position in first.places
        if Side(position.key, -position.side) in second.places
    }


def reversals(prediction: Sequence[Relation], reference: Sequence[Relation]) -> list[tuple[int, int]]:
    """Find comparisons that one text states in the reverse order of the other, by positions of their words.

    Example:
        >>> first, second = "Iron is heavier than cork", "Cork is heavier than iron"
        >>> reversals(read_relations(TextWords(first)), read_relations(TextWords(second)))
        [(2, 2)]
    """
    relations = {
        (first.at, second.at)
        for first, second in _turned_pairs(prediction, reference)
        if set(first.places) & set(second.places)
    }
    return sorted(relations)


def _turned_pairs(left: Sequence[Relation], right: Sequence[Relation]) -> list[tuple[Relation, Relation]]:
    pairs = product(left[:_MOST_COMPARATIVES], right[:_MOST_COMPARATIVES])
    return [(first, second) for first, second in pairs if _turned(first, second)]


_REACH = 8
_MOST_COMPARED = 200
_NO_ONE: frozenset[str] = frozenset()


class Exchange(NamedTuple):
    """An event or relation with two ends.

    Attributes:
        pair: the pair of converse words.
        side: 1 if the word's subject is the source, -1 if it is the goal.
        at: position of the word among the words.
        source: stems of the one who sells, gives, wins, or is the parent; empty if not said.
        goal: stems of the one who buys, receives, loses, or is the child; empty if not said.
    """

    pair: str
    side: int
    at: int
    source: frozenset[str]
    goal: frozenset[str]


class _Entry(NamedTuple):
    """A converse word in the list: its pair, side and kind (``transfers``, ``contests`` or ``relations``)."""

    pair: str
    side: int
    kind: str


def read_exchanges(words: TextWords) -> list[Exchange]:
    """Find the events and relations that a listed word states together with at least one of their ends.

    Example:
        >>> (bought,) = read_exchanges(TextWords("Ann bought it from Bob"))
        >>> sorted(bought.source), sorted(bought.goal)
        (['bob'], ['ann'])
    """
    entries = _entries()
    if entries.keys().isdisjoint(words.distinct):
        return []
    relations = [
        _exchange(words, at, entry) for at, text in enumerate(words.texts) for entry in entries.get(text, ())
    ]
    return [one for one in relations if one.source or one.goal]


def same_events(
    prediction: Sequence[Exchange], reference: Sequence[Exchange]
) -> list[tuple[Exchange, Exchange]]:
    """Pair what the two texts state by converse words with the same ends, so that the words are no opposites.

    Example:
        >>> ours, theirs = "Ann bought it from Bob", "Bob sold it to Ann"
        >>> pairs = same_events(read_exchanges(TextWords(ours)), read_exchanges(TextWords(theirs)))
        >>> [(one.at, other.at) for one, other in pairs]
        [(1, 1)]
    """
    return [
        (first, second)
        for first, second in _pairs(prediction, reference)
        if first.side != second.side and _same_ends(first, second)
    ]


def exchanged_ends(prediction: Sequence[Exchange], reference: Sequence[Exchange]) -> list[tuple[int, int]]:
    """Find events that one text states with the ends exchanged, by positions of their words.

    Example:
        >>> ours, theirs = "Ann bought it from Bob", "Ann sold it to Bob"
        >>> exchanged_ends(read_exchanges(TextWords(ours)), read_exchanges(TextWords(theirs)))
        [(1, 1)]
    """
    pairs = _pairs(prediction, reference)
    agreeing = [(first, second) for first, second in pairs if _same_ends(first, second)]
    settled = {first for first, _ in agreeing}, {second for _, second in agreeing}
    return sorted(
        {
            (first.at, second.at)
            for first, second in pairs
            if first not in settled[0] and second not in settled[1] and _crossed(first, second)
        }
    )


def _pairs(left: Sequence[Exchange], right: Sequence[Exchange]) -> list[tuple[Exchange, Exchange]]:
    pairs = product(left[:_MOST_COMPARED], right[:_MOST_COMPARED])
    return [(first, second) for first, second in pairs if first.pair == second.pair]


def _same_ends(first: Exchange, second: Exchange) -> bool:
    return bool(first.source & second.source or first.goal & second.goal) and not _swapped(first, second)


def _crossed(first: Exchange, second: Exchange) -> bool:
    return _swapped(first, second) and not (first.source & second.source or first.goal & second.goal)


def _swapped(first: Exchange, second: Exchange) -> bool:
    return bool(first.source & second.goal or first.goal & second.source)


def _exchange(words: TextWords, at: int, entry: _Entry) -> Exchange:
    first, second = _of_noun(words, at) if entry.kind == "relations" else _of_verb(words, at, entry)
    source, goal = (first, second) if entry.side == 1 else (second, first)
    return Exchange(entry.pair, entry.side, at, source, goal)


def _of_verb(words: TextWords, at: int, entry: _Entry) -> tuple[frozenset[str], frozenset[str]]:
    """Return the verb's subject, after "by" in the passive voice, and its other end."""
    texts = words.texts
    if _is_passive(texts, at):
        other = _phrase_after(texts, at, _other_end(entry))
        if entry.kind == "contests":
            other = _stems_before(texts, at)
        return _phrase_after(texts, at, ("by",)), other
    other = _phrase_after(texts, at, _other_end(entry))
    if not other and entry.kind == "contests" and entry.side == 1:
        other = _object(texts, at)
    elif not other and entry.kind == "transfers" and entry.side == 1:
        other = _indirect_object(words, at)
    return _stems_before(texts, at), other


def _other_end(entry: _Entry) -> tuple[str, ...]:
    """Return the prepositions before a verb's other end."""
    if entry.kind == "contests":
        return ("to", "against") if entry.side == -1 else ()
    return ("to",) if entry.side == 1 else ("from",)


def _of_noun(words: TextWords, at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return who is the noun, and whose: "A is B's father", "A is the father of B", "B's father is A"."""
    texts = words.texts
    before = texts[at - 1] if at else ""
    if texts[at + 1 : at + 2] == ["of"]:
        whose = _phrase_after(texts, at, ("of",))
    elif before.endswith("'s"):
        whose = frozenset((stem(before),))
    else:
        whose = _pronoun(before)
    verb = next(
        (position for position in range(at - 1, max(-1, at - 5), -1) if texts[position] in _words("be")), -1
    )
    if verb > 0:
        return _stems_before(texts, verb), whose
    behind = next(
        (
            position
            for position in range(at + 1, min(len(texts), at + _REACH))
            if texts[position] in _words("be")
        ),
        0,
    )
    return (_object(texts, behind) - whose if behind else _NO_ONE), whose


def _is_passive(texts: list[str], at: int) -> bool:
    """Tell whether a verb is in the passive voice: a form of "be" before a form other than -ing."""
    return not texts[at].endswith("ing") and any(text in _words("be") for text in texts[max(0, at - 2) : at])


def _stems_before(texts: list[str], at: int) -> frozenset[str]:
    """Collect the stems before a word, back to the start of its clause."""
    things: frozenset[str] = _NO_ONE
    for position in range(at - 1, max(-1, at - _REACH), -1):
        if kind_of(texts[position]) == "p" or texts[position] in _words("clause_starts"):
            break
        things |= _who(texts[position])
    return things


def _phrase_after(texts: list[str], at: int, prepositions: tuple[str, ...]) -> frozenset[str]:
    """Collect the stems of the phrase that one of some prepositions begins, in the rest of the clause."""
    for position in range(at + 1, min(len(texts), at + 1 + _REACH)):
        if kind_of(texts[position]) == "p" or texts[position] in _words("clause_starts"):
            break
        if texts[position] in prepositions:
            return _object(texts, position)
    return _NO_ONE


def _object(texts: list[str], at: int) -> frozenset[str]:
    """Collect the stems after a word, up to the next preposition, verb form of "be" or end of the clause."""
    things: frozenset[str] = _NO_ONE
    ends = _words("clause_starts") | _words("prepositions") | _words("be")
    for text in texts[at + 1 : at + 1 + _REACH]:
        if kind_of(text) == "p" or text in ends:
            break
        things |= _who(text)
    return things


def _indirect_object(words: TextWords, at: int) -> frozenset[str]:
    """Read the goal of "gave Dave a key", which stands between the verb and the thing."""
    texts = words.texts
    following = texts[at + 1 : at + 1 + _REACH]
    if not following:
        return _NO_ONE
    things = [
        position for position, text in enumerate(following) if position and text in _words("determiners")
    ]
    is_name = words.text[words.starts[at + 1]].isupper()
    if not (things or is_name or _pronoun(following[0])):
        return _NO_ONE
    end = things[0] if things else 1
    if any(kind_of(text) == "p" or text in _words("prepositions") for text in following[:end]):
        return _NO_ONE
    return frozenset().union(*map(_who, following[:end]))


def _who(text: str) -> frozenset[str]:
    """Return what a word adds to a phrase: its stem, a pronoun in its base form, or nothing."""
    if kind_of(text) != "w":
        return _NO_ONE
    is_content = role_of(text) & CONTENT or text.endswith("'s")
    return _pronoun(text) or (frozenset((stem(text),)) if is_content else _NO_ONE)


def _pronoun(text: str) -> frozenset[str]:
    base = _pronouns().get(text)
    return frozenset((base,)) if base else _NO_ONE


@cache
def _pronouns() -> dict[str, str]:
    listed = read_lexicon("converses")["pronouns"]
    return {form: base for base, forms in listed.items() for form in forms.split()}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_lexicon("converses")[name].split())


@cache
def _entries() -> dict[str, list[_Entry]]:
    """Read the list: for every word its entries."""
    return _collected(_listed())


def _listed() -> Iterator[tuple[str, _Entry]]:
    for kind in ("transfers", "contests", "relations"):
        for number, line in enumerate(read_lexicon("converses")[kind]):
            for side, words in zip((1, -1), line.split("|"), strict=True):
                for word in words.split():
                    yield word, _Entry(f"{kind}.{number}", side, kind)


def _collected(listed: Iterator[tuple[str, _Entry]]) -> dict[str, list[_Entry]]:
    entries: dict[str, list[_Entry]] = {}
    for word, entry in listed:
        entries.setdefault(word, []).append(entry)
    return entries
