"""Knows the words of numbers: English ones to 100, and one to five in some other languages."""

from functools import cache

_ONES = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_OTHER_ONES = (
    "ein zwei drei vier fünf", "un deux trois quatre cinq", "uno dos tres cuatro cinco",
    "uno due tre quattro cinque", "um dois três quatro cinco", "een twee drie vier vijf", "一 二 三 四 五",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@cache
def numerals() -> dict[str, int]:
    """Numbers by their words in small letters, with blanks for hyphens.

    Example:
        >>> numerals()["eighty five"], numerals()["drei"]
        (85, 3)
    """
    words = {"zero": 0, "one hundred": 100, "hundred": 100} | {
        word: place for place, word in enumerate(_ONES, 1)
    }
    for language in _OTHER_ONES:
        words |= {word: place for place, word in enumerate(language.split(), 1) if word not in words}
    for place, ten in enumerate(_TENS, 2):
        words[ten] = 10 * place
        words |= {f"{ten} {one}": 10 * place + unit for unit, one in enumerate(_ONES[:9], 1)}
    return words
