"""Numbers written in words, found by text2num.

References:
    text2num: https://text2num.readthedocs.io
"""

from functools import lru_cache
from typing import NamedTuple

from text_to_num import find_numbers

from semscale.guards.lexicons import read_lexicon, word_list
from semscale.guards.words import TextWords, kind_of

_MONTHS = {
    name: number
    for number, names in enumerate(read_lexicon("wordlists")["months_in_order"], start=1)
    for name in names.split()
}
_OTHER_WORDS = {
    "both": 2.0,
    "couple": 2.0,
    "pair": 2.0,
    "twice": 2.0,
    "once": 1.0,
    "half": 0.5,
    "dozen": 12.0,
    "score": 20.0,
    "twenties": 1920.0,
    "thirties": 1930.0,
    "forties": 1940.0,
    "fifties": 1950.0,
    "sixties": 1960.0,
    "seventies": 1970.0,
    "eighties": 1980.0,
    "nineties": 1990.0,
    "none": 0.0,
}
_WEAK_UP_TO = 1.0
_ONE = ("one", "ones")
_HYPHENS = "-\u2010\u2011\u2013"
_CARDINALS = word_list("number_words")
_WEAK = {**_MONTHS, **_OTHER_WORDS}
_KNOWN = _CARDINALS | frozenset(_WEAK)


class SpeltNumber(NamedTuple):
    """A number in words.

    Attributes:
        value: its value.
        first: position of its first word.
        last: position of its last word.
        weak: whether the word may mean something else ("one", "first", "may"): it may agree with a number of
            the other text, but is never reported itself.
    """

    value: float
    first: int
    last: int
    weak: bool


class _Token(NamedTuple):
    """A word with the methods that text2num requires."""

    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


@lru_cache(maxsize=65536)
def _token(word: str) -> _Token:
    # An unpaired surrogate cannot be passed to Rust; another mark separates numbers just as well.
    return _Token(word.encode("utf-8", "replace").decode("utf-8"))


def spelt_numbers(words: TextWords) -> list[SpeltNumber]:
    """Find numbers that are written in words.

    Example:
        >>> found = spelt_numbers(TextWords("twenty-one of the first twelve"))
        >>> [(number.value, number.weak) for number in found]
        [(21.0, False), (1.0, True), (12.0, False)]
    """
    if _KNOWN.isdisjoint(words.distinct):
        return []
    texts = words.texts
    found = [SpeltNumber(float(_WEAK[text]), at, at, True) for at, text in enumerate(texts) if text in _WEAK]
    if _CARDINALS.isdisjoint(words.distinct):
        return found
    places = [at for at, text in enumerate(texts) if text not in _HYPHENS]
    for number in find_numbers([_token(texts[at]) for at in places], "en", threshold=0.0):
        first, last = places[number.start], places[number.end - 1]
        if any(kind_of(text) == "n" for text in texts[first : last + 1]):
            continue
        weak = number.is_ordinal or (first == last and number.value <= _WEAK_UP_TO and texts[first] in _ONE)
        value = float(number.value)
        if first > 1 and texts[first - 1] in ("a", "an") and texts[first - 2] == "half":
            value, first = value / 2, first - 2
        found.append(SpeltNumber(value, first, last, weak))
    return sorted(found, key=lambda number: number.first)
