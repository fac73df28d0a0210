"""Short answers, and when two of them are one answer in other words."""

from functools import lru_cache

from semscale.guards.words import read_words, stem
from semscale.matching.words.stop_words import stop_words

SHORT_ANSWER = 3
"""Words that count, numbers included, that a short answer has at most."""

_NEGATIONS = frozenset({"no", "nor", "not", "never", "neither"})


def is_short_answer(text: str) -> bool:
    """Tell whether a text is an answer of a few words, such as ``Paris`` or ``It is 8 emails.``.

    Example:
        >>> is_short_answer("It is Paris."), is_short_answer("Paris has many bridges over the river.")
        (True, False)
    """
    return len(_said(text)) <= SHORT_ANSWER


def is_same_short_answer(text: str, other: str) -> bool:
    """Tell whether two short answers are equal whatever the case, marks, endings and small words.

    Example:
        >>> is_same_short_answer("Paris", "It is Paris."), is_same_short_answer("8", "8 emails")
        (True, False)
        >>> is_same_short_answer("Paris", "Not Paris")
        False
    """
    return _said(text) == _said(other)


@lru_cache(maxsize=65536)
def _said(text: str) -> tuple[str, ...]:
    """Give what an answer says: its words without small ones, or all where there are no others."""
    words = [word.text for word in read_words(text) if word.kind != "p"]
    counting = [word for word in words if _counts(word)]
    return tuple(map(stem, counting or words)) or (text.strip(),)


def _counts(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't") or word not in stop_words()
