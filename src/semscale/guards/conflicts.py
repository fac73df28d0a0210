"""Contradictions between the signs of two texts, each caused by a negation or an opposite."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from semscale.guards.clauses import sentence_end
from semscale.guards.comparatives import restated
from semscale.guards.converses import same_events
from semscale.guards.opposites import bare_word, sides
from semscale.guards.polarity import Mention, Polarity
from semscale.guards.words import stem

Cause = Literal["negation", "opposite"]

_ANSWERS = sides("yes")[0].key
_ORDERS = frozenset(("before", "after", "prior"))
_BEFORE, _UNTIL = "before", frozenset(("until", "till", "wait", "waited", "waits", "waiting"))


class Conflict(NamedTuple):
    """A key that has one sign in the prediction and the other in the reference.

    Attributes:
        cause: ``negation`` if one side negates or has a negating prefix, else ``opposite``.
        prediction: the word in the prediction.
        reference: the word in the reference.
    """

    cause: Cause
    prediction: Mention
    reference: Mention


@lru_cache(maxsize=512)
def find_conflicts(prediction: Polarity, reference: Polarity) -> tuple[Conflict, ...]:
    """Find the contradictions between the signs of two texts.

    A key that has both signs in one text, such as "positive" in a text about both poles, contradicts nothing.
    An opposition and a negation cancel out, except that yes and no answer the whole question.
    A negation is no conflict if another word in its reach has the same sign in the other text: "not connected
    to the positive" agrees with "connected to the negative".
    """
    clashes = _clashes(prediction, reference)
    events = same_events(prediction.exchanges, reference.exchanges)
    if not (clashes or events):
        return ()
    settled = restated(prediction.relations, reference.relations)
    for one, other in events:
        settled |= prediction.keys_at(one.at) & reference.keys_at(other.at)
        settled |= one.source | one.goal | other.source | other.goal
    found = [
        conflict
        for key in dict.fromkeys(mention.key for mention in prediction.mentions)
        if key in clashes and key not in settled
        for conflict in _conflict(prediction, reference, key)
        if not _excused(conflict, prediction, reference)
    ]
    answers = [conflict for conflict in found if conflict.prediction.key == _ANSWERS]
    others = [conflict for conflict in found if conflict.prediction.key != _ANSWERS]
    denied = [_denied(prediction, one.at, reference, other.at) for one, other in events]
    return tuple(_nearest(answers + _uncancelled(others, prediction) + list(filter(None, denied))))


def _denied(prediction: Polarity, at: int, reference: Polarity, there: int) -> Conflict | None:
    """Return the conflict of two converse words for one event that only one of the texts denies."""
    if prediction.is_negated(at) == reference.is_negated(there):
        return None
    ours = next((one for one in prediction.mentions if one.at == at), None)
    theirs = next((one for one in reference.mentions if one.at == there), None)
    return Conflict("negation", ours, theirs) if ours and theirs else None


def _clashes(prediction: Polarity, reference: Polarity) -> set[str]:
    """Find the keys that have one sign in one text, and only the opposite sign in the other."""
    clashes = (prediction.affirmed & reference.negated) | (prediction.negated & reference.affirmed)
    if clashes:
        clashes -= prediction.affirmed & prediction.negated
        clashes -= reference.affirmed & reference.negated
    return clashes


def _conflict(prediction: Polarity, reference: Polarity, key: str) -> Iterator[Conflict]:
    """Pair the mentions of one key, at most once, and only if they are about the same thing."""
    ours = [mention for mention in prediction.mentions if mention.key == key]
    theirs = [mention for mention in reference.mentions if mention.key == key]
    pairs = (
        (one, other)
        for one in ours
        for other in theirs
        if not _differently_attached(one, other, prediction, reference)
    )
    for one, other in islice(pairs, 1):
        yield Conflict(_cause(one, other, prediction, reference), one, other)


def _cause(one: Mention, other: Mention, prediction: Polarity, reference: Polarity) -> Cause:
    if one.side == other.side:
        return "negation"
    words = prediction.words.texts[one.at], reference.words.texts[other.at]
    stems = [stem(bare_word(word) or word) for word in words]
    return "negation" if stems[0] == stems[1] else "opposite"


def _differently_attached(one: Mention, other: Mention, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether the words describe different things that are in both texts: a large dog, a small ball."""
    if one.side == other.side:
        return False
    ours, theirs = prediction.noun_after(one), reference.noun_after(other)
    if not ours or not theirs or ours == theirs:
        return False
    return reference.speaks_of(ours) and prediction.speaks_of(theirs)


def _excused(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether another word in a negation's reach has the same sign in the other text.

    Nor is there a conflict if one of the words is a condition alone: "eat", "if you do not eat". Whether a
    condition is set by "if" or by "unless" is left to the guard of conditions.
    """
    ours, theirs = (
        prediction.is_condition(conflict.prediction.at),
        reference.is_condition(conflict.reference.at),
    )
    if ours and theirs and _is_of_unless(conflict, prediction, reference):
        return True
    if conflict.cause == "negation" and (
        ours != theirs
        or _is_of_order(conflict, prediction, reference)
        or _is_until(conflict.prediction, prediction, reference)
        or _is_until(conflict.reference, reference, prediction)
    ):
        return True
    sides = (conflict.prediction, prediction, reference), (conflict.reference, reference, prediction)
    return any(_answered(*side) or _denies_something_else(*side) for side in sides)


def _is_of_unless(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether "unless" alone denies one of two words."""
    cues = [prediction.words.texts[at] for at in conflict.prediction.cues]
    cues += [reference.words.texts[at] for at in conflict.reference.cues]
    return cues == ["unless"]


def _is_of_order(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether "before" or "after" is what is denied: no word of its own, but part of what follows."""
    words = prediction.words.texts[conflict.prediction.at], reference.words.texts[conflict.reference.at]
    return not _ORDERS.isdisjoint(words)


def _is_until(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether a text denies something before a time for which the other one waits.

    "Not before noon" leaves open what happens from noon on, as "not until noon" does.
    """
    texts = here.words.texts
    return (
        bool(negated.cues)
        and _BEFORE in texts[negated.cues[0] : sentence_end(texts, negated.at)]
        and not _UNTIL.isdisjoint(there.words.distinct)
    )


def _answered(negated: Mention, here: Polarity, there: Polarity) -> bool:
    return any(
        there.has(mention.key, mention.sign)
        for mention in here.mentions
        if mention.cues and set(mention.cues) & set(negated.cues) and mention.key != negated.key
    )


def _denies_something_else(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether both texts deny something, and this one first something that the other does not speak of.

    "I have no complaint about the food", "the food gave me nothing to grumble about": the food is denied in
    neither.
    """
    if not negated.cues or negated.cues[-1] > negated.at or not there.negates:
        return False
    denied = [one for one in here.mentions if negated.cues[-1] in one.cues and one.at > negated.cues[-1]]
    return bool(denied) and not any(there.speaks_of(one.key) for one in denied if one.at == denied[0].at)


def _uncancelled(found: list[Conflict], prediction: Polarity) -> list[Conflict]:
    """Cancel a negation against an opposition: "not connected to plus" agrees with "connected to minus".

    They do not if the denied word is on the axis itself: "connected, without a gap" and "separated by a gap".
    """
    causes = sorted(_nearest(found), key=lambda conflict: conflict.cause)
    if [conflict.cause for conflict in causes] != ["negation", "opposite"]:
        return found
    negation, opposition = causes
    same_matter = opposition.prediction.key in prediction.keys_at(negation.prediction.at)
    return found if same_matter or _negates(opposition, negation) else []


def _negates(opposition: Conflict, negation: Conflict) -> bool:
    """Tell whether the opposed word is the negation itself: "stopped working" and "started working"."""
    return (
        opposition.prediction.at in negation.prediction.cues
        or opposition.reference.at in negation.reference.cues
    )


def _nearest(found: list[Conflict]) -> list[Conflict]:
    """Keep all oppositions, and for each negation only the first conflict in the prediction."""
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    kept = []
    for conflict in sorted(found, key=lambda conflict: conflict.prediction.at):
        mark = conflict.prediction.cues, conflict.reference.cues
        if conflict.cause == "opposite" or mark == ((), ()) or mark not in seen:
            kept.append(conflict)
        seen.add(mark)
    return kept
