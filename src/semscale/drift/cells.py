"""Reading of table cells: outputs with numbers, texts, numbers, names and groups."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.history.items import Output
from semscale.json_reading import parse_json
from semscale.reasoning import REASONING_FIELDS, reasoning_of
from semscale.store.columns import NUMBER, as_names, cell_values, groups_in
from semscale.store.missing_codes import is_missing

_SHOWN_CHARACTERS = 40
_EXACT = 2.0**53
_NO_FIELDS = frozenset({"text", "title", "description", "id", *REASONING_FIELDS})


@dataclass(frozen=True)
class CellLocation:
    """The location of a cell, for messages.

    Attributes:
        file: name of the table in messages.
        row: the cell's row, from 0.
        column: name of the column.
    """

    file: str
    row: int
    column: str

    def error(self, problem: str, remedy: str) -> InputError:
        """Build the error for an invalid cell."""
        return InputError(
            f"{self.file}, data row {self.row + 1}: column '{self.column}' {problem}; {remedy} "
            "(rows are counted from 1, below the header)"
        )


def outputs_in(cell: Any, location: CellLocation, fields: Sequence[str] = ()) -> list[Output]:
    """Return the outputs in a cell.

    Args:
        cell: a text; a list of texts, nulls and objects; an object; or such a list as JSON. The text of an
            object is in ``text``, or in ``title`` and ``description`` as in Athena's feedback.
        location: the cell's location.
        fields: names of numbers to read from objects; all numbers if empty.

    Raises:
        InputError: a part is neither a text nor an object with a text, or a field is not a number.

    Examples:
        >>> cell = ["Well done.", None, {"text": "Too short.", "credits": -1}]
        >>> outputs = outputs_in(cell, CellLocation("a.jsonl", 0, "output"))
        >>> [(output.text, dict(output.fields)) for output in outputs]
        [('Well done.', {}), (None, {}), ('Too short.', {'credits': -1.0})]
    """
    return [_output(part, location, fields) for part in _parts(cell, location)]


def text_of(cell: object, location: CellLocation) -> str | None:
    """Read a cell with one text; a number becomes text, and null becomes ``None``.

    Raises:
        InputError: the cell has another type.
    """
    if is_missing(cell):
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        whole = isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT
        return str(int(cell) if whole else cell)
    raise location.error(f"holds {_shorten(cell)}, which is no text", "write a text, or leave it empty")


def input_text(cell: object, location: CellLocation) -> str | None:
    """Read a cell with a text; a list of messages or an object becomes JSON, and null becomes ``None``.

    Raises:
        InputError: the cell has another type.
    """
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True, default=str)
    return text_of(cell, location)


def group_objects(cell: object, location: CellLocation) -> dict[str, str]:
    """Read a cell of the column ``groups``: an object, or such an object as JSON.

    Raises:
        InputError: the cell contains something else.
    """
    if cell is None or cell == "":
        return {}
    groups = as_json(cell) if isinstance(cell, str) else cell
    if not isinstance(groups, Mapping):
        raise location.error(
            f'must hold objects such as {{"topic": "cells"}}, got {cell!r:.40}',
            "write one, or name columns of groups (--by)",
        )
    names = ((str(kind), text_of(name, location)) for kind, name in groups.items())
    return {kind: name for kind, name in names if name is not None}


def names_in(batch: pl.DataFrame, title: str, location: CellLocation) -> list[str | None]:
    """Read a column of ids or groups; ``None`` for a missing name or a missing column.

    Args:
        batch: rows of a table.
        title: name of the column.
        location: location of the column's first cell.

    Raises:
        InputError: a cell is neither a text nor a number.
    """
    if title not in batch.columns:
        return [None] * batch.height
    if batch[title].dtype == pl.Object:  # several types: cell by cell, so that 8.0 becomes "8" there as well
        return [
            text_of(cell, replace(location, row=location.row + row)) for row, cell in enumerate(batch[title])
        ]
    return as_names(groups_in(batch[title]), title)


def feedback_text(feedback: Mapping[str, Any], location: CellLocation) -> str | None:
    """Join a feedback's title and description with a space, as Athena does; ``None`` if it has neither.

    Examples:
        >>> feedback = {"title": "Cause", "description": "Well seen."}
        >>> feedback_text(feedback, CellLocation("a.json", 0, "feedbacks"))
        'Cause Well seen.'
    """
    parts = (text_of(feedback.get(key), location) for key in ("title", "description"))
    return " ".join(part.strip() for part in parts if part is not None and part.strip()) or None


def numbers_of(cell: Any, n: int, location: CellLocation) -> list[float | None]:
    """Read the cell of a numeric field: one number for each of n outputs.

    Args:
        cell: a number, a list of n numbers and nulls, such a list as JSON, or null for no numbers.
        n: number of outputs of the row.
        location: the cell's location.

    Raises:
        InputError: the cell contains something other than n numbers.

    Examples:
        >>> numbers_of("[1, null]", 2, CellLocation("a.csv", 0, "credits"))
        [1.0, None]
    """
    if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
        return [None] * n
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        parsed = as_json(cell)
        cell = parsed if isinstance(parsed, list) else cell
    numbers = [number_in(part, location) for part in (cell if isinstance(cell, list) else [cell])]
    if len(numbers) != n:
        raise location.error(
            f"has {len(numbers)} number{'s' * (len(numbers) != 1)} for {n} output{'s' * (n != 1)}",
            "write a list with one number for each output, null where it has none",
        )
    return numbers


def number_in(cell: object, location: CellLocation) -> float | None:
    """Read one number, which can be a text; ``None`` if the cell is empty.

    Raises:
        InputError: the cell is not a number, or not finite.
    """
    if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
        return None
    number = math.nan
    if isinstance(cell, str) and re.match(NUMBER, cell):
        number = float(cell.replace(",", "."))
    elif isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        number = float(cell)
    if not math.isfinite(number):
        raise location.error(
            f"must hold finite numbers, got {_shorten(cell)}", "correct it, or leave it empty"
        )
    return number


def _parts(cell: Any, location: CellLocation) -> list[Any]:
    if isinstance(cell, str) and cell.lstrip().startswith("[") and _are_outputs(parsed := as_json(cell)):
        return list(parsed)
    try:
        return cell_values(
            cell, parameter="output", column=location.column, row=location.row, only_nulls=True
        )
    except InputError as error:
        raise InputError(f"{location.file}: {error}") from error


def _are_outputs(parsed: object) -> bool:
    """Return true if JSON is a list of outputs, rather than a model's answer in JSON."""
    return isinstance(parsed, list) and any(isinstance(part, dict) and "text" in part for part in parsed)


def _output(part: object, location: CellLocation, fields: Sequence[str]) -> Output:
    if not isinstance(part, Mapping):
        return Output(text_of(part, location))
    if not {"text", "title", "description"} & part.keys():
        keys = ", ".join(map(str, part)) or "none"
        raise location.error(f"has an object without a text: its keys are {keys}", "write it under 'text'")
    text = text_of(part["text"], location) if "text" in part else feedback_text(part, location)
    names = [name for name in fields if name in part] if fields else [k for k in part if k not in _NO_FIELDS]
    numbers = {name: _object_number(name, part[name], location) for name in names}
    known = {name: number for name, number in numbers.items() if number is not None}
    return Output(text, known, reasoning_of(part) or None)


def _object_number(name: str, cell: object, location: CellLocation) -> float | None:
    try:
        return number_in(cell, location)
    except InputError as error:
        problem = "not finite" if isinstance(cell, float) else "no number"
        raise location.error(
            f"has an output whose '{name}' is {_shorten(cell)}, which is {problem}",
            "correct it, or name the numbers that count as fields (--field), so that others are passed over",
        ) from error


def as_json(cell: str) -> Any:
    """Parse a cell as JSON; ``None`` if it is not JSON."""
    try:
        return parse_json(cell)
    except json.JSONDecodeError:
        return None


def _shorten(cell: object) -> str:
    text = repr(cell)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."
