"""Words of English texts with their positions, case folding and stems, for the guards."""

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

import snowballstemmer

_TOKEN = re.compile(r"[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*|[^\w\s]")
_ASCII_TOKEN = re.compile(_TOKEN.pattern, re.ASCII)
"""The same for ASCII texts, in which it is a third faster."""
_DIGIT = re.compile(r"\d")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[’`\"´](?=(?:[tT]|[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])\b)")
_LETTER = re.compile(r"[^\W\d_]")
_NON_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u0370-\u03ff\u1e00-\u1eff\u2070-\u218f]")
_FOREIGN_SHARE = 0.2


class _OfThread(threading.local):
    """A stemmer for each thread, as a stemmer stores the word on which it works."""

    def __init__(self) -> None:
        self.stemmer = snowballstemmer.stemmer("english")


_OF_THREAD = _OfThread()


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


class TextWords:
    """The words, numbers and marks of a text, in order.

    Most texts need no positions, so these are computed when they are first used.

    Attributes:
        text: the text.
        texts: its words, lower case, apostrophes straightened.
        distinct: the set of these words.
        has_digits: whether there is a number in digits.

    Example:
        >>> words = TextWords("Isn’t it 0.5 mg?")
        >>> words.texts, words.starts
        (["isn't", 'it', '0.5', 'mg', '?'], [0, 6, 9, 13, 15])
    """

    __slots__ = ("_starts", "distinct", "has_digits", "text", "texts")

    def __init__(self, text: str) -> None:
        self.text = text
        self.texts: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(fold(text))
        self.distinct = frozenset(self.texts)
        self.has_digits = _DIGIT.search(text) is not None
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """First character of each word."""
        if self._starts is None:
            self._starts = _starts(fold(self.text), self.texts)
        return self._starts

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Return the first character of one word and the character after the end of another."""
        return self.starts[first], self.starts[last] + len(self.texts[last])


def read_words(text: str) -> list[Word]:
    """Split a text into words, numbers and marks, in order.

    Example:
        >>> [word.text for word in read_words("Isn’t it 0.5 mg?")]
        ["isn't", 'it', '0.5', 'mg', '?']
    """
    words = TextWords(text)
    return [
        Word(word, start, start + len(word), kind_of(word))
        for word, start in zip(words.texts, words.starts, strict=True)
    ]


def kind_of(word: str) -> str:
    """Return ``w`` for a word, ``n`` for a number and ``p`` for a mark, by the first character.

    Example:
        >>> kind_of("isn't"), kind_of("0.5"), kind_of("?")
        ('w', 'n', 'p')
    """
    first = word[0]
    if first.isalpha():
        return "w"
    return "n" if first.isdecimal() else "p"


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a lower-case English word to its stem (Snowball).

    References:
        Porter, "Snowball: a language for stemming algorithms", 2001.

    Example:
        >>> stem("connected") == stem("connection")
        True
    """
    return str(_OF_THREAD.stemmer.stemWord(word.removesuffix("'s")))


def fold(text: str) -> str:
    """Convert to lower case and straighten apostrophes; all characters keep their positions.

    Example:
        >>> fold("İt ISN’T")
        "it isn't"
    """
    if not text.isascii() or "`" in text or '"' in text:
        # İ is the one letter whose lower case is longer.
        text = _BETWEEN_LETTERS.sub("'", text).replace("İ", "i")
    return text.lower()


def same_but_for_marks(one: str, other: str) -> bool:
    """Tell whether two texts differ only in case, white space and marks.

    Marks between digits count as differences, because 1.5 is not 15; so do signs and units such as % and $.

    Example:
        >>> same_but_for_marks("It’s  OPEN.", "its open"), same_but_for_marks("1.5", "15")
        (True, False)
    """
    one, other = one.casefold(), other.casefold()
    # Letters are no marks, so counting some letters tells most different pairs apart at once.
    if any(one.count(letter) != other.count(letter) for letter in _FREQUENT_LETTERS):
        return False
    return all(ours == theirs for ours, theirs in zip_longest(_pieces(one), _pieces(other)))


def is_english_script(text: str) -> bool:
    """Tell whether at least four fifths of a text's letters are Latin or Greek (common in symbols).

    Example:
        >>> is_english_script("5 µg of β-blocker"), is_english_script("не подключён"), is_english_script("12")
        (True, False, True)
    """
    return text.isascii() or len(_NON_LATIN.findall(text)) <= _FOREIGN_SHARE * len(_LETTER.findall(text))


_FREQUENT_LETTERS = "etaoins"
_APOSTROPHES = str.maketrans(dict.fromkeys("'’`´\"“”‘"))
_PIECE = re.compile(
    r"[^\W\d_]+|(?:(?<![\w])[-−])?\d+(?:[.,:/^]\d+)*|[%‰°$€£¥<>=+±⁻⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔⅛⅜⅝⅞]|(?<=\d)[-–—−](?=\d)"
)


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text that count when marks are ignored."""
    return (found.group() for found in _PIECE.finditer(text.translate(_APOSTROPHES)))


def _starts(folded: str, texts: list[str]) -> list[int]:
    """Find the positions of successive words, which only blanks and underscores separate."""
    starts, end = [], 0
    for text in texts:
        start = folded.find(text, end)
        starts.append(start)
        end = start + len(text)
    return starts
