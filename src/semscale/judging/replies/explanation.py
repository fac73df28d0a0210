"""Finds the judge's words about a score."""

import re

from semscale.judging.replies.stated_levels import StatedLevel

_EXPLANATION = re.compile(
    r"(?im)^[ \t\"']*(?:explanation|reasoning|reason|rationale|justification)[\"']?[ \t]*[:=-][ \t]*"
)
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
        stop = level.start if marked.end() <= level.start else len(reply)
        words = reply[marked.end() : stop]
        return _without_key(words) if stop == level.start else words.strip().rstrip("}\"'").strip()
    after = reply[level.after :].lstrip(_EDGES + "*_`)]/").rstrip(_MARKUP)
    if after:
        return after
    first = re.search(r"\S", text)
    return _without_key(reply[first.start() if first else 0 : level.start])


def _without_key(words: str) -> str:
    """Take the score word off the end of the words before a score."""
    return _KEY_AT_END.sub("", words).lstrip(_EDGES + _MARKUP).rstrip(_MARKUP)
