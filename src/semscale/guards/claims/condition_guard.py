"""The condition guard: reports conditions that differ, such as "if" and "unless", or that one text lacks."""

from typing import NamedTuple

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.events import ClauseParts, crossing, denied_otherwise, is_denied, parts_at
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, alignment, coverage, similarity
from semscale.guards.clauses import begins_sentence
from semscale.guards.reading import AnalysedText

OTHER_CONDITION = "other-condition"
_IF = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_TELLING_ALONE = frozenset(("if", "provided", "unless", "only_if"))
_NEEDS = frozenset(("must", "need", "needs", "needed", "require", "requires", "required", "necessary"))
_DENYING = frozenset(("unless", "without"))
_ALIKE, _ALIKE_ALONE, _COVERED, _FEWEST = 0.7, 0.75, 0.9, 4


class _Condition(NamedTuple):
    """A condition: whether it is denied, whether what depends on it is, and the stems of both."""

    cue: Cue
    denied: bool
    outcome_denied: bool
    stems: tuple[set[str], set[str]]


class ConditionGuard(ClaimGuard):
    """Finds conditions that exclude each other, are turned round, or stand in only one of the texts.

    Example:
        >>> found = ConditionGuard().check("Run it if the cache is cold.", "Run it unless the cache is cold.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-condition', 'if', 'unless')
        >>> ConditionGuard().check("Do not run it unless asked to.", "Run it only if asked to.")
        []
    """

    name = "condition"
    kinds = (OTHER_CONDITION,)
    difference = "The texts set another condition"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        here, there = ours.wording.cues(self.name), theirs.wording.cues(self.name)
        if not (here or there):
            return None
        if not (here and there):
            return self._alone(ours.wording, theirs.wording)
        if similarity(ours.wording, theirs.wording, self.name) < _ALIKE:
            return None
        one, other = _condition(ours.wording, here[0]), _condition(theirs.wording, there[0])
        return (one.cue, other.cue) if _exclude(one, other) else None

    def _alone(self, ours: Wording, theirs: Wording) -> tuple[Cue | None, Cue | None] | None:
        """Return a condition that only one of two texts has, if they say the same otherwise."""
        one, other = _telling_cue(ours), _telling_cue(theirs)
        having, lacking, cue = (ours, theirs, one) if one else (theirs, ours, other)
        if cue is None or _is_said(having, lacking, cue):
            return None
        if _is_rest(having, lacking, cue):
            return one, other
        if denied_otherwise(ours, theirs) or _is_needed(ours) != _is_needed(theirs):
            return None
        return (one, other) if self._are_alike(ours, theirs) else None

    def _are_alike(self, ours: Wording, theirs: Wording) -> bool:
        fewest = min(len(ours.content), len(theirs.content))
        if fewest < _FEWEST or alignment(ours, theirs, self.name) < _ALIKE_ALONE:
            return False
        return coverage(ours, theirs, self.name) >= _COVERED


def _is_rest(having: Wording, lacking: Wording, cue: Cue) -> bool:
    """Tell whether a text without its condition is the other text, word by word."""
    main = [having.words.texts[at] for at in parts_at(having, cue).main]
    return [one for one in main if one[0].isalnum()] == [
        one for one in lacking.words.texts if one[0].isalnum()
    ]


def _is_said(having: Wording, lacking: Wording, cue: Cue) -> bool:
    """Tell whether the other text speaks of the condition in other words: "with a ticket"."""
    sub = parts_at(having, cue).sub
    return having.stems(sub.start, sub.stop) <= lacking.counts.keys()


def _is_needed(wording: Wording) -> bool:
    """Tell whether a text says that something must be, which another text may say by a condition."""
    return not _NEEDS.isdisjoint(wording.words.distinct)


def _telling_cue(wording: Wording) -> Cue | None:
    """Return the first condition that tells something in one text alone.

    It stands behind what depends on it: at the start of a sentence it often only repeats what is spoken of.
    """
    cues = (cue for cue in wording.cues(ConditionGuard.name) if cue.kind in _TELLING_ALONE)
    return next((cue for cue in cues if not begins_sentence(wording.words.texts, cue.first)), None)


def _condition(wording: Wording, cue: Cue) -> _Condition:
    parts: ClauseParts = parts_at(wording, cue)
    denied, outcome_denied = is_denied(wording, parts.sub), is_denied(wording, parts.main)
    if cue.kind in _DENYING:
        denied = not denied
    if cue.kind == "only_if":  # "only if it rains" is "not if it does not rain"
        denied, outcome_denied = not denied, not outcome_denied
    stems = (
        wording.stems(parts.main.start, parts.main.stop),
        wording.stems(parts.sub.start, parts.sub.stop),
    )
    return _Condition(cue, denied, outcome_denied, stems)


def _exclude(one: _Condition, other: _Condition) -> bool:
    kinds = {one.cue.kind, other.cue.kind}
    if len(kinds) == 1:
        return kinds <= _IF and crossing(one.stems, other.stems)
    if not kinds <= _IF:
        return bool(one.stems[0] and other.stems[0]) and not _IF.isdisjoint(kinds) and "without" not in kinds
    if (one.denied != other.denied) != (one.outcome_denied != other.outcome_denied):
        return True
    return kinds == {"if", "only_if"} and one.denied != other.denied
