"""Texts without a letter or digit of any script, which no model can read."""

from html import unescape

_BLANK_LETTERS = str.maketrans(
    "", "", "\u115f\u1160\u3164\uffa0"
)  # Hangul fillers: letters that show nothing


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
