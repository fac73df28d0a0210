"""Phrases that a negation turns into each other: "few came" says what "most did not come" says.

A negation or an opposite between two such texts is no contradiction, and without one the phrases are.
"""

from functools import lru_cache
from itertools import chain

from semscale.guards.claims.event_orders import turned_orders
from semscale.guards.claims.events import denials, denied_otherwise, says_no
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, kinds_of
from semscale.guards.clauses import sentence_end, sentence_start
from semscale.guards.conflicts import Conflict
from semscale.guards.polarity import Mention
from semscale.guards.reading import AnalysedText

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
_CLAUSE_STARTS = frozenset(("that", "whether", "if", "about"))
_FARTHEST_CERTAIN = 3
_ONLY_IF, _NONE = "only_if", "none"
_CONTRAST, _EXCEPT = "contrast", "except"
_OWN_OPPOSITES = ("certainty", "order")
_UNTIL = frozenset(("until", "till"))
_COMPLEMENTS = (("above", "at_most"), ("below", "at_least"))
_CONDITIONS = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_BOUNDS = ("at_most", "at_least")
_BY_DENIAL = (*_BOUNDS, "many")
_DENIED_AMOUNTS = ("not_all", "few")
_ONLY = "only"
_ELSEWHERE = frozenset(("outside", "elsewhere", "besides", "apart", "except"))


def are_counterparts(guard: str, one: str, other: str) -> bool:
    """Tell whether a negation turns phrases of one class into those of another.

    Args:
        guard: the guard whose classes these are: ``quantity``, ``exclusivity`` or ``certainty``.
        one: a class of its phrases.
        other: another one.

    Example:
        >>> are_counterparts("quantity", "few", "most"), are_counterparts("quantity", "few", "some")
        (True, False)
    """
    return frozenset((one, other)) in _PAIRS[guard]


@lru_cache(maxsize=512)
def are_turned(ours: AnalysedText, theirs: AnalysedText) -> bool:
    """Tell whether an odd number of negations and opposites stands between two texts.

    What belongs to a phrase for how many, for "only" or for certainty is not counted, and a bound beside
    its complement ("more than one", "at most one") counts once.
    """
    skipped = _covered(ours.wording), _covered(theirs.wording)
    count = sum(_denials(text, of) for text, of in zip((ours, theirs), skipped, strict=True))
    here, there = _sides(ours, skipped[0]), _sides(theirs, skipped[1])
    opposed = sum(len(here[key]) == len(there.get(key, ())) == 1 and here[key] != there[key] for key in here)
    return (count + opposed + _have_complements(ours.wording, theirs.wording)) % 2 == 1


def make_up(ours: AnalysedText, theirs: AnalysedText) -> bool:
    """Tell whether two texts have counterparts, and the one negation or opposite that these ask for."""
    return any(_have_counterparts(guard, ours.wording, theirs.wording) for guard in _PAIRS) and are_turned(
        ours, theirs
    )


def is_left_to_claims(conflict: Conflict, ours: AnalysedText, theirs: AnalysedText) -> bool:
    """Tell whether a conflict is one of phrases that a guard of claims compares with each other.

    Opposites are if both are parts of such phrases ("probably", "unlikely"), a negation if it is part of one.
    """
    if conflict.cause == "opposite":
        guard = next((guard for guard in _OWN_OPPOSITES if _are_inside(conflict, ours, theirs, guard)), "")
        return bool(guard) and (guard != "order" or orders_agree(ours, theirs))
    return _is_of_phrase(conflict.prediction, ours.wording, theirs.wording) or _is_of_phrase(
        conflict.reference, theirs.wording, ours.wording
    )


def orders_agree(ours: AnalysedText, theirs: AnalysedText) -> bool:
    """Tell whether both texts put the same events in an order, and in the same one."""
    return turned_orders(ours.wording, theirs.wording) == []


def _have_counterparts(guard: str, ours: Wording, theirs: Wording) -> bool:
    here, there = (kinds_of(text.cues(guard)) for text in (ours, theirs))
    return any(are_counterparts(guard, one, other) for one in here for other in there)


def _is_of_phrase(negated: Mention, here: Wording, there: Wording) -> bool:
    if not negated.cues:
        return False
    denial = negated.cues[-1]
    return (
        _sets_bound(here, denial)
        or _is_amount_beside_another(here, there, denial)
        or (says_no(here.words.texts[denial]) and _is_about_others(here, there))
        or _excepts_otherwise(here, there, denial)
        or _denies_certainty(here, denial)
        or _delays(here, there, denial)
        or _is_condition_turned(here, there)
    )


def _sets_bound(wording: Wording, denial: int) -> bool:
    """Tell whether a negation is part of a bound, or of a great amount: "no more than", "no shortage of"."""
    return any(cue.kind in _BY_DENIAL and cue.first <= denial <= cue.last for cue in wording.cues("quantity"))


def _is_amount_beside_another(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether a negation is part of a word for how many, and the other text has such a word, too."""
    inside = (
        cue.kind in _DENIED_AMOUNTS and cue.first <= denial <= cue.last for cue in here.cues("quantity")
    )
    return bool(there.cues("quantity")) and any(inside)


def _is_about_others(here: Wording, there: Wording) -> bool:
    """Tell whether one text denies of others what is only of one thing: "by day only", "not at night"."""
    texts = there.words.texts
    for cue in there.cues("exclusivity"):
        if cue.kind == _ONLY:
            end = sentence_end(texts, cue.last)
            behind = (there.content[at] for at in range(cue.last + 1, end) if at in there.content)
            before = (there.content[at] for at in range(cue.first - 1, -1, -1) if at in there.content)
            focus = next(behind, None) or next(before, None)
            if focus is not None and (
                focus not in here.counts or not _ELSEWHERE.isdisjoint(here.words.distinct)
            ):
                return True
    return False


def _is_inside(wording: Wording, guard: str, at: int) -> bool:
    return any(cue.first <= at <= cue.last for cue in wording.cues(guard))


def _are_inside(conflict: Conflict, ours: AnalysedText, theirs: AnalysedText, guard: str) -> bool:
    return _is_inside(ours.wording, guard, conflict.prediction.at) and _is_inside(
        theirs.wording, guard, conflict.reference.at
    )


def _excepts_otherwise(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether one sentence has "only" and the other an exception: "only A may", "none may but A".

    Nor is "no one else" a negation beside another phrase for "only".
    """
    sentence = _sentence(here, denial)
    cues = [cue for cue in here.cues("exclusivity") if cue.kind != _CONTRAST and cue.first in sentence]
    kinds, others = kinds_of(cues), kinds_of(there.cues("exclusivity")) - {_CONTRAST}
    if any(cue.first <= denial <= cue.last for cue in cues):
        return bool(others)
    if _is_inside(here, "exclusivity", denial):  # "but not this one" beside "all except this one"
        return _EXCEPT in others
    return bool(kinds and others) and kinds.isdisjoint(others)


def _denies_certainty(wording: Wording, denial: int) -> bool:
    """Tell whether a negation only says how certain a clause is: "it is not certain that", "no doubt"."""
    return any(
        cue.first - _FARTHEST_CERTAIN <= denial <= cue.last and _has_clause(wording, cue)
        for cue in wording.cues("certainty")
        if cue.kind in _LEVELS
    )


def _has_clause(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    return not _CLAUSE_STARTS.isdisjoint(texts[cue.last : cue.last + 2])


def _delays(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether a negation only says when: "do not cut it before you wash it", "wash it, then cut it".

    "It worked until noon" and "after noon it did not work" agree, too.
    """
    sentence = _sentence(here, denial)
    kinds = {cue.kind for cue in here.cues("order") if cue.first in sentence}
    if "before" in kinds and says_no(here.words.texts[denial]):
        turned = turned_orders(here, there)
        return turned == [] if turned is not None else bool(there.cues("order"))
    return "after" in kinds and not _UNTIL.isdisjoint(there.words.distinct)


def _is_condition_turned(here: Wording, there: Wording) -> bool:
    """Tell whether both texts deny as much, one with "only if": "no pay if late", "pay only if not late"."""
    kinds = [kinds_of(text.cues("condition")) for text in (here, there)]
    one_each = all(len(of) == 1 and of <= _CONDITIONS for of in kinds)
    return one_each and _ONLY_IF in kinds[0] ^ kinds[1] and not denied_otherwise(here, there)


def _sentence(wording: Wording, at: int) -> range:
    texts = wording.words.texts
    return range(sentence_start(texts, at), sentence_end(texts, at))


def _denials(text: AnalysedText, skipped: set[int]) -> int:
    """Count the negations that belong to no phrase, "without" included."""
    texts = text.words.texts
    return denials(text.wording, (at for at in range(len(texts)) if at not in skipped)) + texts.count(
        "without"
    )


def _have_complements(ours: Wording, theirs: Wording) -> bool:
    here, there = (kinds_of(text.cues("quantity")) for text in (ours, theirs))
    return any(
        (one in here and other in there) or (other in here and one in there) for one, other in _COMPLEMENTS
    )


def _covered(wording: Wording) -> set[int]:
    """Return the positions of phrases; beside another amount, "no" only denies: "some have no key"."""
    amounts = wording.cues("quantity")
    if not kinds_of(amounts) <= {_NONE, *chain(*_COMPLEMENTS)}:
        amounts = [cue for cue in amounts if cue.kind != _NONE]
    cues = chain(amounts, wording.cues("exclusivity"), wording.cues("certainty"))
    return {at for cue in cues for at in range(cue.first, cue.last + 1)}


def _sides(text: AnalysedText, skipped: set[int]) -> dict[str, set[int]]:
    """Return the named sides of each axis, without words that count as negations already."""
    sides: dict[str, set[int]] = {}
    for mention in text.polarity.mentions:
        if mention.at not in skipped and not denials(text.wording, (mention.at,)):
            sides.setdefault(mention.key, set()).add(mention.side)
    return sides
