"""Where clauses and sentences of a text begin and end, as far as negations need it."""

from collections.abc import Sequence

from semscale.guards.roles import END, rules_of_negation
from semscale.guards.words import kind_of

_NO_VERB = 3
_SENTENCE_ENDS = ".;:?!"


def clause_start(texts: list[str], roles: Sequence[int], at: int) -> int:
    """Return where the clause of a word begins."""
    before = range(at - 1, -1, -1)
    return next((end + 1 for end in before if roles[end] & END and ends_clause(texts, end)), 0)


def sentence_end(texts: list[str], at: int) -> int:
    """Return the position of the mark that ends the sentence of a word, or the number of words."""
    return next((end for end in range(at, len(texts)) if texts[end] in _SENTENCE_ENDS), len(texts))


def sentence_start(texts: list[str], at: int) -> int:
    """Return the position of the first word of a word's sentence."""
    return next((end + 1 for end in range(at - 1, -1, -1) if texts[end] in _SENTENCE_ENDS), 0)


def begins_sentence(texts: list[str], at: int) -> bool:
    """Tell whether a word is the first of its sentence."""
    return at == 0 or texts[at - 1] in _SENTENCE_ENDS


def ends_clause(texts: list[str], at: int) -> bool:
    """Tell whether a word or mark ends a clause.

    Example:
        >>> ends_clause(["no", "fever", ",", "so", "rest"], 2)
        True
        >>> ends_clause(["no", "fever", ",", "chills", "or", "cough"], 2)
        False
    """
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
