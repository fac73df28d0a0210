"""Text that Markdown shows as it is: it neither formats nor links, and mentions nobody."""

import re
from collections.abc import Iterable
from pathlib import PurePath
from urllib.parse import quote

from semscale.report.formatting import MISSING, clipped, one_line, printable

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_BAR = re.compile(r"(?<!\\)\|")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LINKING = re.compile(r"([@#]|https?:|www|ftp:)", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\u00a0]+")  # a no-break space holds what stands beside it on one line
_BREAK = "<!-- -->"  # ends what GitHub would read as a mention or a link, and is no part of what readers copy


def escaped(text: object) -> str:
    r"""Escape a text so that Markdown shows it as it is, on one line.

    Example:
        >>> escaped("*a*_b_ <c> | d")
        '\\*a\\*\\_b\\_ &lt;c&gt; \\| d'
    """
    return _LINKING.sub(rf"\1{_BREAK}", _unformatted(text))


def image(description: str, file: PurePath) -> str:
    r"""Show a picture; its description formats nothing.

    Args:
        description: for readers who cannot see it.
        file: the picture, as seen from the folder of the Markdown.

    Example:
        >>> image("Bars of *a*", PurePath("my report.files/bars.svg"))
        '![Bars of \\*a\\*](my%20report.files/bars.svg)'
    """
    return f"![{_unformatted(description)}]({quote(file.as_posix())})"


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


def _unformatted(text: object) -> str:
    shown = _BLANKS.sub(" ", printable(text)).strip()
    return _SPECIAL.sub(r"\\\1", shown.translate(_HTML))
