"""Where the signs of two texts contradict each other, and whether a negation or an opposite is to blame."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from semscale.guards.comparatives import restated
from semscale.guards.opposites import bare_word
from semscale.guards.polarity import Mention, Polarity
from semscale.guards.words import stem

Cause = Literal["negation", "opposite"]


class Conflict(NamedTuple):
    """One key with one sign in the prediction and with the other in the reference.

    Attributes:
        cause: ``negation`` where one side negates, or has a negating prefix; ``opposite`` otherwise.
        prediction: the word in the prediction.
        reference: the word in the reference.
    """

    cause: Cause
    prediction: Mention
    reference: Mention


@lru_cache(maxsize=512)
def find_conflicts(prediction: Polarity, reference: Polarity) -> tuple[Conflict, ...]:
    """Compare the signs of two texts.

    A key that occurs with both signs on one side, such as "positive" where both poles are spoken of,
    contradicts nothing. A negation is no conflict if something else in its reach has the same sign on the
    other side: "not connected to the positive" agrees with "connected to the negative".
    """
    clashes = _clashes(prediction, reference)
    if not clashes:
        return ()
    settled = restated(prediction.relations, reference.relations)
    found = [
        conflict
        for key in dict.fromkeys(mention.key for mention in prediction.mentions)
        if key in clashes and key not in settled
        for conflict in _conflict(prediction, reference, key)
        if not _excused(conflict, prediction, reference)
    ]
    return tuple(_nearest(_uncancelled(found)))


def _clashes(prediction: Polarity, reference: Polarity) -> set[str]:
    """Find the keys that have one sign in one text, and only the other sign in the other."""
    clashes = (prediction.affirmed & reference.negated) | (prediction.negated & reference.affirmed)
    if clashes:
        clashes -= prediction.affirmed & prediction.negated
        clashes -= reference.affirmed & reference.negated
    return clashes


def _conflict(prediction: Polarity, reference: Polarity, key: str) -> Iterator[Conflict]:
    """Pair the mentions of one key, at most once, and not if they are said of different things."""
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
    """Tell whether the words belong to different things, both in both texts: a large dog, a small ball."""
    if one.side == other.side:
        return False
    ours, theirs = prediction.noun_after(one), reference.noun_after(other)
    if not ours or not theirs or ours == theirs:
        return False
    return reference.speaks_of(ours) and prediction.speaks_of(theirs)


def _excused(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether a negation on either side is answered by something else in its reach."""
    return _answered(conflict.prediction, prediction, reference) or _answered(
        conflict.reference, reference, prediction
    )


def _answered(negated: Mention, here: Polarity, there: Polarity) -> bool:
    return any(
        there.has(mention.key, mention.sign)
        for mention in here.mentions
        if mention.cues and set(mention.cues) & set(negated.cues) and mention.key != negated.key
    )


def _uncancelled(found: list[Conflict]) -> list[Conflict]:
    """Let one negation and one opposition cancel out: "not connected to plus" and "connected to minus"."""
    causes = sorted(conflict.cause for conflict in _nearest(found))
    return [] if causes == ["negation", "opposite"] else found


def _nearest(found: list[Conflict]) -> list[Conflict]:
    """Keep one conflict for each negation, the first in the prediction, and every opposition."""
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    kept = []
    for conflict in sorted(found, key=lambda conflict: conflict.prediction.at):
        mark = conflict.prediction.cues, conflict.reference.cues
        if conflict.cause == "opposite" or mark == ((), ()) or mark not in seen:
            kept.append(conflict)
        seen.add(mark)
    return kept
