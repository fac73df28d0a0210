"""Cues of negation, and the words that they reach."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from semscale.guards.words import (
    ABSENCE,
    CUE,
    END,
    PRESENCE,
    begins_sentence,
    clause_start,
    ends_clause,
    is_answer,
    kind_of,
    rules_of_negation,
    sentence_end,
)

_GERUND = "-ing"
_SHORTEST_GERUND = 5
_BETWEEN_PASSIVE = 3
_LONGEST_HINDERED = 5
_FARTHEST_BUT = 3
_FARTHEST_BOUND = 4
_SENTENCE_ENDS = ".;:?!"


def denies_next(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word negates the words after it.

    Example:
        >>> denies_next("you omitted the label".split(), 1), denies_next("it was omitted here".split(), 2)
        (True, False)
    """
    rules, text = rules_of_negation(), texts[at]
    if text in rules["either_way"]:
        return _has_object(texts, at)
    if text in rules["after_hindering"]:
        return any(
            _hinders(texts, before, at) for before in range(max(at - _LONGEST_HINDERED - 1, 0), at - 1)
        )
    if (text in rules["participles"] and _is_passive(texts, at)) or _is_completed(texts, at):
        return False
    if text in rules["forward_before"]:
        return _is_followed_as_asked(_following(texts, at), rules["forward_before"][text].split())
    return (text in rules["forward"] or text.endswith("n't")) and not _is_idle(texts, at)


def denies_before(texts: Sequence[str], at: int) -> int | None:
    """Find the first word of a phrase that ends here and negates what comes before it in the clause.

    Returns:
        The position of that word; ``None`` if there is no such phrase.

    Example:
        >>> denies_before("fever is absent".split(), 2), denies_before("fever was not ruled out".split(), 4)
        (2, 3)
    """
    rules, text = rules_of_negation(), texts[at]
    if text == "out":
        is_phrase = at and texts[at - 1] in rules["out_after"] and _is_passive(texts, at - 1)
        return at - 1 if is_phrase else None
    if text in rules["either_way"]:
        return None if _has_object(texts, at) else at
    if text in rules["unnoticed"] and _following(texts, at) == "by":
        return None
    if text in rules["participles"]:
        return at if text not in rules["out_after"] and _is_passive(texts, at) else None
    return at if text in rules["backward_absent"] else None


def weakens_next(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word leaves open whether there is any of what follows: few tests, but not a few tests.

    Example:
        >>> weakens_next(["few", "tests"], 0), weakens_next(["a", "few", "tests"], 1)
        (True, False)
    """
    rules, text = rules_of_negation(), texts[at]
    before, following = texts[at - 1] if at else "", _following(texts, at)
    if text not in rules["weakening"]:
        return False
    if text in ("hard", "difficult"):
        return following == "to"
    if text == "more":
        return before in rules["wishing"] or (
            before == "be" and at > 1 and texts[at - 2] in rules["advising"]
        )
    if before == "a":
        return at > 1 and texts[at - 2] == "only"
    return before != "not" and before not in rules["definite"]


def _following(texts: Sequence[str], at: int) -> str:
    return texts[at + 1] if at + 1 < len(texts) else ""


def _is_completed(texts: Sequence[str], at: int) -> bool:
    """Tell whether a verb has its "from" behind an object, and so leaves that object alone."""
    if texts[at] not in rules_of_negation()["hindering"]:
        return False
    last = min(at + _LONGEST_HINDERED + 1, len(texts) - 1)
    return any(texts[end] == "from" and _hinders(texts, at, end) for end in range(at + 2, last + 1))


def _hinders(texts: Sequence[str], at: int, end: int) -> bool:
    """Tell whether a verb and "from" embrace an object, and a gerund follows: keep the loop from running."""
    between, following = texts[at + 1 : end], _following(texts, end)
    return (
        texts[at] in rules_of_negation()["hindering"]
        and _is_gerund(following)
        and all(text[0].isalpha() and text not in rules_of_negation()["hindering"] for text in between)
    )


def _is_idle(texts: Sequence[str], at: int) -> bool:
    """Tell whether the words beside a negation keep it from negating: not only, no. 5, whether or not."""
    rules, text, following = rules_of_negation(), texts[at], _following(texts, at)
    if following in rules["pseudo"].get(text, "").split():
        return True
    idle_no = text == "no" and _is_idle_no(texts, at)
    idle_not = text == "not" and at > 0 and _is_idle_not(texts, at)
    return idle_no or idle_not or _sets_bound(texts, at) or _leaves_exception(texts, at)


def _is_idle_no(texts: Sequence[str], at: int) -> bool:
    """Tell whether "no" stands before no word, answers, or begins "no other is as good"."""
    following = _following(texts, at)
    begins = at == 0 or texts[at - 1] in _SENTENCE_ENDS
    return not following[:1].isalpha() or is_answer(list(texts), at) or (following == "other" and begins)


def _is_idle_not(texts: Sequence[str], at: int) -> bool:
    """Tell whether "not" leaves a question open ("whether or not") or repeats a denial (", not even you")."""
    repeats = _following(texts, at) == "even" and texts[at - 1] == ","
    return repeats or texts[at - 1] in rules_of_negation()["idle_after"]


def _sets_bound(texts: Sequence[str], at: int) -> bool:
    """Tell whether a negation with "more than" close behind sets a bound: do not take more than one."""
    text, bounded = texts[at], rules_of_negation()["bounded"]
    farthest = 1 if text == "no" else _FARTHEST_BOUND
    if text not in ("no", "not") and not text.endswith("n't"):
        return False
    ahead = list(takewhile(lambda word: word[0].isalpha(), texts[at + 1 : at + 2 + farthest]))
    return any(word in bounded and following == "than" for word, following in pairwise(ahead))


def _leaves_exception(texts: Sequence[str], at: int) -> bool:
    """Tell whether all but an exception is denied, and the exception affirmed: nothing except the logo."""
    rules = rules_of_negation()
    if texts[at] not in rules["no_others"] and texts[at : at + 2] != ["no", "one"]:
        return False
    start = next((position + 1 for position in range(at - 1, -1, -1) if texts[position] in _SENTENCE_ENDS), 0)
    end = next(
        (position for position in range(at, len(texts)) if texts[position] in _SENTENCE_ENDS), len(texts)
    )
    return any(_excepts(texts, position, at) for position in range(start, end))


def _excepts(texts: Sequence[str], at: int, denial: int) -> bool:
    """Tell whether a word sets an exception to a denial; "but" does so close behind it alone."""
    rules, text = rules_of_negation(), texts[at]
    if text == "but":
        return denial < at <= denial + _FARTHEST_BUT and texts[at - 1] != ","
    return (
        text in rules["exceptive"] or _following(texts, at) in rules["exceptive_pairs"].get(text, "").split()
    )


def _has_object(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word is followed by what is missing: "is missing a label", but not "is missing here"."""
    rules, following = rules_of_negation(), _following(texts, at)
    return following in rules["before_objects"] or (
        following[:1].isalpha() and following not in rules["stop"]
    )


def _is_passive(texts: Sequence[str], at: int) -> bool:
    """Tell whether a participle has a form of "to be" before it: was omitted, was not even mentioned."""
    rules = rules_of_negation()
    for before in range(at - 1, max(at - 1 - _BETWEEN_PASSIVE, -1), -1):
        if texts[before].removesuffix("n't") in rules["be"]:
            return True
        if not (texts[before].endswith("ly") or texts[before] in rules["inside_passives"]):
            return False
    return False


def _is_followed_as_asked(following: str, asked: list[str]) -> bool:
    """Tell whether the next word is one of those that make a word negate; ``-ing`` stands for any gerund."""
    return following in asked or (_GERUND in asked and _is_gerund(following))


def _is_gerund(text: str) -> bool:
    return text.endswith("ing") and len(text) >= _SHORTEST_GERUND


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
        >>> from semscale.guards.words import role_of
        >>> negated, texts = {3: [2], 7: [4]}, "it is not valid unless it is positive".split()
        >>> lift_exceptions(texts, [role_of(text) for text in texts], negated, set())
        >>> negated
        {}
    """
    for at in (at for at, text in enumerate(texts) if text in _EXCEPTIONS):
        main = _main_clause(texts, roles, at, negated)
        denying = {position for position in main if roles[position] & CUE and denies_next(texts, position)}
        if not denying:
            continue
        for position in [
            position for position, cues in negated.items() if not denying.isdisjoint(cues) or at in cues
        ]:
            kept = [cue for cue in negated.pop(position) if cue not in denying and cue != at]
            if kept:
                negated[position] = kept
            if texts[at] == "until" or (texts[at] == "without" and main.start > at):
                doubtful.add(position)


def _main_clause(texts: list[str], roles: Sequence[int], at: int, negated: dict[int, list[int]]) -> range:
    """Return the clause with an exception: the one before it, or the next if it begins the sentence."""
    if not begins_sentence(texts, at):
        return range(clause_start(texts, roles, at), at)
    own = [position for position, cues in negated.items() if at in cues]
    end = sentence_end(texts, at)
    first = max(chain(own, [texts.index(",", at, end)] if "," in texts[at:end] else []), default=at)
    return range(first + 1, end)


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
        >>> from semscale.guards.words import role_of
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
        position
        for position in range(clause_start(texts, roles, at), first)
        if kind_of(texts[position]) == "w" and not is_answer(texts, position)
    ]
    if first in reach.doubtful and not cues:
        reach.doubtful.update(before)
    for position in before if cues else ():
        own = reach.negated.get(position, [])
        if not set(cues) <= set(own) and position not in cues:
            reach.negated[position] = own + [cue for cue in cues if cue > position]
