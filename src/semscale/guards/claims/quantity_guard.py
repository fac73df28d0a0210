"""The quantity guard: reports words for how many that exclude each other, such as "most" and "few"."""

from collections.abc import Iterator
from typing import NamedTuple

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.counterparts import are_counterparts, are_turned
from semscale.guards.claims.events import denied_otherwise
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, alignment, kinds_of
from semscale.guards.lexicons import word_list
from semscale.guards.reading import AnalysedText

OTHER_QUANTITY = "other-quantity"
# Least and greatest share of the things that a word speaks of. "Some" is said where not most are meant.
_SHARES = {
    "none": (0.0, 0.0),
    "few": (0.0, 0.3),
    "minority": (0.01, 0.49),
    "some": (0.05, 0.5),
    "half": (0.45, 0.55),
    "many": (0.4, 0.95),
    "most": (0.55, 0.95),
    "nearly_all": (0.85, 0.99),
    "all": (1.0, 1.0),
    "not_all": (0.01, 0.99),
}
_BOUNDS = frozenset(("at_most", "at_least", "above", "below"))
_UPPER = frozenset(("at_most", "below"))
_TELLING_ALONE = frozenset(("half", "not_all", "minority"))
_PERSON = "person"
_PEOPLE = frozenset(("peopl", "person", "anyon", "anybodi", "man", "men", "women", "folk"))
_PERSONS = ("one", "body")
_HEAD_WITHIN, _FARTHEST_NUMBER = 5, 6
_ALIKE, _ALIKE_HEAD, _ALIKE_ALONE, _ALIKE_TURN = 0.7, 0.5, 0.85, 0.9


class _Amount(NamedTuple):
    """A word for how many, and the stem of the thing that it counts ("" if none is near)."""

    cue: Cue
    head: str


class QuantityGuard(ClaimGuard):
    """Finds words for how many that exclude each other.

    Example:
        >>> found = QuantityGuard().check("Most tests passed.", "Few of the tests passed.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-quantity', 'Most', 'Few of')
        >>> QuantityGuard().check("All tests passed.", "Every test passed.")
        []
    """

    name = "quantity"
    kinds = (OTHER_QUANTITY,)
    difference = "The texts speak of another share"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not (ours.wording.cues(self.name) or theirs.wording.cues(self.name)):
            return None
        return next(_conflicts(ours, theirs), None)


def _conflicts(ours: AnalysedText, theirs: AnalysedText) -> Iterator[tuple[Cue | None, Cue | None]]:
    here, there = _amounts(ours.wording), _amounts(theirs.wording)
    if _are_told_in_turn(here, there) and not _alike(ours, theirs, _ALIKE_TURN):
        return
    if here and there:
        yield from _between(here, there, (ours, theirs))
        return
    alone: list[tuple[Cue | None, Cue | None]] = [(one.cue, None) for one in here if _tells_alone(one)]
    alone += [(None, other.cue) for other in there if _tells_alone(other)]
    if alone and _alike(ours, theirs, _ALIKE_ALONE) and not denied_otherwise(ours.wording, theirs.wording):
        yield from alone


def _are_told_in_turn(here: list[_Amount], there: list[_Amount]) -> bool:
    """Tell whether two texts have the same words for several shares: "some are red, most are blue"."""
    kinds = sorted(one.cue.kind for one in here)
    return len(set(kinds)) > 1 and kinds == sorted(other.cue.kind for other in there)


def _tells_alone(amount: _Amount) -> bool:
    return amount.cue.kind in _TELLING_ALONE


def _alike(ours: AnalysedText, theirs: AnalysedText, least: float) -> bool:
    return alignment(ours.wording, theirs.wording, QuantityGuard.name) >= least


def _between(
    here: list[_Amount], there: list[_Amount], texts: tuple[AnalysedText, AnalysedText]
) -> Iterator[tuple[Cue, Cue]]:
    """Compare words for how many of the same things; one word in either text may count unlike things."""
    pairs = [(one, other) for one in here for other in there if one.head and one.head == other.head]
    least = _ALIKE_HEAD if pairs else _ALIKE
    if not pairs and len(here) == len(there) == 1:
        pairs = [(here[0], there[0])]
    agreeing = [pair for pair in pairs if not _exclude(pair[0].cue.kind, pair[1].cue.kind)]
    settled = {one for pair in agreeing for one in pair}
    left = [pair for pair in pairs if settled.isdisjoint(pair)]
    for one, other in left if left and _alike(*texts, least) else ():
        if not _is_made_up(one.cue.kind, other.cue.kind, *texts):
            yield one.cue, other.cue


def _exclude(one: str, other: str) -> bool:
    """Tell whether no share of things is meant by both of two classes."""
    if not _BOUNDS.isdisjoint((one, other)):
        return {one, other} <= _BOUNDS and (one in _UPPER) != (other in _UPPER)
    (low, high), (least, most) = _SHARES[one], _SHARES[other]
    return high < least or most < low


def _is_made_up(one: str, other: str, ours: AnalysedText, theirs: AnalysedText) -> bool:
    """Tell whether another negation, or an opposite, makes up for another share.

    "All agree" and "none failed to agree", "few were polite" and "most were rude".
    """
    if one in _BOUNDS:  # "none has more than one" is "each has at most one"
        here, there = (kinds_of(text.wording.cues(QuantityGuard.name)) for text in (ours, theirs))
        return "none" in here ^ there
    return are_counterparts(QuantityGuard.name, one, other) and are_turned(ours, theirs)


def _amounts(wording: Wording) -> list[_Amount]:
    """List the words for how many; a bound counts only before a number."""
    amounts = [_Amount(cue, _head(wording, cue)) for cue in wording.cues(QuantityGuard.name)]
    return [one for one in amounts if one.cue.kind not in _BOUNDS or _is_number_beside(wording, one.cue)]


def _is_number_beside(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    beside = texts[max(cue.first - _FARTHEST_NUMBER, 0) : cue.first] + texts[cue.last + 1 : cue.last + 3]
    return any(text[0].isdecimal() or text in word_list("number_words") for text in beside)


def _head(wording: Wording, cue: Cue) -> str:
    """Return the stem of what a word for how many counts."""
    texts, content = wording.words.texts, wording.content
    if texts[cue.last].endswith(_PERSONS):
        return _PERSON
    ahead = range(cue.last + 1, min(cue.last + 1 + _HEAD_WITHIN, len(texts)))
    stem = next((content[at] for at in ahead if at in content), "")
    return _PERSON if stem in _PEOPLE else stem
