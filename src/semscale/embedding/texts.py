"""Input texts: checks, status, removal of duplicates, and progress reports for parts."""

import re
from collections.abc import Sequence, Set
from html import unescape

import numpy as np

from semscale.errors import InputError
from semscale.json_reading import encodable
from semscale.store.missing_codes import code_key, is_missing
from semscale.types import Integers, Progress, Status

_BLANK_LETTERS = str.maketrans("", "", "\u115f\u1160\u3164\uffa0")  # Hangul fillers are invisible

# Classes of emoji whose ratings agree with people's (bench/emoji.py). Stars do not: one to five of them get
# 2.2 2.2 2.3 2.7 3.9 of 5 (black) or 3.0 to 3.4 (white). Nor do objects, animals, arrows and signs.
FACES = re.compile(
    "[\u2639-\u263b\U0001f600-\U0001f64f\U0001f910-\U0001f917\U0001f920-\U0001f92f\U0001f970-\U0001f97a]"
)

HANDS = re.compile(
    "[\u261d\u270a-\u270d\U0001f446-\U0001f450\U0001f4aa\U0001f590\U0001f595\U0001f596\U0001f918-\U0001f91f]"
)

HEARTS = re.compile("[\u2661\u2665\u2763\u2764\U0001f493-\U0001f49f\U0001f90d\U0001f90e\U0001f9e1]")


MOST_CHARACTERS = 100_000
"""Largest number of characters in an embedded text, about 16,000 words; time grows with a text's windows."""


def validate_texts(texts: Sequence[str]) -> list[str]:
    r"""Check texts before a model reads them, and replace unpaired surrogates in them by U+FFFD.

    Raises:
        InputError: an item is not a string or has more than 100,000 characters, or ``texts`` is itself a
            string.

    Examples:
        >>> validate_texts(["good", "good\ud83d"]) == ["good", "good\ufffd"]
        True
    """
    if isinstance(texts, str):
        raise InputError("texts", f"must be a list of strings, got one string: [{texts[:40]!r}]")
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"texts[{position}]", f"must be a string, got {type(text).__name__}")
        if len(text) > MOST_CHARACTERS:
            raise InputError(
                f"texts[{position}]",
                f"must have at most {MOST_CHARACTERS:,} characters, got {len(text):,}: "
                "split it into several texts",
            )
    return [encodable(text) for text in texts]


def distinct(texts: Sequence[str]) -> tuple[list[str], Integers]:
    """List the distinct texts in order of first appearance, with the position of each input text in the list.

    Returns:
        The distinct texts, and an array ``where`` of shape (n,) with ``texts[i] == distinct[where[i]]``.

    Examples:
        >>> distinct(["b", "a", "b"])
        (['b', 'a'], array([0, 1, 0]))
    """
    numbers: dict[str, int] = {}
    where = np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), np.int64, len(texts))
    return list(numbers), where


def text_status(cell: object, *, most_characters: int | None = MOST_CHARACTERS) -> Status:
    """Return the status of a cell with a text to be compared; punctuation alone counts as text.

    Args:
        cell: any value.
        most_characters: largest length of a text; ``None`` if no local model reads it.

    Examples:
        >>> [str(text_status(cell)) for cell in ("?", " ", None, 5)]
        ['scored', 'empty', 'missing', 'not-text']
    """
    if not isinstance(cell, str):
        return Status.MISSING if is_missing(cell) else Status.NOT_TEXT
    if most_characters is not None and len(cell) > most_characters:
        return Status.TOO_LONG
    return Status.EMPTY if not cell or cell.isspace() else Status.SCORED


def answer_status(cell: object, missing: Set[str] = frozenset(), *, reads_emoji: bool = False) -> Status:
    """Return the status of a cell with an answer; ``SCORED`` means that it can be rated.

    Args:
        cell: any value.
        missing: codes for a missing answer, from ``missing_keys``.
        reads_emoji: whether the model reads emoji, so that a text of emoji alone can be rated.

    Examples:
        >>> [str(answer_status(cell)) for cell in ("good", " ", "?!", None, 3)]
        ['scored', 'empty', 'uninformative', 'missing', 'not-text']
    """
    if missing and isinstance(cell, str) and code_key(cell) in missing:
        return Status.MISSING
    status = text_status(cell)
    if status is Status.SCORED and is_wordless(str(cell)) and not (reads_emoji and has_emoji(str(cell))):
        return Status.UNINFORMATIVE
    return status


def has_emoji(text: str) -> bool:
    """Tell whether a text has an emoji of a face, a hand or a heart, which some models rate like people.

    Examples:
        >>> [has_emoji(text) for text in ("👍", "😡!", "★★★★★", "???", ":)")]
        [True, True, False, False, False]
    """
    return any(kind.search(text) is not None for kind in (FACES, HANDS, HEARTS))


def is_wordless(text: str) -> bool:
    """Tell whether a text, with HTML entities resolved, has no letter and no digit of any script.

    Letters are the Unicode categories L*, digits N*. Punctuation, symbols, emoji, white space, zero-width and
    control characters are neither.

    Examples:
        >>> [is_wordless(text) for text in ("???", "👍", "&nbsp;", "5", "好")]
        [True, True, True, False, False]
    """
    shown = unescape(unescape(text)) if "&" in text else text  # twice, because exports contain "&amp;nbsp;"
    return not any(map(str.isalnum, shown.translate(_BLANK_LETTERS)))  # isalnum: the categories L* and N*


def shift_progress(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return a callback that converts the progress of a part into the progress of the whole.

    Args:
        progress: called with the progress of the whole; ``None`` for no report.
        before: number of items that were done before the part began.
        total: number of all items.

    Examples:
        >>> shift_progress(print, 8, 10)("embedding", 1, 2)
        embedding 9 10
    """
    if progress is None:
        return None
    return lambda stage, done, _: progress(stage, before + done, total)
