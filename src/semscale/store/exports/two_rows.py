"""Headers in two rows of no particular tool: questions, and below them the options in their columns."""

import re
from collections.abc import Sequence

from semscale.store.columns import DATE, NUMBER
from semscale.store.exports.headers import Row, SurveyHeader, cell_texts
from semscale.store.exports.surveymonkey import surveymonkey_columns

_FEWEST = 2


def read_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read a header whose questions stand above the first of their columns, or above each of them.

    The second row has a different text in each of these columns, and is empty in all others. If there are no
    others, it has nothing in common with the row below it, which has a number or an empty cell.

    Examples:
        >>> read_header(["id", "Which?", ""], [["", "Tea", "Coffee"], ["1", "x", ""]]).columns
        ('id', 'Which?: Tea', 'Which?: Coffee')
        >>> read_header(["id", "Which?", ""], [["1", "Tea", "Coffee"], ["2", "x", ""]])
    """
    firsts = [
        name if name.strip() and (not position or name != names[position - 1]) else ""
        for position, name in enumerate(names)
    ]
    spans = _spans(firsts)
    wide = [span for span in spans if len(span) >= _FEWEST]
    if not wide or not rows or not firsts[0]:
        return None
    second = cell_texts(rows[0], len(names))
    if not all(_are_options([second[position] for position in span]) for span in wide):
        return None
    others = [second[span[0]] for span in spans if len(span) < _FEWEST]
    third = cell_texts(rows[1], len(names)) if len(rows) > 1 else second
    are_marks = any(not cell or re.match(NUMBER, cell) for cell in third)
    is_apart = not any(others) if others else are_marks and not set(second) & set(third)
    if not is_apart:
        return None
    columns, labels = surveymonkey_columns(firsts, rows[0])
    return SurveyHeader(tuple(columns), 1, labels)


def _spans(firsts: Sequence[str]) -> list[list[int]]:
    """Return the positions of each question's columns."""
    spans: list[list[int]] = []
    for position, name in enumerate(firsts):
        if name or not spans:
            spans.append([])
        spans[-1].append(position)
    return spans


def _are_options(cells: Sequence[str]) -> bool:
    """Return whether cells are different texts."""
    are_texts = all(cell and not re.match(NUMBER, cell) and not re.match(DATE, cell) for cell in cells)
    return are_texts and len(set(cells)) == len(cells)
