"""Cuts a reply into tokens, each with one class: a phrase of the lexicon, a sign, or an unknown word."""

import re
import unicodedata
from dataclasses import dataclass

from semscale.judging.replies.grammar.lexicon import TOKEN, UNKNOWN, lexicon

_SIGNS = {
    ":": "colon", "=": "colon", ">": "compare", "<": "compare", "~": "compare", "≈": "compare",
    "≥": "compare", "≤": "compare", "±": "compare", ",": "comma", "、": "comma", "-": "dash", "–": "dash",
    "#": "dash", "—": "dash", "‐": "dash", ";": "stop", "!": "stop", "。": "stop", "؛": "stop", "…": "stop",
    "?": "question", "؟": "question", "(": "open", "[": "open", "{": "open", ")": "close", "]": "close",
    "}": "close", "|": "bar", "/": "slash", "%": "percent", "+": "plus", "\n": "line", "&": "and",
    "×": "slash", "^": "slash", "$": UNKNOWN, "°": UNKNOWN,
}  # fmt: skip
_ARROW = re.compile(r"(?:-+|=+|:)[>=]|→")
_DOTS = re.compile(r"(?<!\bp)(?<!\bpp)(?<!\bfig)(?<!\bvol)(?<!\beq)(?<!\bch)\.(?=[.\s\"')\]}]|\Z)")
BOUNDARIES = frozenset({"stop", "question", "line"})
"""Classes that end a sentence."""


@dataclass(frozen=True)
class Token:
    """A phrase, a number or a sign.

    Attributes:
        start: where it begins.
        end: where it ends.
        kind: its class.
    """

    start: int
    end: int
    kind: str


def tokenize(text: str) -> list[Token]:
    """Cut a text into tokens; quotation marks and pictures are left out.

    Args:
        text: as ``readable`` gives it.

    Example:
        >>> [token.kind for token in tokenize("Final score: 4.")]
        ['final', 'score_word', 'colon', 'number', 'stop']
    """
    found = list(TOKEN.finditer(text))
    words = [match[0].casefold() for match in found]
    tokens: list[Token] = []
    at = 0
    while at < len(found):
        kind, length = _kind(text, found[at], words, at)
        if kind is not None:
            tokens.append(Token(found[at].start(), found[at + length - 1].end(), kind))
        at += length
    return tokens


def _kind(text: str, found: re.Match[str], words: list[str], at: int) -> tuple[str | None, int]:
    first = found[0][0]
    if first.isalpha() or first in "'§" or words[at] == "n't":
        return _word(found[0], words, at)
    if first.isdecimal():
        return "number", 1
    arrow = _ARROW.match(text, found.start())
    if arrow:
        sign = "amend" if at and words[at - 1].isdecimal() else "colon"
        return sign, 2 if at + 1 < len(words) and len(arrow[0]) == 2 else 1  # noqa: PLR2004 - both signs
    if first == ".":
        return ("stop" if _DOTS.match(text, found.start()) else None), 1
    if first in _SIGNS:
        return _SIGNS[first], 1
    return (UNKNOWN if unicodedata.category(first)[0] in "LN" else None), 1


def _word(written: str, words: list[str], at: int) -> tuple[str | None, int]:
    month = written == "May" and at > 0 and words[at - 1] not in {".", "\n"}
    kind, length = (UNKNOWN, 1) if month else lexicon().find(words, at)
    return (None, 1) if kind == UNKNOWN and written[0] == "'" else (kind, length)
