"""Replaces a sum after a score word by its result, as in ``5 - 2 = 3``."""

import re

_SUM = re.compile(
    r"(?<=[:=])(?P<lead>[ \t]*)(?P<first>\d{1,3})[ \t]*(?P<sign>[-–+]|minus"
    r"|plus)[ \t]*(?P<second>\d{1,3})[ \t]*=[ \t]*"
    r"(?=(?P<result>\d{1,3})(?![\d.,]*\d))",
    re.IGNORECASE,
)


def blank_sums(text: str) -> str:
    """Blank what leads to the result of each sum that is right; a wrong one stays.

    Args:
        text: as ``readable`` gives it.

    Returns:
        A text of the same length.

    Example:
        >>> blank_sums("Score: 5 - 2 = 3").split()
        ['Score:', '3']
    """
    return _SUM.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    first, second = int(found["first"]), int(found["second"])
    adds = found["sign"].lower() in {"+", "plus"}
    result = first + second if adds else first - second
    return " " * len(found[0]) if result == int(found["result"]) else found[0]
