"""Stop words, and their removal from texts."""

import re
import string
from functools import cache
from importlib import resources

_WORDS_AND_MARKS = re.compile(r"\w+(?:[.'-]\w+)*|[^\w\s]")
_PUNCTUATION = frozenset(string.punctuation)


@cache
def stop_words() -> frozenset[str]:
    """Give the English stop words of NLTK's corpus, which the layered match was defined with."""
    listed = resources.files("semscale.matching.words").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(listed.split())


def content_only(text: str, *, marks_apart: bool = False) -> str:
    """Drop the tokens that are wholly a stop word or wholly punctuation.

    Args:
        text: to be cleaned.
        marks_apart: punctuation is a token of its own; otherwise only white space separates tokens, so that a
            stop word with a mark at its end, such as "the,", stays.

    Example:
        >>> content_only("Surgery is not indicated - the, end")
        'Surgery indicated the, end'
        >>> content_only("Surgery isn't indicated - the, end", marks_apart=True)
        'Surgery indicated end'
    """
    found = _WORDS_AND_MARKS.findall(text) if marks_apart else text.split()
    tokens = (token for token in found if token.lower() not in stop_words())
    return " ".join(token for token in tokens if not _PUNCTUATION.issuperset(token))
