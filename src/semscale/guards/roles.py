"""Roles of English words for negation: content, negation, end of a clause, presence or absence.

A role is a sum of flags and says what a word may do in any position; the functions on positions decide.
"""

from functools import cache, lru_cache

from semscale.guards.lexicons import read_lexicon
from semscale.guards.opposites import is_listed
from semscale.guards.words import kind_of, stem

CONTENT, CONTENT_IN_PLACE, END, PRESENCE, ABSENCE, CUE = 1, 2, 4, 8, 16, 32
NEGATING = ABSENCE
"""The least flag of a negation: a text whose roles are all below it contains none."""

_ANSWERS = frozenset(("yes", "yeah", "yep", "no", "nope"))
_SWITCHES = frozenset(("on", "off", "up", "down", "out"))
_BOUNDS = {"at": ("least", "most"), "or": ("more", "less", "fewer")}
_BOUND_WORDS = frozenset(word for words in _BOUNDS.values() for word in words)
_IN_PLACE = _ANSWERS | _SWITCHES | _BOUND_WORDS | {"too", "left", "even"}
_BEFORE_ANSWERS = "?:"
_COUNTED = ("number", "integer", "page", "digit", "row", "day")
_CUES = "forward", "forward_before", "weakening", "either_way", "after_hindering"
_ABSENCES = "backward_absent", "either_way", "participles"


@lru_cache(maxsize=65536)
def role_of(text: str) -> int:
    """Return the possible roles of a word in any position, as a sum of flags.

    Args:
        text: a word, number or mark in lower case.

    Example:
        >>> role_of("lamp") == CONTENT, role_of(";") == END, bool(role_of("isn't") & CUE)
        (True, True, True)
    """
    rules = rules_of_negation()
    is_word = text[0].isalpha()
    role = 0
    if text in _IN_PLACE:
        role |= CONTENT_IN_PLACE
    elif is_word and ((len(text) > 1 and text not in rules["stop"] and "'" not in text) or is_listed(text)):
        role |= CONTENT
    if any(text in rules[name] for name in _CUES) or text.endswith("n't"):
        role |= CUE
    if text in rules["clause_ends"] or text == "and" or not is_word:
        role |= END
    if any(text in rules[name] for name in _ABSENCES) or text == "out":
        role |= ABSENCE
    elif text in rules["backward_present"]:
        role |= PRESENCE
    return role


def is_content(texts: list[str], at: int) -> bool:
    """Tell whether a word that may be content or a small word is content in its place."""
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if texts[at] in _BOUND_WORDS:
        return not (_is_bound(texts, at) or texts[at : at + 2] == ["most", "of"])
    if texts[at] == "too":
        return following in rules_of_negation()["too_little"]
    if texts[at] == "even":
        return following.startswith(_COUNTED)
    if texts[at] == "left":
        return following != "out"
    return is_answer(texts, at) if texts[at] in _ANSWERS else _is_switch(texts, at)


def is_answer(texts: list[str], at: int) -> bool:
    """Tell whether a yes or no answers a question: "No, it is", "No it is", but not "No drug is safe".

    Example:
        >>> is_answer(["no", "it", "is"], 0), is_answer(["no", "drug", "is"], 0)
        (True, False)
    """
    if texts[at] not in _ANSWERS or (at and texts[at - 1] not in _BEFORE_ANSWERS):
        return False
    following = texts[at + 1] if at + 1 < len(texts) else "."
    return texts[at] != "no" or kind_of(following) == "p" or following in rules_of_negation()["subjects"]


@cache
def rules_of_negation() -> dict[str, dict[str, str]]:
    """Read the rules of negation; lists of words become dictionaries for fast look-up."""
    return {
        name: entry if isinstance(entry, dict) else dict.fromkeys(entry.split(), "")
        for name, entry in read_lexicon("negation").items()
    }


def _is_bound(texts: list[str], at: int) -> bool:
    """Tell whether a word belongs to a numeric bound: at least 5, 5 or more."""
    before = texts[at - 1] if at else ""
    return texts[at] in _BOUNDS.get(before, ())


def _is_switch(texts: list[str], at: int) -> bool:
    """Tell whether on, off, up or down describes a state and is no preposition."""
    ends = at + 1 == len(texts) or kind_of(texts[at + 1]) == "p" or texts[at + 1] in ("and", "or", "because")
    before = stem(texts[at - 1]) if at and kind_of(texts[at - 1]) == "w" else ""
    return ends or before in ("turn", "switch", "go", "goe", "went", "gone", "move")
