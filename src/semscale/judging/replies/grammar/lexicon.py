"""Looks up what words do in a reply: each phrase of a group of words belongs to one class."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import yaml

UNKNOWN = "word"
"""The class of a word that the lexicon does not have."""

_LETTERS = r"[^\W\d_]"
TOKEN = re.compile(
    rf"{_LETTERS}+?(?=n't\b)|n't\b|'(?:s|d|ll|m|re|ve)\b|{_LETTERS}+(?:-{_LETTERS}+)*|\d+(?:[.,]\d+)*|-{{2,}}|\n|[^\s_]",
    re.IGNORECASE,
)
"""A word, a part of a contraction, a number, the end of a line, or a single mark."""

_SIGNS = {
    ",": "comma", ";": "comma", ":": "colon", "(": "open", "[": "open", ")": "close", "]": "close",
    "-": "dash", "–": "dash", "—": "dash",
}  # fmt: skip
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Lexicon:
    """Phrases with their classes.

    Args:
        classes: phrases of each class.
    """

    def __init__(self, classes: Mapping[str, Sequence[str]]) -> None:
        self._phrases: dict[tuple[str, ...], str] = {}
        self._longest: dict[str, int] = {}
        self._unspaced: list[tuple[str, str]] = []
        for name, phrases in classes.items():
            for phrase in phrases:
                words = tuple(split_words(phrase))
                self._phrases.setdefault(words, name)
                self._longest[words[0]] = max(self._longest.get(words[0], 0), len(words))
                if _is_unspaced(phrase):
                    self._unspaced.append((phrase, name))

    def find(self, words: Sequence[str], at: int) -> tuple[str, int]:
        """Find the longest phrase that begins at a word.

        Returns:
            Its class and how many words it has; ``UNKNOWN`` and 1 where no phrase begins.
        """
        first = words[at]
        for length in range(min(self._longest.get(first, 0), len(words) - at), 0, -1):
            found = self._phrases.get(tuple(words[at : at + length]))
            if found is not None:
                return found, length
        if _is_unspaced(first):
            return next((name for phrase, name in self._unspaced if phrase in first), UNKNOWN), 1
        return UNKNOWN, 1


def split_words(text: str) -> list[str]:
    """Split a text as replies are split: words, parts of contractions, numbers, single marks.

    Example:
        >>> split_words("It isn't a well-earned 4.")
        ['it', 'is', "n't", 'a', 'well-earned', '4', '.']
    """
    return [found[0].casefold() for found in TOKEN.finditer(text)]


def classes_of(text: str, group: str) -> Iterator[str]:
    """Classes of the words, numbers and signs of a text.

    Args:
        text: as ``readable`` gives it.
        group: of words.

    Example:
        >>> list(classes_of("Score: 4.", "scores"))
        ['score_word', 'colon', 'number', 'word']
    """
    words = split_words(text)
    at = 0
    while at < len(words):
        kind, length = lexicon(group).find(words, at)
        if kind == UNKNOWN:
            is_number = words[at][0].isdecimal() or words[at] in numerals()
            kind = _SIGNS.get(words[at]) or ("number" if is_number else kind)
        yield kind
        at += length


@cache
def word_groups() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The phrases of each class of each group of words that ships with Semscale."""
    file = resources.files("semscale.judging.replies.grammar") / "words.yaml"
    groups = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {
        group: {
            name: [phrase.strip() for phrase in entry["phrases"].split(",")]
            for name, entry in classes.items()
        }
        for group, classes in groups.items()
    }


@cache
def lexicon(group: str = "scores") -> Lexicon:
    """The lexicon of a group of words: ``scores``, ``afterwords`` or ``remarks``."""
    return Lexicon(word_groups()[group])


def translated(names: Mapping[str, float]) -> dict[str, float]:
    """Scores of the words by which other languages call some levels.

    Args:
        names: scores of the levels by their English names in small letters.

    Example:
        >>> translated({"correct": 1.0})["richtig"]
        1.0
    """
    levels = word_groups()["levels"]
    return {word: names[name] for name in levels if name in names for word in levels[name]}


@cache
def numerals() -> Mapping[str, int]:
    """Numbers by their words in small letters, with blanks for hyphens: to 100 in English, to 5 in others.

    Example:
        >>> numerals()["eighty five"], numerals()["drei"]
        (85, 3)
    """
    groups = word_groups()["numerals"]
    words = {word: int(number) for number, others in groups.items() for word in others}
    return words | {
        f"{ten} {one}": words[ten] + words[one]
        for ten in (groups[str(number)][0] for number in range(20, 100, 10))
        for one in (groups[str(number)][0] for number in range(1, 10))
    }


def _is_unspaced(text: str) -> bool:
    """Whether a script is used that puts no spaces between words."""
    return _UNSPACED.search(text) is not None
