"""Looks up what words do in a reply: each phrase of a lexicon belongs to one class."""

import re
from collections.abc import Mapping, Sequence
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

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Lexicon:
    """Phrases with their classes.

    Args:
        classes: phrases of each class; ``word*`` stands for every word that begins so.
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


@cache
def lexicon(name: str = "lexicon") -> Lexicon:
    """A lexicon that ships with Semscale.

    Args:
        name: ``lexicon``, words beside a number or a level name, or ``remarks``, those about a whole answer.
    """
    file = resources.files("semscale.judging.replies.grammar") / f"{name}.yaml"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Lexicon(
        {
            name: [phrase.strip() for phrase in entry["phrases"].split(",") if phrase.strip()]
            for name, entry in content.items()
        }
    )


def _is_unspaced(text: str) -> bool:
    """Whether a script is used that puts no spaces between words."""
    return _UNSPACED.search(text) is not None
