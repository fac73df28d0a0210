"""Which words of a text a negation reaches.

A negation reaches the next content words of its clause. "Absent", "omitted" and "not found" reach back to the
words before them, and "avoid doing it again" denies what was said before.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from semscale.guards.clauses import begins_sentence, clause_start, ends_clause
from semscale.guards.exceptions import lift_exceptions
from semscale.guards.negation_cues import denies_before, denies_next, weakens_next
from semscale.guards.roles import ABSENCE, CUE, END, PRESENCE, is_answer, rules_of_negation
from semscale.guards.words import kind_of

_REACH = 4


class Reach(NamedTuple):
    """The words that negations reach.

    Attributes:
        negated: for each negated word the positions of its negations, by the word's position.
        doubtful: positions of words that may be denied or not, such as a place behind a denied noun.
        taken_up: the position up to which a negated "do it" takes up what was said; 0 if there is none.
    """

    negated: dict[int, list[int]]
    doubtful: set[int]
    taken_up: int


def negation_reach(texts: list[str], roles: Sequence[int], content: frozenset[int]) -> Reach:
    """Find the words that the negations of a text reach.

    Args:
        texts: the words of a text.
        roles: the role of each word.
        content: positions of its content words.

    Example:
        >>> from semscale.guards.roles import role_of
        >>> texts = ["it", "is", "not", "safe"]
        >>> negation_reach(texts, [role_of(text) for text in texts], frozenset((3,))).negated
        {3: [2]}
    """
    reach = Reach({}, set(), 0)
    active: list[tuple[int, int]] = []
    taken_up = 0
    for at, role in enumerate(roles):
        if active and at in content and not role & END:
            _enter(reach, at, active)
        active = _still_active(texts, at, role, at in content, active)
        if active and _takes_up(texts, at):
            taken_up = at
        if role & (PRESENCE | ABSENCE):
            _negate_subject(texts, roles, at, reach)
    lift_exceptions(texts, roles, reach.negated, reach.doubtful)
    return reach._replace(taken_up=taken_up)


def _enter(reach: Reach, at: int, active: Iterable[tuple[int, int]]) -> None:
    """Note which of the active negations reach a word, or may reach it."""
    in_force = [cue for cue, left in active if left > 0]
    if in_force:
        reach.negated[at] = reach.negated.get(at, []) + in_force
    if any(left < 0 for _, left in active):
        reach.doubtful.add(at)


def _still_active(
    texts: list[str], at: int, role: int, is_content: bool, active: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """List the negations in force after a word, each with the number of words that it still reaches.

    The number is negative where it is doubtful whether they are denied.
    """
    if role & CUE and denies_next(texts, at):
        kept = [] if role & END or texts[at] in ("nor", "neither") else active
        return [*kept, (at, 1 if texts[at] == "non" else _REACH)]
    if role & END:
        return [] if active and ends_clause(texts, at) else active
    if role & CUE and weakens_next(texts, at):
        return [*active, (at, -_REACH)]
    if active and is_content:
        return _after_content(texts, at, active)
    return _after_small_word(texts, at, active) if active else active


def _after_small_word(texts: list[str], at: int, active: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave open what stands in a place, and end "without ..." where the main clause begins."""
    if _begins_main_clause(texts, at, active):
        return []
    if _names_a_place(texts, at):
        return [(cue, -abs(left) if _denies_a_noun(texts, cue, left) else left) for cue, left in active]
    return active


def _after_content(texts: list[str], at: int, active: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Count a content word; "not the same path" denies that it is the same, and not that there is a path."""
    going_on = [(cue, left - 1 if left > 0 else left + 1) for cue, left in active if abs(left) > 1]
    return [(cue, -abs(left)) for cue, left in going_on] if texts[at] == "same" else going_on


def _begins_main_clause(texts: list[str], at: int, active: list[tuple[int, int]]) -> bool:
    """Tell whether "without ..." at the start of a sentence ends here: without tests the code is unsafe."""
    cue, left = active[0]
    return (
        texts[cue] == "without"
        and left < _REACH
        and begins_sentence(texts, cue)
        and texts[at] in rules_of_negation()["definite"]
        and texts[at - 1] not in rules_of_negation()["stop"]
    )


def _names_a_place(texts: list[str], at: int) -> bool:
    """Tell whether a preposition begins a place that is taken as given: no gap in the circuit."""
    rules = rules_of_negation()
    if (
        texts[at] not in rules["before_places"]
        or at + 1 == len(texts)
        or texts[at + 1] not in rules["definite"]
    ):
        return False
    return texts[at - 1] not in rules["evidence"]


def _denies_a_noun(texts: list[str], cue: int, left: int) -> bool:
    """Tell whether a negation that denies only a noun has reached one."""
    return texts[cue] in ("no", "without") and left < _REACH


def _takes_up(texts: list[str], at: int) -> bool:
    """Tell whether "do it" stands for a verb that was said before."""
    rules = rules_of_negation()
    return texts[at] in rules["pro_verbs"] and texts[at + 1 : at + 2] in (["it"], ["so"], ["this"], ["that"])


def _has_more_to_say(texts: list[str], at: int) -> bool:
    """Tell whether a word's object or degree follows, so that it does not say that its subject is there."""
    return at + 1 < len(texts) and texts[at + 1] in rules_of_negation()["not_after_presence"]


def _negate_subject(texts: list[str], roles: Sequence[int], at: int, reach: Reach) -> None:
    """Apply "is absent" and "is not present" to the words before them in the clause."""
    absent = denies_before(texts, at)
    if absent is None and (not roles[at] & PRESENCE or _has_more_to_say(texts, at)):
        return
    first = at if absent is None else absent
    cues = [at] * (absent is not None) + reach.negated.get(first, [])
    before = [
        place
        for place in range(clause_start(texts, roles, at), first)
        if kind_of(texts[place]) == "w" and not is_answer(texts, place)
    ]
    if first in reach.doubtful and not cues:
        reach.doubtful.update(before)
    for place in before if cues else ():
        own = reach.negated.get(place, [])
        if not set(cues) <= set(own) and place not in cues:
            reach.negated[place] = own + [cue for cue in cues if cue > place]
