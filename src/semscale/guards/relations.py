"""Relations between two things: comparisons, converse words, and roles that two texts exchange."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, islice, pairwise, product
from typing import NamedTuple

from semscale.guards.text import Text
from semscale.guards.words import (
    CONTENT,
    MOST_COMPARED,
    Side,
    is_listed,
    kind_of,
    read_lexicon,
    role_of,
    sides,
    stem,
    word_list,
)

_COMPARATIVE_REACH = 6
_ORDERS = word_list("orders")
_ORDERS_OF_PLACE = word_list("orders_of_place")
_COMPARING = _ORDERS | _ORDERS_OF_PLACE | {"than"}
_AS = ("as", "so")
_NOT = frozenset(("not", "isn't", "aren't", "wasn't", "weren't"))
_ENDS = ".;:?!"
_IDLE = word_list("not_compared")


class Relation(NamedTuple):
    """A comparison of two things.

    Attributes:
        places: the axes of the comparing word, and the word's side of each axis.
        at: position of the comparing word among the words.
        first: stems of the first thing, before the comparing word.
        second: stems of the second thing, after it.
        denied: whether it is a denied equality: "not as tall as".
    """

    places: tuple[Side, ...]
    at: int
    first: frozenset[str]
    second: frozenset[str]
    denied: bool = False


def may_compare(text: Text) -> bool:
    """Check quickly whether a text may contain a comparison."""
    distinct = text.distinct
    return not _COMPARING.isdisjoint(distinct) or ("as" in distinct and not _NOT.isdisjoint(distinct))


def read_relations(text: Text) -> list[Relation]:
    """Find comparisons such as "X is greater than Y", "X is less easy than Y" or "X comes before Y"."""
    if not may_compare(text):
        return []
    words = text.words
    return [
        Relation(
            _sides_of_comparison(words, at),
            at,
            _stems(text, range(at - 1, -1, -1)),
            _stems(text, range(behind, len(words))),
            denied=words[at - 1] in _AS,
        )
        for at in _comparing(words)
        for behind in _second_side(words, at)
    ]


def _sides_of_comparison(words: list[str], at: int) -> tuple[Side, ...]:
    """Return the sides of a comparing word; "less" and "not as ... as" reverse them."""
    is_reversed = words[at - 1] == "less" or words[at - 1] in _AS
    return tuple(Side(key, -side) for key, side in sides(words[at])) if is_reversed else sides(words[at])


def _comparing(words: list[str]) -> list[int]:
    """List possible positions of comparing words: words of order, or up to three words before "than"."""
    positions = {at for at, word in enumerate(words) if word in _ORDERS or word in _ORDERS_OF_PLACE}
    positions.update(at - back for at, word in enumerate(words) if word == "than" for back in (1, 2, 3))
    if "as" in words:
        positions.update(at - 1 for at, word in enumerate(words) if word == "as" and _is_unlike(words, at))
    return sorted(at for at in positions if at > 0)


def _is_unlike(words: list[str], at: int) -> bool:
    """Tell whether "not as ... as" ends here."""
    return at > 2 and words[at - 2] in _AS and words[at - 3] in _NOT


def _second_side(words: list[str], at: int) -> list[int]:
    """Return the positions where the second thing may begin; none if the word compares nothing."""
    word = words[at]
    if word in _ORDERS:
        return [at + 1]
    ahead = words[at + 1 : at + 4]
    if ahead[:1] == ["as"] and _is_unlike(words, at + 1):
        return [at + 2]
    if word in _ORDERS_OF_PLACE and ahead[:1] == ["of"]:
        return [at + 2]
    if "than" not in ahead or not is_listed(word):
        return []
    behind = ahead.index("than")
    return [] if any(map(is_listed, ahead[:behind])) else [at + 2 + behind]


def _stems(text: Text, places: range) -> frozenset[str]:
    """Collect the stems of content words on one side, up to the end of the clause."""
    stems: list[str] = []
    words = text.words
    for position in places:
        word = words[position]
        if word in _ENDS or len(stems) == _COMPARATIVE_REACH:
            break
        is_name = position in text.letters
        if is_name or (word not in _IDLE and kind_of(word) != "p"):
            stems.append(word.removesuffix("'s") if is_name else _forms_after_than().get(word) or stem(word))
    return frozenset(stems)


def _is_reversed(first: Relation, second: Relation) -> bool:
    """Tell whether the second relation names the same things in the reverse order."""
    here, there = first.first - first.second, first.second - first.first
    return bool(here & (second.second - second.first)) and bool(there & (second.first - second.second))


def find_restatements(prediction: Sequence[Relation], reference: Sequence[Relation]) -> set[str]:
    """List the axes on which both the word and the order are reversed, so that the texts agree.

    The axis of "more" and "less" is listed, too, and so are the things in "B is not as tall as A".

    Examples:
        >>> first, second = "Iron is heavier than cork", "Cork is lighter than iron"
        >>> len(find_restatements(read_relations(Text(first)), read_relations(Text(second))))
        2
    """
    keys: set[str] = set()
    for first, second in _find_reversed_pairs(prediction, reference):
        reversed_axes = {axis.key for axis in first.places if Side(axis.key, -axis.side) in second.places}
        if reversed_axes:
            keys |= reversed_axes | {axis.key for axis in sides("more")}
            keys |= first.first | first.second if first.denied or second.denied else set()
    return keys


def reversals(prediction: Sequence[Relation], reference: Sequence[Relation]) -> list[tuple[int, int]]:
    """Find comparisons in reverse order; return the positions of their comparing words.

    Examples:
        >>> first, second = "Iron is heavier than cork", "Cork is heavier than iron"
        >>> reversals(read_relations(Text(first)), read_relations(Text(second)))
        [(2, 2)]
    """
    relations = {
        (first.at, second.at)
        for first, second in _find_reversed_pairs(prediction, reference)
        if set(first.places) & set(second.places)
    }
    return sorted(relations)


def _find_reversed_pairs(
    left: Sequence[Relation], right: Sequence[Relation]
) -> list[tuple[Relation, Relation]]:
    pairs = product(left[:MOST_COMPARED], right[:MOST_COMPARED])
    return [(first, second) for first, second in pairs if _is_reversed(first, second)]


_REACH = 8
_NO_ONE: frozenset[str] = frozenset()


class Exchange(NamedTuple):
    """An event or relation with two ends.

    Attributes:
        pair: the pair of converse words.
        side: 1 if the word's subject is the source, -1 if it is the goal.
        at: position of the word among the words.
        source: stems of the seller, giver, winner or parent; empty if not stated.
        goal: stems of the buyer, receiver, loser or child; empty if not stated.
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


def read_exchanges(text: Text) -> list[Exchange]:
    """Find events and relations that a listed word states, if at least one of their ends is stated.

    Examples:
        >>> (bought,) = read_exchanges(Text("Ann bought it from Bob"))
        >>> sorted(bought.source), sorted(bought.goal)
        (['bob'], ['ann'])
    """
    entries = _entries()
    if entries.keys().isdisjoint(text.distinct):
        return []
    words = [word.capitalize() if at in text.letters else word for at, word in enumerate(text.words)]
    # "My uncle" is not me; but another text may call "our team" "we".
    without_owners = ["the" if word in _words("owners") else word for word in words]
    relations = [
        _exchange(text, words, without_owners, at, entry)
        for at, word in enumerate(text.words)
        for entry in entries.get(word, ())
    ]
    return [one for one in relations if one.source or one.goal]


def same_events(
    prediction: Sequence[Exchange], reference: Sequence[Exchange]
) -> list[tuple[Exchange, Exchange]]:
    """Pair equal events that the two texts state with converse words; such words do not count as opposites.

    Examples:
        >>> left, right = "Ann bought it from Bob", "Bob sold it to Ann"
        >>> pairs = same_events(read_exchanges(Text(left)), read_exchanges(Text(right)))
        >>> [(first.at, second.at) for first, second in pairs]
        [(1, 1)]
    """
    return [
        (first, second)
        for first, second in _pairs(prediction, reference)
        if first.side != second.side and _same_ends(first, second)
    ]


def find_exchanged_ends(
    prediction: Sequence[Exchange], reference: Sequence[Exchange]
) -> list[tuple[int, int]]:
    """Find events with exchanged ends; return the positions of their words in both texts.

    Examples:
        >>> left, right = "Ann bought it from Bob", "Ann sold it to Bob"
        >>> find_exchanged_ends(read_exchanges(Text(left)), read_exchanges(Text(right)))
        [(1, 1)]
    """
    pairs = _pairs(prediction, reference)
    agreeing = [(first, second) for first, second in pairs if _same_ends(first, second)]
    settled = {first for first, _ in agreeing}, {second for _, second in agreeing}
    return sorted(
        {
            (first.at, second.at)
            for first, second in pairs
            if first not in settled[0] and second not in settled[1] and _is_crossed(first, second)
        }
    )


def _pairs(left: Sequence[Exchange], right: Sequence[Exchange]) -> list[tuple[Exchange, Exchange]]:
    pairs = product(left[:MOST_COMPARED], right[:MOST_COMPARED])
    return [(first, second) for first, second in pairs if first.pair == second.pair]


def _same_ends(first: Exchange, second: Exchange) -> bool:
    return bool(first.source & second.source or first.goal & second.goal) and not _is_swapped(first, second)


def _is_crossed(first: Exchange, second: Exchange) -> bool:
    return _is_swapped(first, second) and not (first.source & second.source or first.goal & second.goal)


def _is_swapped(first: Exchange, second: Exchange) -> bool:
    return bool(first.source & second.goal or first.goal & second.source)


def _exchange(text: Text, words: list[str], without_owners: list[str], at: int, entry: _Entry) -> Exchange:
    if entry.kind == "relations":
        first, second = _of_noun(words, at)
    else:
        first, second = _of_verb(text, without_owners if entry.kind == "transfers" else words, at, entry)
    source, goal = (first, second) if entry.side == 1 else (second, first)
    # What both ends have in common ("team A", "team B") does not tell them apart.
    return Exchange(entry.pair, entry.side, at, source - goal, goal - source)


def _of_verb(text: Text, words: list[str], at: int, entry: _Entry) -> tuple[frozenset[str], frozenset[str]]:
    """Return the verb's subject, after "by" in the passive voice, and its other end."""
    if _is_passive(words, at):
        other = _phrase_after(words, at, _other_end(entry))
        if entry.kind == "contests":
            other = _stems_before(words, at)
        return _phrase_after(words, at, ("by",)), other
    other = _phrase_after(words, at, _other_end(entry))
    if not other and entry.kind == "contests" and entry.side == 1:
        other = _object(words, at)
    elif not other and entry.kind == "transfers" and entry.side == 1:
        other = _indirect_object(text, words, at)
    return _stems_before(words, at), other


def _other_end(entry: _Entry) -> tuple[str, ...]:
    """Return the prepositions before a verb's other end."""
    if entry.kind == "contests":
        return ("to", "against") if entry.side == -1 else ("against", "over")
    return ("to",) if entry.side == 1 else ("from",)


def _of_noun(words: list[str], at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ends A and B of a noun: "A is B's father", "A is the father of B", "B's father is A"."""
    before = words[at - 1] if at else ""
    if words[at + 1 : at + 2] == ["of"]:
        whose = _phrase_after(words, at, ("of",))
    elif before.endswith("'s"):
        whose = _who(before)
    else:
        whose = _pronoun(before)
    verb = next(
        (position for position in range(at - 1, max(-1, at - 5), -1) if words[position] in _words("be")), -1
    )
    if verb > 0:
        return _stems_before(words, verb), whose
    behind = next(
        (
            position
            for position in range(at + 1, min(len(words), at + _REACH))
            if words[position] in _words("be")
        ),
        0,
    )
    return (_object(words, behind) - whose if behind else _NO_ONE), whose


def _is_passive(words: list[str], at: int) -> bool:
    """Tell whether a verb is in the passive voice: a form of "be" before a form other than -ing."""
    return not words[at].endswith("ing") and any(word in _words("be") for word in words[max(0, at - 2) : at])


def _stems_before(words: list[str], at: int) -> frozenset[str]:
    """Collect the stems before a word, back to the start of its clause."""
    things: frozenset[str] = _NO_ONE
    for position in range(at - 1, max(-1, at - _REACH), -1):
        if kind_of(words[position]) == "p" or words[position] in _words("clause_starts"):
            break
        things |= _who(words[position])
    return things


def _phrase_after(words: list[str], at: int, prepositions: tuple[str, ...]) -> frozenset[str]:
    """Collect the stems of the phrase after one of some prepositions, in the rest of the clause."""
    for position in range(at + 1, min(len(words), at + 1 + _REACH)):
        if kind_of(words[position]) == "p" or words[position] in _words("clause_starts"):
            break
        if words[position] in prepositions:
            return _object(words, position)
    return _NO_ONE


def _object(words: list[str], at: int) -> frozenset[str]:
    """Collect the stems after a word, up to the next preposition, verb form of "be" or end of the clause."""
    things: frozenset[str] = _NO_ONE
    ends = _words("clause_starts") | _words("prepositions") | _words("be")
    for word in words[at + 1 : at + 1 + _REACH]:
        if kind_of(word) == "p" or word in ends:
            break
        things |= _who(word)
    return things


def _indirect_object(text: Text, words: list[str], at: int) -> frozenset[str]:
    """Read the goal (Dave) in "gave Dave a key", between the verb and the thing."""
    following = words[at + 1 : at + 1 + _REACH]
    if not following:
        return _NO_ONE
    things = [
        position for position, word in enumerate(following) if position and word in _words("determiners")
    ]
    is_name = text.source[text.starts[at + 1]].isupper()
    if not (things or is_name or _pronoun(following[0])):
        return _NO_ONE
    end = things[0] if things else 1
    if any(kind_of(word) == "p" or word in _words("prepositions") for word in following[:end]):
        return _NO_ONE
    return frozenset().union(*map(_who, following[:end]))


def _who(word: str) -> frozenset[str]:
    """Return the stem of a word in a phrase, or the base form of a pronoun; nothing for small words.

    Letters that name something are in capitals.
    """
    if kind_of(word) != "w":
        return _NO_ONE
    if word[0].isupper():
        return frozenset((word[0].lower(),))
    is_content = role_of(word) & CONTENT or word.endswith("'s")
    return _pronoun(word) or (frozenset((stem(word),)) if is_content else _NO_ONE)


def _pronoun(word: str) -> frozenset[str]:
    base = _pronouns().get(word)
    return frozenset((base,)) if base else _NO_ONE


@cache
def _pronouns() -> dict[str, str]:
    listed = read_lexicon("converses")["pronouns"]
    return {form: base for base, forms in listed.items() for form in forms.split()}


@cache
def _forms_after_than() -> dict[str, str]:
    """Return the form that stands for a pronoun after "than": "mine" for "my car"."""
    return {form: base for base, form in read_lexicon("converses")["compared"].items()}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_lexicon("converses")[name].split())


@cache
def _entries() -> dict[str, list[_Entry]]:
    """Read the list of converse words; return the entries of every word."""
    return _collect_entries(_lexicon_entries())


def _lexicon_entries() -> Iterator[tuple[str, _Entry]]:
    for kind in ("transfers", "contests", "relations"):
        for number, line in enumerate(read_lexicon("converses")[kind]):
            for side, words in zip((1, -1), line.split("|"), strict=True):
                for word in words.split():
                    yield word, _Entry(f"{kind}.{number}", side, kind)


def _collect_entries(listed: Iterator[tuple[str, _Entry]]) -> dict[str, list[_Entry]]:
    entries: dict[str, list[_Entry]] = {}
    for word, entry in listed:
        entries.setdefault(word, []).append(entry)
    return entries


Places = tuple[tuple[int, int], tuple[int, int]]
"""Positions of two words in the first text and in the second text."""

_PHRASE_REACH = 4
_MOST_SHARED = 60
_MOST_REVERSED = 200
_MOST_BEHIND_BY = 6


class _Shared(NamedTuple):
    """A word that occurs exactly once in each text: its stem and both positions."""

    stem: str
    here: int
    there: int


def find_exchange(left: Text, right: Text) -> Places | None:
    """Find two words that exchanged their positions.

    Returns:
        Their positions in both texts; ``None`` if there are none, or if the passive voice or a mutual
        relation ("met") makes the texts agree.
    """
    shared = _find_common_stems(left, right)
    return _find_reversal(shared, left, right) or _find_swapped_prepositions(shared, left, right)


def find_voice_change(left: Text, right: Text) -> Places | None:
    """Find a verb that is passive in only one text, although the words have the same order.

    An example is "Ann hired Bob" and "Ann was hired by Bob".
    """
    for passive, active, flipped in ((left, right, False), (right, left, True)):
        order = _same_order_passive(passive, active)
        if order:
            return order[::-1] if flipped else order
    return None


def _find_common_stems(left: Text, right: Text) -> list[_Shared]:
    """List the words that occur exactly once in each text, in the order of the first text."""
    here, there = _once(left), _once(right)
    return sorted(
        (_Shared(stem, here[stem], there[stem]) for stem in here.keys() & there.keys()), key=_by_place
    )


def _by_place(word: _Shared) -> int:
    return word.here


@lru_cache(maxsize=512)
def _once(text: Text) -> dict[str, int]:
    """Return the positions of words that occur once: content words, persons, letters as names, and "than"."""
    first_positions: dict[str, int] = {}
    repeated = set()
    words, content, persons = text.words, text.content, _persons()
    discourse = _role_words("discourse") | _role_words("discourse_at_edges")
    for at, word in enumerate(words):
        if word in discourse and _is_discourse(words, at):
            continue
        is_letter = len(word) == 1
        stem = content.get(at) or persons.get(word) or (word if is_letter and _is_label(text, at) else "")
        if stem in first_positions:
            repeated.add(stem)
        elif stem:
            first_positions[stem] = at
    return {stem: at for stem, at in first_positions.items() if stem not in repeated}


def _is_discourse(words: Sequence[str], at: int) -> bool:
    """Tell whether a word only structures the text or asks: "please", and "first" in "first, lock it"."""
    if words[at] not in _role_words("discourse_at_edges"):
        return words[at] in _role_words("discourse")
    before, behind = words[at - 1] if at else ",", words[at + 1] if at + 1 < len(words) else ","
    return before not in _role_words("before_nouns") and not _role_words("joins").isdisjoint((before, behind))


def _is_label(text: Text, at: int) -> bool:
    """Tell whether a word is a single capital letter that names something: node A."""
    word = text.words[at]
    return at > 0 and word.isalpha() and word != "i" and text.source[text.starts[at]].isupper()


def _find_reversal(shared: Sequence[_Shared], left: Text, right: Text) -> Places | None:
    """Find two words with a third one between them that the other text has in the reverse order."""
    if len(shared) > _MOST_SHARED or all(one.there < other.there for one, other in pairwise(shared)):
        return None
    for first, middle, last in islice(_iterate_reversals(shared), _MOST_REVERSED):
        crosses = _crosses_clauses(left, first.here, last.here) or _crosses_clauses(
            right, last.there, first.there
        )
        if crosses and not _is_plain_exchange(left, right, shared, first, last):
            continue
        here, there = (first.here, last.here), (last.there, first.there)
        reverse = _Triple(right, last.there, middle.there, first.there)
        if _is_exchange(_Triple(left, first.here, middle.here, last.here), reverse):
            return here, there
    return None


def _iterate_reversals(shared: Sequence[_Shared]) -> Iterator[tuple[_Shared, _Shared, _Shared]]:
    """Yield groups of three words that the other text has in the reverse order."""
    for position, middle in enumerate(shared):
        before = [word for word in shared[:position] if word.there > middle.there]
        after = [word for word in shared[position + 1 :] if word.there < middle.there] if before else []
        yield from ((first, middle, last) for first in before for last in after)


def _is_plain_exchange(
    left: Text, right: Text, shared: Sequence[_Shared], first: _Shared, last: _Shared
) -> bool:
    """Tell whether only two words have moved, and all others have the same order in both texts."""
    positions = {first: last.there, last: first.there}
    there = [positions.get(word, word.there) for word in shared]
    return set(left.content.values()) == set(right.content.values()) and all(
        one < other for one, other in pairwise(there)
    )


def _crosses_clauses(text: Text, first: int, last: int) -> bool:
    return not _role_words("clause_marks").isdisjoint(text.words[first:last])


class _Triple(NamedTuple):
    """Positions of three words of a text, in the order of the text."""

    text: Text
    first: int
    middle: int
    last: int


def _is_exchange(first: _Triple, second: _Triple) -> bool:
    """Tell whether three words in reverse order have exchanged roles."""
    if _slots(first) != _slots(second) or _speaks_otherwise(first) != _speaks_otherwise(second):
        return False
    if any(_is_mutual(each.text, each.first, each.last) for each in (first, second)):
        return False
    if _is_done_together(first) and _is_done_together(second):
        return False
    if _turns_compound(first, second) or _turns_compound(second, first):
        return False
    listed = _is_list_member(first.text, first.middle) and _is_list_member(second.text, second.middle)
    return not listed and not (_equates(first) and _equates(second))


def _slots(triple: _Triple) -> tuple[str, str]:
    """Return the prepositions of the first and the third word."""
    return _slot(triple.text, triple.first), _slot(triple.text, triple.last)


def _speaks_otherwise(triple: _Triple) -> tuple[int, int, bool]:
    """Return words that can reverse a sentence: passive agents, relative pronouns, passive verbs.

    "He flags what she adds" means "she adds what he flags". Conditions do the same: "opening it makes the
    bell ring" means "the bell rings when it is opened".
    """
    words = triple.text.words
    turning = _role_words("relatives") | _role_words("conditions")
    relatives = sum(word in turning for word in words[triple.first : triple.last])
    return words.count("by"), relatives, _follows_be(words, triple.middle)


def _find_swapped_prepositions(shared: Sequence[_Shared], left: Text, right: Text) -> Places | None:
    """Find two words that exchanged their prepositions: "from A to B", "from B to A"."""
    slots = [(word, _slot(left, word.here), _slot(right, word.there)) for word in shared[:_MOST_SHARED]]
    directed = [entry for entry in slots if entry[1] != entry[2] and _is_directed(*entry[1:])]
    for (first, here, there), (second, here_other, there_other) in combinations(directed, 2):
        if here == there_other and there == here_other and not _is_mutual(left, first.here, second.here):
            return (first.here, second.here), (first.there, second.there)
    return None


def _is_directed(here: str, there: str) -> bool:
    return here in _role_words("directed") and there in _role_words("directed")


def _same_order_passive(passive: Text, active: Text) -> Places | None:
    if "by" not in passive.distinct:
        return None
    words, once = passive.words, _once(active)
    for at in (at for at, word in enumerate(words) if word == "by" and at):
        verb = next(
            (position for position in range(at - 1, max(at - 3, -1), -1) if position in passive.content), -1
        )
        if verb < 1 or not _follows_be(words, verb):
            continue
        acted = once.get(passive.content[verb], -1)
        behind = (
            position
            for position in range(at + 1, min(at + _MOST_BEHIND_BY, len(words)))
            if position in passive.content
        )
        agent = next(behind, -1)
        before = next((position for position in range(verb - 1, -1, -1) if position in passive.content), -1)
        if acted < 0 or agent < 0 or before < 0 or _has_agent(active, acted - 1, len(active.words) - 1):
            continue
        whom, who = once.get(passive.content[before], -1), once.get(passive.content[agent], -1)
        if 0 <= whom < acted < who and not _slot(active, who) and not _slot(active, whom):
            return (before, agent), (whom, who)
    return None


def _follows_be(words: Sequence[str], verb: int) -> bool:
    return any(word in _role_words("be") for word in words[max(0, verb - 3) : verb])


def _is_list_member(text: Text, at: int) -> bool:
    """Tell whether a word is a member of a list: "Ann, Bob and Eve"."""
    words = text.words
    ahead = words[at + 1] if at + 1 < len(words) else ""
    return words[at - 1] in _role_words("listing") or ahead in _role_words("listing")


def _is_mutual(text: Text, first: int, last: int) -> bool:
    """Tell whether the words between two words state a mutual relation: "Ann met Bob"."""
    between = text.words[first:last]
    return not _role_words("mutual").isdisjoint(between)


def _is_done_together(triple: _Triple) -> bool:
    """Tell whether a verb without an object joins two words by "with": "Ann waltzed with Bob"."""
    words, content = triple.text.words, triple.text.content
    inside = [at for at in range(triple.first + 1, triple.last) if at in content]
    return (
        inside == [triple.middle]
        and words[triple.middle + 1] == "with"
        and not _follows_be(words, triple.middle)
    )


def _has_agent(text: Text, first: int, last: int) -> bool:
    """Tell whether a passive verb and "by" are between two words: "was hired by"."""
    words = text.words
    return any(words[at] == "by" for at in range(first + 1, last))


def _equates(triple: _Triple) -> bool:
    """Tell whether a form of "be" equates two words: "the left lung is affected"."""
    text, first, _, last = triple
    inside = [at for at in range(first + 1, last) if at in text.content]
    between = text.words[first:last]
    return len(inside) <= 1 and "by" not in between and not _role_words("be").isdisjoint(between)


def _turns_compound(first: _Triple, second: _Triple) -> bool:
    """Tell whether two words are adjacent in one text, and separated by a preposition in the other.

    An example is "the bank in the high street" and "the high street bank".
    """
    between = first.text.words[first.first + 1 : first.middle]
    beside = second.text.words[second.middle + 1 : second.last]
    return not beside and not _role_words("prepositions").isdisjoint(between)


def _slot(text: Text, at: int) -> str:
    """Return the preposition of a word's phrase; "" for none."""
    words = text.words
    for position in range(at - 1, max(at - 1 - _PHRASE_REACH, -1), -1):
        word = words[position]
        if word in _role_words("prepositions"):
            return word
        if word in _role_words("phrase_ends") or (word != "-" and not word[0].isalnum()):
            return ""
    return ""


@cache
def _persons() -> dict[str, str]:
    """Return the stem that represents each personal pronoun, and "than"."""
    listed = read_lexicon("roles")["persons"]
    return {form: f"<{line.split()[0]}>" for line in listed for form in line.split()}


@cache
def _role_words(name: str) -> frozenset[str]:
    return frozenset(read_lexicon("roles")[name].split())
