"""Words that carry grammar and little else, and texts without them."""

import string
from functools import cache
from importlib import resources

_PUNCTUATION = frozenset(string.punctuation)


@cache
def stop_words() -> frozenset[str]:
    """Give the English stop words of NLTK's corpus, which the layered match was defined with."""
    listed = resources.files("semscale.matching").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(listed.split())


def content_only(text: str) -> str:
    """Drop the tokens between white space that are wholly a stop word or wholly punctuation.

    A stop word with punctuation at its end, such as "the,", stays: the published evaluator has it so.

    Example:
        >>> content_only("Surgery is not indicated - the, end")
        'Surgery indicated the, end'
    """
    tokens = (token for token in text.split() if token.lower() not in stop_words())
    return " ".join(token for token in tokens if not _PUNCTUATION.issuperset(token))
