"""Lists in single cells: lists of Parquet and JSONL, and JSON lists of strings in CSV or Excel cells."""

import json
from typing import Any

from semscale.errors import RowError
from semscale.json_reading import parse_json

_SHOWN = 40


def listed_cell(
    cell: Any,  # noqa: ANN401 - any cell
    *,
    parameter: str,
    column: str,
    row: int,
    only_nulls: bool,
) -> list[Any]:
    """Return a cell's values: of a list, of a JSON list of strings and nulls, or the one value.

    Args:
        cell: any value.
        parameter: the parameter that names the column, for messages.
        column: the column's name.
        row: the cell's row, from 0.
        only_nulls: whether a JSON list of nulls only is a list; otherwise it is a text.

    Raises:
        RowError: a text begins like a list of strings but is none; the message names its row.

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
        content = parse_json(cell)
    except json.JSONDecodeError:
        content = None
    if isinstance(content, list) and _are_texts(content, only_nulls=only_nulls):
        return content
    if cell.lstrip()[1:].lstrip().startswith('"'):
        shown = cell if len(cell) <= _SHOWN else cell[: _SHOWN - 3] + "..."
        raise RowError(
            f"{parameter}: column '{column}' has a list that is no valid JSON in data {{row}}: "
            f'{shown}; write ["one", "other"], or the text alone (rows are counted from 1, below the header)',
            row,
        )
    return [cell]


def _are_texts(content: list[Any], *, only_nulls: bool) -> bool:
    texts = [item for item in content if item is not None]
    return all(isinstance(text, str) for text in texts) and bool(texts or not content or only_nulls)
