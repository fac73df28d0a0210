"""Fits users' words to a terminal: on one line, harmless, cut in the middle."""

from rich.cells import cell_len

from semscale.report.formatting import one_line

_ELLIPSIS = "…"
_TURNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C), "\ufffd")


def fitted(text: object, cells: int) -> str:
    r"""Make a text one harmless line of at most so many cells; what is too long loses its middle.

    Wide characters, such as Chinese ones, take two cells. Characters that turn the direction of what follows
    them are replaced, because they would turn the rest of a table's line too.

    Args:
        text: the text.
        cells: width to fit into, at least 3.

    Example:
        >>> fitted("north-western region", 11), fitted("north", 11), fitted("東京都千代田区", 7)
        ('north…egion', 'north', '東…区')
        >>> fitted("a\x1b[31m\nb", 20)
        'a␛[31m b'
    """
    line = on_one_line(text)
    if cell_len(line) <= cells:
        return line
    tail = (cells - 1) // 2
    head = cells - 1 - tail
    return f"{_start(line, head).rstrip()}{_ELLIPSIS}{_start(line[::-1], tail)[::-1].lstrip()}"


def on_one_line(text: object) -> str:
    r"""Make a text one harmless line.

    Example:
        >>> on_one_line("a\nb\u202e")
        'a b\ufffd'
    """
    return one_line(text).translate(_TURNS)


def _start(line: str, cells: int) -> str:
    """Take as many characters from the start as fit."""
    taken = 0
    for place, character in enumerate(line[: cells + 1]):
        taken += cell_len(character)
        if taken > cells:
            return line[:place]
    return line[:cells]
