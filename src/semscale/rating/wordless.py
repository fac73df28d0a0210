"""Texts without a letter or digit of any script, which no model can read, but for emoji with some models."""

import re
from html import unescape

_BLANK_LETTERS = str.maketrans(
    "", "", "\u115f\u1160\u3164\uffa0"
)  # Hangul fillers: letters that show nothing


# Classes of emoji whose ratings agree with people's (bench/emoji.py). Stars do not: one to five of them get
# 2.2 2.2 2.3 2.7 3.9 of 5 (black) or 3.0 to 3.4 (white). Nor do objects, animals, arrows and signs.
FACES = re.compile(
    "[\u2639-\u263b\U0001f600-\U0001f64f\U0001f910-\U0001f917\U0001f920-\U0001f92f\U0001f970-\U0001f97a]"
)
HANDS = re.compile(
    "[\u261d\u270a-\u270d\U0001f446-\U0001f450\U0001f4aa\U0001f590\U0001f595\U0001f596\U0001f918-\U0001f91f]"
)
HEARTS = re.compile("[\u2661\u2665\u2763\u2764\U0001f493-\U0001f49f\U0001f90d\U0001f90e\U0001f9e1]")


def has_emoji(text: str) -> bool:
    """Say whether a text has a face, a hand or a heart, which some models read as people do.

    Example:
        >>> [has_emoji(text) for text in ("👍", "😡!", "★★★★★", "???", ":)")]
        [True, True, False, False, False]
    """
    return any(kind.search(text) is not None for kind in (FACES, HANDS, HEARTS))


def is_wordless(text: str) -> bool:
    """Say whether a text has no letter and no digit of any script once HTML entities are resolved.

    Letters are the Unicode categories L*, digits N*. Punctuation, symbols, emoji, white space, zero-width and
    control characters are neither.

    Example:
        >>> [is_wordless(text) for text in ("???", "👍", "&nbsp;", "5", "好")]
        [True, True, True, False, False]
    """
    shown = unescape(unescape(text)) if "&" in text else text  # twice: "&amp;nbsp;" is what exports leave
    return not any(map(str.isalnum, shown.translate(_BLANK_LETTERS)))  # isalnum: the categories L* and N*
