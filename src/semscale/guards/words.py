"""The words of an English text with their places, folded and stemmed, as the guards read them."""

import re
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

_TOKEN = re.compile(r"[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*|[^\w\s]")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[’`\"´](?=(?:[tT]|[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])\b)")
_LETTER = re.compile(r"[^\W\d_]")
_NON_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u0370-\u03ff\u1e00-\u1eff\u2070-\u218f]")
_FOREIGN_SHARE = 0.2
_STEMMER = snowballstemmer.stemmer("english")


class Word(NamedTuple):
    """One word, number or mark of a text.

    Attributes:
        text: lower case, apostrophes straightened.
        start: first character in the text.
        end: the character after the last one.
        kind: ``w`` for a word, ``n`` for a number in digits, ``p`` for a mark.
    """

    text: str
    start: int
    end: int
    kind: str


def read_words(text: str) -> list[Word]:
    """Take a text apart into words, numbers and marks, in order.

    Example:
        >>> [word.text for word in read_words("Isn’t it 0.5 mg?")]
        ["isn't", 'it', '0.5', 'mg', '?']
    """
    if not text.isascii() or "`" in text or '"' in text:
        text = _straighten(text)
    folded = text.lower()
    return [
        Word(
            found.group(),
            (start := found.start()),
            found.end(),
            _KINDS.get(folded[start]) or _kind(folded[start]),
        )
        for found in _TOKEN.finditer(folded)
    ]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a lower-case English word to its stem (Snowball).

    References:
        Porter, "Snowball: a language for stemming algorithms", 2001.

    Example:
        >>> stem("connected") == stem("connection")
        True
    """
    return str(_STEMMER.stemWord(word.removesuffix("'s")))


def plain(text: str) -> str:
    """Fold case and drop white space and marks, so that texts which differ in nothing else are equal.

    Marks between digits stay, because 1.5 is not 15, and so do signs and units that are no letters.

    Example:
        >>> plain("It’s  OPEN.") == plain("its open"), plain("1.5") == plain("15")
        (True, False)
    """
    return " ".join(_PLAIN.findall(text.casefold().translate(_APOSTROPHES)))


def is_english_script(text: str) -> bool:
    """Tell whether a text's letters are Latin (Greek letters, as symbols, are let pass).

    Example:
        >>> is_english_script("5 µg of β-blocker"), is_english_script("не подключён"), is_english_script("12")
        (True, False, True)
    """
    return text.isascii() or len(_NON_LATIN.findall(text)) <= _FOREIGN_SHARE * len(_LETTER.findall(text))


_APOSTROPHES = str.maketrans(dict.fromkeys("'’`´\"“”‘"))
_PLAIN = re.compile(
    r"[^\W\d_]+|(?:(?<![\w])[-−])?\d+(?:[.,:/^]\d+)*|[%‰°$€£¥<>=+±⁻⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔⅛⅜⅝⅞]|(?<=\d)[-–—−](?=\d)"
)


def _straighten(text: str) -> str:
    """Make every mark that stands for an apostrophe one, and keep the places of all characters."""
    straight = _BETWEEN_LETTERS.sub("'", text)
    return "".join(char if len(char.lower()) == 1 else "i" for char in straight)


def _kind(first: str) -> str:
    """Tell a word, a number and a mark apart by the first character."""
    if first.isalpha():
        return "w"
    return "n" if first.isdecimal() else "p"


_KINDS = {chr(code): _kind(chr(code)) for code in range(128)}
