"""Which words of a text a negation reaches.

A negation reaches the next content words of its clause. "Absent" and "not found" reach back to the words
before them, and "avoid doing it again" denies what was said before.
"""

from collections.abc import Sequence
from typing import NamedTuple

from semscale.guards.roles import ABSENCE, CUE, END, PRESENCE, is_answer, rules_of_negation
from semscale.guards.words import kind_of

_REACH = 4
_NO_VERB = 3
_GERUND = "-ing"
_SHORTEST_GERUND = 5


class Reach(NamedTuple):
    """The words that negations reach.

    Attributes:
        negated: for each negated word the positions of its negations, by the word's position.
        doubtful: positions of words that may be denied or not: those of a place behind a denied noun.
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
    reached: dict[int, list[int]] = {}
    active: list[tuple[int, int]] = []
    doubtful: set[int] = set()
    taken_up = 0
    for at, role in enumerate(roles):
        if active and at in content and not role & END:
            in_force = [cue for cue, left in active if left > 0]
            if in_force:
                reached[at] = reached.get(at, []) + in_force
            if len(in_force) < len(active):
                doubtful.add(at)
        active = _still_active(texts, at, role, at in content, active)
        if active and _takes_up(texts, at):
            taken_up = at
        if role & (PRESENCE | ABSENCE):
            _negate_subject(texts, roles, at, reached)
    return Reach(reached, doubtful, taken_up)


def _still_active(
    texts: list[str], at: int, role: int, is_content: bool, active: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """List the negations in force after a word, each with the number of words that it still reaches.

    The number is negative where it is doubtful whether they are denied.
    """
    if role & END:
        return [] if active and _ends_clause(texts, at) else active
    if role & CUE and _is_cue(texts, at):
        kept = [] if texts[at] in ("nor", "neither") else active
        return [*kept, (at, 1 if texts[at] == "non" else _REACH)]
    if active and is_content:
        return [(cue, left - 1 if left > 0 else left + 1) for cue, left in active if abs(left) > 1]
    if active and _names_a_place(texts, at):
        return [(cue, -abs(left) if _denies_a_noun(texts, cue, left) else left) for cue, left in active]
    return active


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


def _negate_subject(texts: list[str], roles: Sequence[int], at: int, reached: dict[int, list[int]]) -> None:
    """Apply "is absent" and "is not present" to the words before them in the clause."""
    if texts[at] == "out":
        cues = [at] if _is_ruled(texts, at) else []
    else:
        cues = [at] * (texts[at] in rules_of_negation()["backward_absent"]) + reached.get(at, [])
    if not cues:
        return
    for before in range(_clause_start(texts, roles, at), at):
        if (
            kind_of(texts[before]) == "w"
            and not set(cues) <= set(reached.get(before, []))
            and before not in cues
        ):
            reached.setdefault(before, []).extend(cue for cue in cues if cue > before)


def _clause_start(texts: list[str], roles: Sequence[int], at: int) -> int:
    """Return where the clause of a word begins."""
    before = range(at - 1, -1, -1)
    return next((end + 1 for end in before if roles[end] & END and _ends_clause(texts, end)), 0)


def _is_ruled(texts: list[str], at: int) -> bool:
    return at > 1 and texts[at - 1] == "ruled" and texts[at - 2] in ("was", "were", "been", "be", "is")


def _is_cue(texts: list[str], at: int) -> bool:
    """Tell whether a word negates the words after it."""
    rules, text = rules_of_negation(), texts[at]
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if text in rules["forward_before"]:
        return _is_followed_as_asked(following, rules["forward_before"][text].split())
    if text not in rules["forward"] and not text.endswith("n't"):
        return False
    if following in rules["pseudo"].get(text, "").split():
        return False
    if text == "no" and (not following or not following[0].isalpha() or is_answer(texts, at)):
        return False
    return not (text == "not" and at and texts[at - 1] in rules["idle_after"])


def _is_followed_as_asked(following: str, asked: list[str]) -> bool:
    """Tell whether the next word is one of those that make a word negate; ``-ing`` stands for any gerund."""
    is_gerund = following.endswith("ing") and len(following) >= _SHORTEST_GERUND
    return following in asked or (is_gerund and _GERUND in asked)


def _ends_clause(texts: list[str], at: int) -> bool:
    text = texts[at]
    if kind_of(text) == "p":
        return text in ".;:?!()" or (text == "," and not _is_list(texts, at))
    if text == "and":
        following = texts[at + 1] if at + 1 < len(texts) else "."
        return kind_of(following) != "w" or following in rules_of_negation()["clause_starts"]
    return text in rules_of_negation()["clause_ends"]


def _is_list(texts: list[str], at: int) -> bool:
    """Tell whether a comma is part of a list that ends in "or": no fever, chills, or cough."""
    ahead, ends = texts[at + 1 : at + 9], rules_of_negation()["clause_ends"]
    stops = [place for place, text in enumerate(ahead) if text in ".;:?!" or text in ends]
    ahead = ahead[: stops[0]] if stops else ahead
    return "or" in ahead[: _NO_VERB + 1] or ("," in ahead[:_NO_VERB] and "or" in ahead)
