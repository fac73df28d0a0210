"""Negations that an exception lifts: "not valid unless x is positive" is "valid only if x is positive"."""

from collections.abc import Sequence
from itertools import chain

from semscale.guards.clauses import begins_sentence, clause_start, sentence_end
from semscale.guards.negation_cues import denies_next
from semscale.guards.roles import CUE

_EXCEPTIONS = ("unless", "without", "until")


def lift_exceptions(
    texts: list[str], roles: Sequence[int], negated: dict[int, list[int]], doubtful: set[int]
) -> None:
    """Lift the negation of a clause with an exception, and that of the exception itself.

    After "not ... until" it is left open whether the clause is denied.

    Args:
        texts: the words of a text.
        roles: the role of each word.
        negated: for each negated word the positions of its negations; changed in place.
        doubtful: positions of words that may be denied or not; changed in place.

    Example:
        >>> from semscale.guards.roles import role_of
        >>> negated, texts = {3: [2], 7: [4]}, "it is not valid unless it is positive".split()
        >>> lift_exceptions(texts, [role_of(text) for text in texts], negated, set())
        >>> negated
        {}
    """
    for at in (at for at, text in enumerate(texts) if text in _EXCEPTIONS):
        main = _main_clause(texts, roles, at, negated)
        denying = {place for place in main if roles[place] & CUE and denies_next(texts, place)}
        if not denying:
            continue
        for place in [place for place, cues in negated.items() if not denying.isdisjoint(cues) or at in cues]:
            kept = [cue for cue in negated.pop(place) if cue not in denying and cue != at]
            if kept:
                negated[place] = kept
            if texts[at] == "until" or (texts[at] == "without" and main.start > at):
                doubtful.add(place)


def _main_clause(texts: list[str], roles: Sequence[int], at: int, negated: dict[int, list[int]]) -> range:
    """Return the clause with an exception: the one before it, or the next if it begins the sentence."""
    if not begins_sentence(texts, at):
        return range(clause_start(texts, roles, at), at)
    own = [place for place, cues in negated.items() if at in cues]
    end = sentence_end(texts, at)
    first = max(chain(own, [texts.index(",", at, end)] if "," in texts[at:end] else []), default=at)
    return range(first + 1, end)
