"""Texts without a letter or digit of any script, which no model can read, but for emoji with some models."""

import re
from html import unescape

_BLANK_LETTERS = str.maketrans(
    "", "", "\u115f\u1160\u3164\uffa0"
)  # Hangul fillers: letters that show nothing


# Stars, faces, hands, hearts, ticks: the blocks from Miscellaneous Symbols to Dingbats, and those from
# Miscellaneous Symbols and Pictographs on. Arrows, lines, boxes and flags of letters are none of them.
_EMOJI = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001faff]")


def has_emoji(text: str) -> bool:
    """Say whether a text has a pictograph or a dingbat, such as a face or a star.

    Example:
        >>> [has_emoji(text) for text in ("👍", "★★★★★", "???", ":)")]
        [True, True, False, False]
    """
    return _EMOJI.search(text) is not None


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
