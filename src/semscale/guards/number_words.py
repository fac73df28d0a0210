"""Numbers spelt out in words, found by text2num, with their places.

References:
    text2num: https://text2num.readthedocs.io
"""

from collections.abc import Sequence
from typing import NamedTuple

from text_to_num import find_numbers

from semscale.guards.lexicons import read_lexicon, word_list
from semscale.guards.words import Word

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
    "none": 0.0,
}
_WEAK_UP_TO = 1.0
_CARDINALS = word_list("number_words")
_WEAK = {**_MONTHS, **_OTHER_WORDS}
_KNOWN = _CARDINALS | frozenset(_WEAK)


class SpeltNumber(NamedTuple):
    """A number in words.

    Attributes:
        value: what it is worth.
        first: position of its first word.
        last: position of its last word.
        weak: whether the word may mean something else ("one", "first", "may"), so that it can answer a
            number on the other side but raises no alarm itself.
    """

    value: float
    first: int
    last: int
    weak: bool


class _Token(NamedTuple):
    """A word as text2num wants it."""

    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def spelt_numbers(words: Sequence[Word]) -> list[SpeltNumber]:
    """Find the numbers that are written in words.

    Example:
        >>> from semscale.guards.words import read_words
        >>> found = spelt_numbers(read_words("twenty-one of the first twelve"))
        >>> [(number.value, number.weak) for number in found]
        [(21.0, False), (1.0, True), (12.0, False)]
    """
    known = [at for at, word in enumerate(words) if word.text in _KNOWN]
    found = [
        SpeltNumber(float(_WEAK[words[at].text]), at, at, True) for at in known if words[at].text in _WEAK
    ]
    if not any(words[at].text in _CARDINALS for at in known):
        return found
    places = [at for at, word in enumerate(words) if word.text not in "-‐–"]
    tokens = [_Token(words[at].text) for at in places]
    for number in find_numbers(tokens, "en", threshold=0.0):
        first, last = places[number.start], places[number.end - 1]
        if any(words[at].kind == "n" for at in range(first, last + 1)):
            continue
        weak = number.is_ordinal or (
            first == last and number.value <= _WEAK_UP_TO and words[first].text == "one"
        )
        value = float(number.value)
        if first > 1 and words[first - 1].text in ("a", "an") and words[first - 2].text == "half":
            value, first = value / 2, first - 2
        found.append(SpeltNumber(value, first, last, weak))
    return sorted(found, key=lambda number: number.first)
