"""Text that Markdown shows as it is: it neither formats nor links, and mentions nobody."""

import re
from collections.abc import Iterable

from semscale.report.formatting import MISSING, clipped, one_line

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_BAR = re.compile(r"(?<!\\)\|")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LINKING = re.compile(r"([@#]|https?:|www|ftp:)", re.IGNORECASE)
_JOINER = "\u2060"  # draws nothing, and ends what GitHub would read as a mention, a reference or an address


def escaped(text: object) -> str:
    r"""Escape a text so that Markdown shows it as it is, on one line.

    Example:
        >>> escaped("*a*_b_ <c> | d")
        '\\*a\\*\\_b\\_ &lt;c&gt; \\| d'
    """
    harmless = one_line(text).translate(_HTML)
    return _LINKING.sub(rf"\1{_JOINER}", _SPECIAL.sub(r"\\\1", harmless))


def code(text: object, limit: int | None = None) -> str:
    """Set a text as a code span, which formats, links and mentions nothing.

    Args:
        text: from anywhere; white space becomes one space.
        limit: characters that are shown; an ellipsis marks a cut.

    Example:
        >>> code("a `b` c")
        '`` a `b` c ``'
    """
    shown = one_line(text) if limit is None else clipped(text, limit).shown
    if not shown:
        return MISSING
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def table_row(cells: Iterable[str]) -> str:
    r"""Write a row of a table; what would end a cell is escaped, in code spans too.

    Example:
        >>> table_row(["a", "`b|c`"])
        '| a | `b\\|c` |'
    """
    inner = " | ".join(_BAR.sub(r"\\|", cell) for cell in cells)
    return f"| {inner} |"
