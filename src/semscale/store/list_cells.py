"""Lists in single cells: those of Parquet and JSONL, and JSON lists of strings in a CSV or Excel cell."""

import json
from typing import Any

from semscale.errors import InputError

_SHOWN = 40


def listed_cell(
    cell: Any,  # noqa: ANN401 - any cell
    *,
    parameter: str,
    column: str,
    row: int,
    only_nulls: bool,
) -> list[Any]:
    """List what one cell holds: a list, a JSON list of strings in which nulls may stand, or one value.

    Args:
        cell: anything.
        parameter: what the column is for, in a message.
        column: its name.
        row: the cell's, counted from 0.
        only_nulls: whether a JSON list of nothing but nulls is a list; it is a text otherwise.

    Raises:
        InputError: a text that begins as a list of strings does and is none; its row is named.

    Example:
        >>> place = {"parameter": "sample", "column": "again", "row": 0, "only_nulls": True}
        >>> listed_cell('["Paris", "Rome"]', **place), listed_cell("[sic]", **place)
        (['Paris', 'Rome'], ['[sic]'])
    """
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return [cell]
    try:
        content = json.loads(cell)
    except (json.JSONDecodeError, RecursionError):
        content = None
    if isinstance(content, list) and _are_texts(content, only_nulls=only_nulls):
        return content
    if cell.lstrip()[1:].lstrip().startswith('"'):
        shown = cell if len(cell) <= _SHOWN else cell[: _SHOWN - 3] + "..."
        raise InputError(
            f"{parameter}: column '{column}' has a list that is no valid JSON in data row {row + 1}: "
            f'{shown}; write ["one", "other"], or the text alone (rows are counted from 1, below the header)'
        )
    return [cell]


def _are_texts(content: list[Any], *, only_nulls: bool) -> bool:
    texts = [item for item in content if item is not None]
    return all(isinstance(text, str) for text in texts) and bool(texts or not content or only_nulls)
