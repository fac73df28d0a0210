"""Claims of texts: events and their order, and phrases that correspond to a negation in the other text."""

from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

from semscale.guards.polarity import Conflict, Mention, read_polarity
from semscale.guards.text import Cue, Text, kinds_of
from semscale.guards.words import MOST_COMPARED, sentence_end, sentence_start, sides, word_list

_TIMES = word_list("times") | word_list("number_words")
_DENIALS = word_list("denials")


def parts_at(text: Text, cue: Cue) -> tuple[range, range]:
    """Split the sentence of a cue: "A before B", "before B, A".

    Args:
        text: a text.
        cue: one of its phrases.

    Returns:
        Positions of the words of the main clause A, and of the clause B after the cue. The range of a clause
        is empty if no comma shows where it begins.

    Examples:
        >>> parts_at(Text("Before lunch, wash your hands."), Cue("before", 0, 0))
        (range(3, 6), range(1, 2))
    """
    words = text.words
    start, end = sentence_start(words, cue.first), sentence_end(words, cue.last)
    comma = next((at for at in range(cue.last + 1, end) if words[at] == ","), end)
    behind = range(cue.last + 1, comma)
    if all(states_time(words[at]) for at in range(start, cue.first) if at in text.content):
        return range(comma + 1, end), behind
    clause = next((at + 1 for at in range(cue.first - 2, start, -1) if words[at] == ","), start)
    return range(clause, cue.first), behind


def is_denied(text: Text, positions: range) -> bool:
    """Tell whether some words have an odd number of negations; idle negations ("not only") do not count."""
    return sum(at in text.denials for at in positions) % 2 == 1


def is_denial(word: str) -> bool:
    """Tell whether a word is itself a negation, such as "not" and "nobody", but not "omit"."""
    return word in _DENIALS or word.endswith("n't")


def differ_in_negations(left: Text, right: Text) -> bool:
    """Tell whether one of two texts has more negations: "only if it is", "not if it is not"."""
    return len(left.denials) != len(right.denials)


def crossing(first: tuple[set[str], set[str]], second: tuple[set[str], set[str]]) -> bool:
    """Tell whether the first part of each text resembles the second part of the other text more.

    Args:
        first: stems of the two parts of one text.
        second: those of the other text.
    """
    straight = len(first[0] & second[0]) + len(first[1] & second[1])
    crossed = len(first[0] & second[1]), len(first[1] & second[0])
    return all(crossed) and sum(crossed) > straight


def states_time(word: str) -> bool:
    """Tell whether a word is part of the time before or after an event: "ten minutes before"."""
    return word in _TIMES or not word[0].isalpha()


_THEN = "then"
_JOINTS = ("and", ",", ";")
_MARKS = frozenset(("first",))


class EventOrder(NamedTuple):
    """Two events in the order of time.

    Attributes:
        cue: the phrase that orders them.
        earlier: stems of the content words of the earlier one.
        later: those of the later one.
    """

    cue: Cue
    earlier: set[str]
    later: set[str]


def read_orders(text: Text) -> list[EventOrder]:
    """Find pairs of ordered events; a phrase with an event on one side only gives no pair.

    Examples:
        >>> (order,) = read_orders(Text("Wash it and cut it afterwards."))
        >>> order.earlier, order.later
        ({'wash'}, {'cut'})
    """
    orders = [
        _split_at_joint(text, cue) if cue.kind == _THEN else _subordinate(text, cue)
        for cue in text.cues["order"][:MOST_COMPARED]
    ]
    return [order for order in orders if order.earlier and order.later]


@lru_cache(maxsize=512)
def find_reversed_orders(left: Text, right: Text) -> list[tuple[EventOrder, EventOrder]] | None:
    """Pair the orders of two texts that put the same events in reverse.

    Returns:
        The pairs; empty if an order agrees with one of the other text; ``None`` if a text has no order.
    """
    pairs = list(product(read_orders(left), read_orders(right)))
    if not pairs:
        return None
    turned = [(first, second) for first, second in pairs if crossing(first[1:], second[1:])]
    return turned if len(turned) == len(pairs) else []


def _split_at_joint(text: Text, cue: Cue) -> EventOrder:
    """Split at the "and" or comma before a "then"; at the start of a sentence, before that sentence."""
    words = text.words
    start, end = sentence_start(words, cue.first), sentence_end(words, cue.last)
    joint = next((at for at in range(cue.first, start, -1) if words[at] in _JOINTS), start - 1)
    if joint < start:
        start = sentence_start(words, joint) if joint > 0 and cue.first == joint + 1 else start
    later = text.stems(range(joint + 1, cue.first)) | text.stems(range(cue.last + 1, end))
    return EventOrder(cue, text.stems(range(start, joint)) - _MARKS, later)


def _subordinate(text: Text, cue: Cue) -> EventOrder:
    main, sub = parts_at(text, cue)
    if all(states_time(text.words[at]) for at in sub if at in text.content):
        return EventOrder(cue, set(), set())  # "after two months" names no event
    # "Not before the talk" is after it.
    main_first = (cue.kind != "after") != (cue.kind == "before" and _negates(text, main))
    events = text.stems(main) - _MARKS, text.stems(sub) - _MARKS
    return EventOrder(cue, *events) if main_first else EventOrder(cue, *events[::-1])


def _negates(text: Text, positions: range) -> bool:
    """Tell whether some words contain an odd number of negation words; "nobody but" does not count."""
    words = text.words
    return sum(is_denial(words[at]) and not text.cue_at("exclusivity", at) for at in positions) % 2 == 1


_COUNTERPARTS = {
    "quantity": ("none all", "none some", "few most", "few many", "few nearly_all", "minority most")
    + ("not_all some", "half half"),
    "exclusivity": ("only except",),
    "certainty": ("hedged doubted", "hedged unknown"),
}
_PAIRS = {
    guard: frozenset(frozenset(pair.split()) for pair in pairs) for guard, pairs in _COUNTERPARTS.items()
}
_LEVELS = ("certain", "doubted", "unknown", "hedged")
_CLAUSE_STARTS = word_list("after_certainty")
_FARTHEST_CERTAIN = 3
_ONLY_IF, _NONE = "only_if", "none"
_CONTRAST, _EXCEPT = "contrast", "except"
_OWN_OPPOSITES = ("certainty", "order")
_UNTIL = frozenset(("until", "till"))
_COMPLEMENTS = (("above", "at_most"), ("below", "at_least"))
LIMITING_CONDITIONS = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_BOUNDS = ("at_most", "at_least")
_BY_DENIAL = (*_BOUNDS, "many")
_DENIED_AMOUNTS = ("not_all", "few")
_ONLY = "only"
_ELSEWHERE = word_list("elsewhere")


def are_counterparts(guard: str, first: str, second: str) -> bool:
    """Tell whether a negation turns phrases of one class into phrases of another class.

    Args:
        guard: the guard to which the classes belong: ``quantity``, ``exclusivity`` or ``certainty``.
        first: a class of its phrases.
        second: another class of its phrases.

    Examples:
        >>> are_counterparts("quantity", "few", "most"), are_counterparts("quantity", "few", "some")
        (True, False)
    """
    return frozenset((first, second)) in _PAIRS[guard]


@lru_cache(maxsize=512)
def are_turned(left: Text, right: Text) -> bool:
    """Tell whether two texts differ by an odd number of negations and opposites.

    Words in a phrase of quantity, exclusivity or certainty do not count. A bound in one text and its
    complement in the other ("more than one", "at most one") count once.
    """
    skipped = _phrase_positions(left), _phrase_positions(right)
    count = sum(map(_n_denials, (left, right), skipped))
    here, there = _sides(left, skipped[0]), _sides(right, skipped[1])
    opposed = sum(len(here[key]) == len(there.get(key, ())) == 1 and here[key] != there[key] for key in here)
    return (count + opposed + _have_complements(left, right)) % 2 == 1


def make_up(left: Text, right: Text) -> bool:
    """Tell whether two texts have counterparts, and also the negation or opposite that makes them agree."""
    return any(_have_counterparts(guard, left, right) for guard in _PAIRS) and are_turned(left, right)


def is_left_to_claims(conflict: Conflict, left: Text, right: Text) -> bool:
    """Tell whether a conflict lies in phrases that a guard of claims compares.

    That holds for opposites if both are parts of such phrases ("probably", "unlikely"), and for a negation if
    it is part of one.
    """
    if conflict.cause == "opposite":
        guard = next((guard for guard in _OWN_OPPOSITES if _are_inside(conflict, left, right, guard)), "")
        return bool(guard) and (guard != "order" or orders_agree(left, right))
    return _is_of_phrase(conflict.prediction, left, right) or _is_of_phrase(conflict.reference, right, left)


def orders_agree(left: Text, right: Text) -> bool:
    """Tell whether both texts state the order of the same events, and state the same order."""
    return find_reversed_orders(left, right) == []


def _have_counterparts(guard: str, left: Text, right: Text) -> bool:
    here, there = (kinds_of(text.cues[guard]) for text in (left, right))
    return any(are_counterparts(guard, first, second) for first in here for second in there)


def _is_of_phrase(negated: Mention, here: Text, there: Text) -> bool:
    if not negated.cues:
        return False
    denial = negated.cues[-1]
    return (
        _sets_bound(here, denial)
        or _is_amount_beside_another(here, there, denial)
        or (is_denial(here.words[denial]) and _is_about_others(here, there))
        or _excepts_otherwise(here, there, denial)
        or _denies_certainty(here, denial)
        or _delays(here, there, denial)
        or _is_condition_turned(here, there)
    )


def _sets_bound(text: Text, denial: int) -> bool:
    """Tell whether a negation is part of a bound or of a large quantity: "no more than", "no shortage of"."""
    cue = text.cue_at("quantity", denial)
    return cue is not None and cue.kind in _BY_DENIAL


def _is_amount_beside_another(here: Text, there: Text, denial: int) -> bool:
    """Tell whether a negation is part of a quantity word, and the other text has a quantity word, too."""
    cue = here.cue_at("quantity", denial)
    return cue is not None and cue.kind in _DENIED_AMOUNTS and bool(there.cues["quantity"])


@lru_cache(maxsize=512)
def _is_about_others(here: Text, there: Text) -> bool:
    """Tell whether one text has "only" and the other denies the rest: "by day only", "not at night"."""
    words = there.words
    for cue in there.cues["exclusivity"]:
        if cue.kind == _ONLY:
            end = sentence_end(words, cue.last)
            behind = (there.content[at] for at in range(cue.last + 1, end) if at in there.content)
            before = (there.content[at] for at in range(cue.first - 1, -1, -1) if at in there.content)
            focus = next(behind, None) or next(before, None)
            if focus is not None and (focus not in here.counts or not _ELSEWHERE.isdisjoint(here.distinct)):
                return True
    return False


def _are_inside(conflict: Conflict, left: Text, right: Text, guard: str) -> bool:
    here = left.cue_at(guard, conflict.prediction.at)
    return bool(here and right.cue_at(guard, conflict.reference.at))


def _excepts_otherwise(here: Text, there: Text, denial: int) -> bool:
    """Tell whether one sentence has "only" and the other an exception: "only A may", "none may but A".

    The same holds for "no one else" if the other text has a phrase for "only".
    """
    others = kinds_of(there.cues["exclusivity"]) - {_CONTRAST}
    around = here.cue_at("exclusivity", denial)
    if around is not None:  # "but not this one" beside "all except this one"
        return bool(others) if around.kind != _CONTRAST else _EXCEPT in others
    kinds = _kinds_around(here, "exclusivity", denial) - {_CONTRAST}
    return bool(kinds and others) and kinds.isdisjoint(others)


def _denies_certainty(text: Text, denial: int) -> bool:
    """Tell whether a negation states only the certainty of a clause: "it is not certain that", "no doubt"."""
    near = (text.cue_at("certainty", denial + ahead) for ahead in range(_FARTHEST_CERTAIN + 1))
    return any(cue is not None and cue.kind in _LEVELS and _has_clause(text, cue) for cue in near)


def _has_clause(text: Text, cue: Cue) -> bool:
    words = text.words
    return not _CLAUSE_STARTS.isdisjoint(words[cue.last : cue.last + 2])


def _delays(here: Text, there: Text, denial: int) -> bool:
    """Tell whether a negation states only a time: "do not cut it before you wash it", "wash it, then cut it".

    "It worked until noon" and "after noon it did not work" agree, too.
    """
    kinds = _kinds_around(here, "order", denial)
    if "before" in kinds and is_denial(here.words[denial]):
        turned = find_reversed_orders(here, there)
        return turned == [] if turned is not None else bool(there.cues["order"])
    return "after" in kinds and not _UNTIL.isdisjoint(there.distinct)


def _is_condition_turned(here: Text, there: Text) -> bool:
    """Tell whether "only if" and a moved negation cancel out: "no pay if late", "pay only if not late"."""
    kinds = [kinds_of(text.cues["condition"]) for text in (here, there)]
    one_each = all(len(of) == 1 and of <= LIMITING_CONDITIONS for of in kinds)
    return one_each and _ONLY_IF in kinds[0] ^ kinds[1] and not differ_in_negations(here, there)


def _kinds_around(text: Text, guard: str, at: int) -> set[str]:
    """Return the classes of a guard's phrases in the sentence of a word."""
    words = text.words
    sentence = range(sentence_start(words, at), sentence_end(words, at))
    cues = (text.cue_at(guard, position) for position in sentence)
    return {cue.kind for cue in cues if cue is not None and cue.first in sentence}


def _n_denials(text: Text, skipped: set[int]) -> int:
    """Count the negations (also "without") that are part of no phrase."""
    return len(text.denials - skipped) + text.words.count("without")


def _have_complements(left: Text, right: Text) -> bool:
    here, there = (kinds_of(text.cues["quantity"]) for text in (left, right))
    return any(
        (first in here and second in there) or (second in here and first in there)
        for first, second in _COMPLEMENTS
    )


def _phrase_positions(text: Text) -> set[int]:
    """Return the positions of phrases; "no" is left out if another quantity occurs: "some have no key"."""
    amounts = text.cues["quantity"]
    if not kinds_of(amounts) <= {_NONE, *chain(*_COMPLEMENTS)}:
        amounts = [cue for cue in amounts if cue.kind != _NONE]
    cues = chain(amounts, text.cues["exclusivity"], text.cues["certainty"])
    return {at for cue in cues for at in range(cue.first, cue.last + 1)}


def _sides(text: Text, skipped: set[int]) -> dict[str, set[int]]:
    """Return the sides of each axis that the text names, without words that count as negations."""
    counted = skipped | text.denials
    named: dict[str, set[int]] = {}
    for at in read_polarity(text).content:
        if at not in counted:
            for key, side in sides(text.words[at]):
                named.setdefault(key, set()).add(side)
    return named
