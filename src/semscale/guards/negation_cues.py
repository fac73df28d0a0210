"""Which words of a text negate, and in which direction: "lacks a label", "a label is missing"."""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from semscale.guards.roles import is_answer, rules_of_negation

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
    start = next((place + 1 for place in range(at - 1, -1, -1) if texts[place] in _SENTENCE_ENDS), 0)
    end = next((place for place in range(at, len(texts)) if texts[place] in _SENTENCE_ENDS), len(texts))
    return any(_excepts(texts, place, at) for place in range(start, end))


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
