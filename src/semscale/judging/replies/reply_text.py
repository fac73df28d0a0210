"""Blanks out reasoning and markup of a reply and keeps its length, so that positions stay valid.

Reasoning, markdown and what cannot be seen become spaces; digits of every script become 0 to 9.
"""

import html
import re
import unicodedata

_TAGS = r"think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|reflection"
_REASONING = re.compile(rf"[<\[◁](?P<end>/?)(?P<tag>{_TAGS})[>\]▷]", re.IGNORECASE)
_CLOSED_ONLY = re.compile(rf"\A.*</(?:{_TAGS})>", re.IGNORECASE | re.DOTALL)
_OPEN_ONLY = re.compile(rf"<(?:{_TAGS})>.*\Z", re.IGNORECASE | re.DOTALL)
_CHANNELS = re.compile(r"\A.*<\|channel\|>\s*final\s*(?:<\|[a-z_]+\|>)*", re.DOTALL)
_SPECIAL = re.compile(r"<\|[^<>|\n]{1,40}\|>|</?s>|<end_of_turn>|<pad>|\[/INST\]|<bos>|<eos>")
_FENCES = re.compile(r"```[\w-]*|~~~[\w-]*")
_BOXED = re.compile(r"\\boxed\{")
_WRAPPED = re.compile(r"\\(?:text|textbf|mathbf|fbox)\s*\{([^{}\n]*)\}")
_MARKS = re.compile(
    r"\*+|(?<!\w)_+|_+(?!\w)|`+|(?m:^[ \t]*#{1,6}(?=[ \t]))|(?m:^[ \t]*>+(?=[ \t]))"
    r"|(?m:^[ \t]*(?:=+|-{3,})[ \t]*$)|\\[\[\]()]"
)
_OPEN_TAG = re.compile(r"<([a-z][\w-]{0,20})(?:[ \t][^<>\n]{0,60})?>", re.IGNORECASE)
_FORMATTING = re.compile(
    r"<[ ]*/?[ ]*(?:br|b|i|u|em|strong|span|p|div|h[1-6]|font|mark|code|center)(?:[ \t][^<>\n]{0,60})?>",
    re.IGNORECASE,
)
_CLOSE_TAG = re.compile(r"</[a-z][\w-]{0,20}[ \t]*>|<[a-z]{1,12}(?:[ \t][^<>\n]{0,60})?/>", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]{1,80}~~")
_ENTITIES = re.compile(r"&(?:[a-z]{2,8}|#\d{2,5});", re.IGNORECASE)
_FORMULA = re.compile(r"\${1,2}([^$\n]{1,60})\${1,2}")
_BULLETS = re.compile(r"(?m)^[ \t]*[-•·+][ \t]+(?=[^\W\d])")
_HIDDEN = "\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_SPLIT_WORD = re.compile(rf"(?<![^\W\d_])[^\W\d_]++(?:[{_HIDDEN}]++[^\W\d_]++)+")
_GAP = re.compile(r"[ \t]{200,}")  # nobody writes so many; each pattern would try all ways to part them
_COLOURED = re.compile(r"\x1b\[[0-9;]*m")
_COMMENT_MARKS = re.compile(r"/\*+|\*+/")
_VERB = r"(?:[\w.]*(?:print|log|write)\w*[ \t]*\(|(?:<\?php[ \t]+)?(?:echo|puts|print)\b[ \t]*\(?)"
_PRINTED = re.compile(
    rf"(?m)(?:^|(?<=;))[ \t]*{_VERB}[ \t]*(?P<mark>[\"'])(?P<inside>[^\"'\n{{%]*)(?:%d)?(?P=mark)"
    r"(?:[ \t]*[,+][ \t]*(?P<value>\d+))?[ \t]*\)?[ \t]*;?(?:[ \t]*\?>)?(?=[ \t]*(?:$|[#/])|[ \t]*\w+[.(])"
)
_ASSIGNED = re.compile(
    r"(?m)^[ \t]*(?:(?:(?:const|let|var|val|int|integer|float|double|auto|final|static)[ \t]+)+"
    r"|\w+(?:\.|\[[\"']))"
    r"(?=(?:score|rating|grade|verdict)\b[\"'\]]{0,2}[ \t]*:?=(?!=))"
)
_KEYCAP = "\ufe0e\ufe0f\u20e3"  # drawn around a digit, which stays the digit it is
_WIDE = str.maketrans("：＝／％．，（）［］－−’‘‛＂“”„«»", ':=/%.,()[]--\'\'\'""""""')


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
    text = _ENTITIES.sub(_character, reply.replace("\r\n", " \n"))
    text = _SPLIT_WORD.sub(_closed_up, _COLOURED.sub(_blank, text))
    text = "".join(map(_plain, text)).translate(_WIDE)
    text = _GAP.sub(lambda found: ";".center(len(found[0]), "\n"), text)
    text = _without_reasoning(text)
    for pattern in (_FORMULA, _WRAPPED):
        text = pattern.sub(_blank_around_group, text)
    text = _BOXED.sub("score: ", text)
    text = _PRINTED.sub(_printed, _ASSIGNED.sub(_blank, text))
    for pattern in (_COMMENT_MARKS, _FORMATTING, _STRUCK, _SPECIAL, _FENCES, _MARKS, _BULLETS):
        text = pattern.sub(_blank, text)
    text = _CLOSE_TAG.sub(lambda found: ";" + _blank(found)[1:], text)
    return _OPEN_TAG.sub(lambda found: f" {found[1]}:" + " " * (len(found[0]) - len(found[1]) - 2), text)


def without_reasoning(reply: str) -> str:
    """Replace reasoning, and the fences around code, by spaces.

    Args:
        reply: as the model gave it.

    Returns:
        A text of the same length.
    """
    return _FENCES.sub(_blank, _SPECIAL.sub(_blank, _without_reasoning(reply)))


def _character(found: re.Match[str]) -> str:
    """The character that an entity stands for, with blanks up to its length."""
    character = html.unescape(found[0])
    return character + " " * (len(found[0]) - 1) if len(character) == 1 else found[0]


def _closed_up(found: re.Match[str]) -> str:
    """A word without the characters inside it that nobody sees, with blanks up to its length."""
    return re.sub(f"[{_HIDDEN}]", "", found[0]).ljust(len(found[0]))


def _printed(found: re.Match[str]) -> str:
    """What a line of a program prints, in its place."""
    kept = [" "] * len(found[0])
    for group in ("inside", "value"):
        start, end = (place - found.start() for place in found.span(group))
        kept[max(start, 0) : max(end, 0)] = found[group] or ""
    return "".join(kept)


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
    text = _without_thoughts(text)
    text = _CHANNELS.sub(_blank, text)
    text = _CLOSED_ONLY.sub(_blank, text)
    return _OPEN_ONLY.sub(_blank, text)


def _without_thoughts(text: str) -> str:
    """Blank from each opening tag to the next closing one of its name."""
    kept, at = [], 0
    opened: re.Match[str] | None = None
    for tag in _REASONING.finditer(text):
        if opened is None and not tag["end"]:
            opened = tag
        elif opened is not None and tag["end"] and tag["tag"].lower() == opened["tag"].lower():
            kept += [text[at : opened.start()], re.sub(r"[^\n]", " ", text[opened.start() : tag.end()])]
            at, opened = tag.end(), None
    return "".join(kept) + text[at:]


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _blank_around_group(found: re.Match[str]) -> str:
    start, end = found.span(1)
    return " " * (start - found.start()) + found[1] + " " * (found.end() - end)
