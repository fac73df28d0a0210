"""The look of tables: the order of their answers, and lines and groups that are not shown."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.tabulation.crosstab_figures import Crosstab
from semscale.tabulation.settings import LookSettings

_WITHOUT_ORDER = frozenset({"single choice", "multiple choice"})


def arrange(table: Crosstab, look: LookSettings) -> Crosstab:
    """Return a table as it is shown; its bases, figures and tests stay as they are.

    Args:
        table: the table with all lines and groups.
        look: the order of answers, what is not shown, and decimals.

    Raises:
        InputError: no line is left.
    """
    lines, names = _sort_lines(table, look.sort), [line.name for line in table.question.lines]
    left = [line for line in lines if names[line] not in look.hide]
    if not left:
        raise InputError("hide", f": no answer to '{table.question.name}' is left: show one of them")
    columns = [0, *_shown_columns(table, look)]
    groups = set(table.columns) - {table.columns[column] for column in columns}
    hidden = [name for name in names if name in look.hide]
    hidden += [name for name in table.columns[1:] if name in groups]
    if hidden or left != list(range(len(names))):
        table = table.select(left, columns)
    return replace(table, hidden=tuple(hidden), decimals=look.decimals)


def _sort_lines(table: Crosstab, sort: str) -> list[int]:
    """Return the order of lines: answers are sorted by their shares, and other lines stay where they are."""
    lines = list(range(len(table.question.lines)))
    if sort == "none" or table.question.kind not in _WITHOUT_ORDER:
        return lines
    places = [index for index, line in enumerate(table.question.lines) if not line.is_summary]
    shares = table.cells.values[:, 0]
    sign = -1 if sort == "descending" else 1
    by_share = sorted(places, key=lambda line: sign * float(shares[line]))
    for place, line in zip(places, by_share, strict=True):
        lines[place] = line
    return lines


def _shown_columns(table: Crosstab, look: LookSettings) -> Iterator[int]:
    for column, name in enumerate(table.columns[1:], start=1):
        if name not in look.hide and not (look.hide_small and table.is_small[column]):
            yield column


def notes_on_hidden(tables: Iterable[Crosstab], hide: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each label to hide that no table has, such as a mistyped one."""
    known = {name for table in tables for name in table.hidden}
    for label in hide:
        if label not in known:
            yield f"no answer or group is called ‘{label}’, so nothing is hidden" + hint(" (`hide`)")
