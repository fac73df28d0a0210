"""Finds the judge's words about a score."""

import re

from semscale.judging.replies.reply_text import without_reasoning
from semscale.judging.replies.stated_levels import StatedLevel

_EXPLANATION = re.compile(
    r"(?im)^[ \t\"']*(?:explanation|reasoning|reason|rationale|justification)[\"']?[ \t]*[:=-]"
)
_MARKS = re.compile(r"[ \t]*([*_`]+)")
_KEY_AT_END = re.compile(
    r"[\s*_`#\"']*(?:\w+[ \t]+){0,2}(?:score|rating|verdict|grade|judge?ment|level)[\s*_`:=\"'(\[]*\Z",
    re.IGNORECASE,
)
_MARKUP = " \t\r\n*_`#"
_EDGES = " \t\n.,;:!|-–—}{\"'"


def explanation_of(reply: str, text: str, level: StatedLevel) -> str:
    """Find the explanation: after that word, else after the score, else before it.

    Args:
        reply: as the model gave it.
        text: as ``readable`` gives it, of the same length.
        level: the level that was read.

    Example:
        >>> level = StatedLevel(0.75, 0, 1, 1, named=False)
        >>> explanation_of("4 - It omits a date.", "4 - It omits a date.", level)
        'It omits a date.'
    """
    marked = _EXPLANATION.search(text)
    if marked is not None:
        begin = _after_marks(reply, marked)
        if begin <= level.start:
            return _without_key(reply[begin : level.start])
        return _without_open_ends(reply[begin:])
    after = reply[level.after :].lstrip(_EDGES + "*_`)]/").rstrip(_MARKUP)
    if after:
        return after
    first = re.search(r"\S", without_reasoning(reply))
    return _without_key(reply[first.start() if first else 0 : level.start])


def _after_marks(reply: str, marked: re.Match[str]) -> int:
    """Give the place after the word, and after the marks that close what was opened before it."""
    marks = _MARKS.match(reply, marked.end())
    is_closing = marks is not None and reply.count(marks[1], marked.start(), marked.end()) % 2 == 1
    return marks.end() if marks is not None and is_closing else marked.end()


def _without_open_ends(words: str) -> str:
    """Take away what ends something that was opened before the words, as in a reply that is broken JSON."""
    words = words.strip()
    while words and words[-1] in "}\"'":
        closes = words.count("}") > words.count("{") if words[-1] == "}" else words.count(words[-1]) % 2
        if not closes:
            break
        words = words[:-1].rstrip()
    return words


def _without_key(words: str) -> str:
    """Take the score word off the end of the words before a score."""
    return _KEY_AT_END.sub("", words).lstrip(_EDGES + _MARKUP).rstrip(_MARKUP)
