"""Short answers, and when two of them are one answer in other words."""

import re
from functools import lru_cache
from typing import NamedTuple

from semscale.guards.words import stem
from semscale.matching.words.stop_words import stop_words

SHORT_ANSWER = 3
"""Words that count, numbers included, that a short answer has at most."""

_NEGATIONS = frozenset({"no", "nor", "not", "never", "neither"})
_ARTICLES = frozenset({"a", "an", "the"})
_COPULAS = frozenset({"is", "are", "was", "were"})
_SUBJECTS = frozenset({"it's", "that's"})
_SUBJECTS_OF_COPULAS = frozenset({"it", "that", "there", "these", "they", "this", "those"})
_AMOUNTS = frozenset({"few", "little"})  # "a few" is not "few"

_APOSTROPHE = re.compile(r"(?<=\w)[’`´](?=\w)")
_TOKEN = re.compile(
    r"""
    (?P<word>[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*)
    | (?P<mark>
        [^\W_] | [%‰°$€£¥+<>=±×÷≤≥≠≈√∞¬~]
        | !(?==) | \.(?=\d)                      # x != 5, .5
        | (?<=\w)\#                              # C#
        | \#(?=\w)                               # #5
        | (?<=\w)\s*[*/^](?=\s*\w)               # 5 * 3, 1/2, x^2
    )
    | (?P<dash>
        (?<![\w)\-–—−])[-–−](?=\s*[.$€£¥]?\d)    # -5
        | (?<![\w)\-–—−])[-–−](?=[^\W\d_]\b)     # -x
        | (?<=\d)\s*[-–−](?=\s*\d)               # 5-3
        | (?<=\b[^\W\d_])[-–−](?!\w)             # B-
        | (?<=\b[^\W\d_]{2})[-–−](?!\w)          # AB-
        | −
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words, numbers, and the marks that change what an answer says: signs, operators, units, ``#``."""


class _Piece(NamedTuple):
    text: str
    kind: str
    written: str
    before_blank: bool


def is_short_answer(text: str) -> bool:
    """Tell whether a text is an answer of a few words, such as ``Paris`` or ``It is 8 emails.``.

    Example:
        >>> is_short_answer("It is Paris."), is_short_answer("Paris has many bridges over the river.")
        (True, False)
    """
    words = [piece.text for piece in _pieces(text) if piece.kind == "word"]
    return len([word for word in words if _counts(word)] or words) <= SHORT_ANSWER


def is_same_short_answer(text: str, other: str) -> bool:
    """Tell whether two short answers are the same words, signs and units, in one order.

    Case, endings, punctuation, articles, ``is`` and ``was``, and a subject such as ``it`` before these do
    not count. A single letter does: ``vitamin A`` is not ``vitamin``.

    Example:
        >>> is_same_short_answer("Paris", "It is Paris."), is_same_short_answer("8", "8 emails")
        (True, False)
        >>> is_same_short_answer("5", "-5"), is_same_short_answer("before lunch", "after lunch")
        (False, False)
    """
    return _said(text) == _said(other)


@lru_cache(maxsize=65536)
def _said(text: str) -> tuple[str, ...]:
    """Give what an answer says: its words and signs without small words, or all if there are no others."""
    pieces = _pieces(text)
    kept = [piece for at, piece in enumerate(pieces) if not _is_small(pieces, at)] or pieces
    return tuple(stem(one.text) if one.kind == "word" else one.text for one in kept) or (text.strip(),)


def _pieces(text: str) -> list[_Piece]:
    text, found = _APOSTROPHE.sub("'", text), []
    for match in _TOKEN.finditer(text):
        kind, written = str(match.lastgroup), match.group().strip()
        shown = "-" if kind == "dash" else written.lower()
        found.append(_Piece(shown, kind, written, text[match.end() :][:1].isspace()))
    return found


def _is_small(pieces: list[_Piece], at: int) -> bool:
    """Tell whether a word says nothing of its own where it stands."""
    piece, after = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else None
    if piece.kind != "word":
        return False
    if piece.text in _ARTICLES:
        # Neither "vitamin A", "option a" and "A1", nor "a few".
        is_name = (piece.written == "A" and at > 0) or after is None or not piece.before_blank
        return not is_name and after is not None and after.text not in _AMOUNTS
    if piece.text in _SUBJECTS_OF_COPULAS:
        return after is not None and after.text in _COPULAS
    return piece.text in _COPULAS or piece.text in _SUBJECTS


def _counts(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't") or word not in stop_words()
