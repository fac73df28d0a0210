"""Blanks out reasoning and markup of a reply and keeps its length, so that positions stay valid.

Reasoning, markdown and what cannot be seen become spaces; digits of every script become 0 to 9.
"""

import re
import unicodedata

_TAGS = r"think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|reflection"
_REASONING = re.compile(rf"<({_TAGS})>.*?</\1>", re.IGNORECASE | re.DOTALL)
_CLOSED_ONLY = re.compile(rf"\A.*</(?:{_TAGS})>", re.IGNORECASE | re.DOTALL)
_OPEN_ONLY = re.compile(rf"<(?:{_TAGS})>.*\Z", re.IGNORECASE | re.DOTALL)
_CHANNELS = re.compile(r"\A.*<\|channel\|>\s*final\s*(?:<\|[a-z_]+\|>)*", re.DOTALL)
_SPECIAL = re.compile(r"<\|[^<>|\n]{1,40}\|>|</s>|<end_of_turn>")
_FENCES = re.compile(r"```[\w-]*|~~~[\w-]*")
_BOXED = re.compile(r"\\(?:boxed|text|textbf|mathbf|fbox)\s*\{([^{}\n]*)\}")
_MARKS = re.compile(
    r"\*+|(?<!\w)_+|_+(?!\w)|`+|(?m:^[ \t]*#{1,6}(?=[ \t]))|(?m:^[ \t]*>+(?=[ \t]))|\\[\[\]()]"
)
_FORMULA = re.compile(r"\$([^$\n]{1,60})\$")
_BULLETS = re.compile(r"(?m)^[ \t]*[-•·+][ \t]+(?=[^\W\d])")
_KEYCAP = "\ufe0e\ufe0f\u20e3"  # drawn around a digit, which stays the digit it is
_WIDE = str.maketrans("：＝／％．，（）［］－−’‘‛＂“”„«»→", ':=/%.,()[]--\'\'\'"""""">')


def readable(reply: str) -> str:
    """Rewrite a reply so that patterns match it: without reasoning and markup, with digits from 0 to 9.

    Args:
        reply: as the model gave it.

    Returns:
        A text of the same length.

    Example:
        >>> readable("<think>5?</think>**Score:** ４").strip()
        'Score:   4'
    """
    text = "".join(map(_plain, reply.replace("\r\n", " \n"))).translate(_WIDE)
    text = _without_reasoning(text)
    for pattern in (_FORMULA, _BOXED):
        text = pattern.sub(_blank_around_group, text)
    for pattern in (_SPECIAL, _FENCES, _MARKS, _BULLETS):
        text = pattern.sub(_blank, text)
    return text


def without_reasoning(reply: str) -> str:
    """Replace reasoning, and the fences around code, by spaces.

    Args:
        reply: as the model gave it.

    Returns:
        A text of the same length.
    """
    return _FENCES.sub(_blank, _SPECIAL.sub(_blank, _without_reasoning(reply)))


def _plain(character: str) -> str:
    if character.isascii():
        return "\n" if character in "\r\v\f" else character
    if character in _KEYCAP:
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    category = unicodedata.category(character)
    return " " if category in {"Zs", "Cf"} else "\n" if category in {"Zl", "Zp"} else character


def _without_reasoning(text: str) -> str:
    """Blank what a model thought before it answered; a thought that never ends leaves nothing."""
    text = _REASONING.sub(_blank, text)
    text = _CHANNELS.sub(_blank, text)
    text = _CLOSED_ONLY.sub(_blank, text)
    return _OPEN_ONLY.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _blank_around_group(found: re.Match[str]) -> str:
    start, end = found.span(1)
    return " " * (start - found.start()) + found[1] + " " * (found.end() - end)
