"""Columns of a table of items, and conversion of its rows into items."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from semscale.drift.runs.output_cells import CellLocation, as_json, numbers_of, outputs_in, text_of
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import named
from semscale.store.columns import as_names, groups_in
from semscale.store.evaluation_logs import log_columns
from semscale.store.table import Table

_BATCH = 20_000
_ID, _INPUT, _OUTPUT = "id", "input", "output"
_LISTED = "outputs"
GROUP_OBJECTS = "groups"
"""Column whose objects name groups by their kind."""


@dataclass(frozen=True)
class RunColumns:
    """The meaning of a table's columns.

    If there is a column ``outputs`` and none called ``output``, it is used. Groups may then also come from
    objects in a column ``groups``, such as ``{"topic": "cells"}``, which may be JSON in a text. Of an
    evaluation log the columns of sample and prompt are read unless others are named, and rows of one sample
    are one item.

    Attributes:
        id: column of the items' ids.
        input: column of the model's input, a text or a list of messages; the default one may be missing.
        output: columns of the model's outputs: texts, lists of texts, or objects with a text.
        fields: numbers of each output: names of columns, or keys of objects; by default all keys of objects.
        by: columns of groups, whose names are the groups' kinds, or keys of objects in ``groups``.
        long: whether rows with the same id are outputs of one item.
        reference: column of an answer that is known to be right; ``None`` for no such column.

    Raises:
        InputError: there is no output column, or a column is named twice.
    """

    id: str = _ID
    input: str | None = _INPUT
    output: tuple[str, ...] = (_OUTPUT,)
    fields: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    long: bool = False
    reference: str | None = None

    def __post_init__(self) -> None:
        if not self.output:
            raise InputError("output must name at least one column, got none")
        single = [self.id, *self._texts, *self.output, *self.fields]
        double = [name for name, n in Counter(single).items() if n > 1]
        double += [name for name, n in Counter(self.by).items() if n > 1]
        if double:
            raise InputError(f"column '{double[0]}' is named for two things; name it once")

    def found_in(self, table: Table) -> "RunColumns":
        """Check that a table has the columns, and return those to read; fields may also be keys of objects.

        Raises:
            InputError: a column is missing; the message has the nearest name and all names.
        """
        chosen = self._of_log(table)
        if self.output == (_OUTPUT,) and _OUTPUT not in table.columns and _LISTED in table.columns:
            chosen = replace(chosen, output=(_LISTED,))
        if chosen.input == _INPUT and _INPUT not in table.columns:
            chosen = replace(chosen, input=None)
        _require(table, chosen.id, "id")
        for parameter, named_column in (("input", chosen.input), ("reference", chosen.reference)):
            if named_column is not None:
                _require(table, named_column, parameter)
        for column in chosen.output:
            _require(table, column, "output")
        for column in () if chosen.has_group_objects else chosen.by:
            _require(table, column, "by")
        return chosen

    def _of_log(self, table: Table) -> "RunColumns":
        """Put a log's columns in the place of those that have their usual names."""
        log = log_columns(table)
        if log is None:
            return self
        own = {self.id, *self._texts, *self.output, *self.fields}
        id_ = log.id if self.id == _ID and log.id not in own else self.id
        asked = log.input if self.input == _INPUT and log.input not in own else self.input
        return replace(self, id=id_, input=asked, long=True)

    @property
    def used(self) -> set[str]:
        """Names of the columns that are read if a table has them."""
        titles = {self.id, *self._texts, *self.output, *self.fields, *self.by}
        return titles | ({GROUP_OBJECTS} if self.has_group_objects else set())

    @property
    def _texts(self) -> tuple[str, ...]:
        """Columns of one text for each item, as far as they are named."""
        return tuple(name for name in (self.input, self.reference) if name is not None)

    @property
    def has_group_objects(self) -> bool:
        """Whether groups come from objects in a column ``groups``."""
        return self.output == (_LISTED,) and GROUP_OBJECTS not in (
            self.id,
            *self._texts,
            *self.fields,
            *self.by,
        )


def _require(table: Table, column: str, parameter: str) -> None:
    """Check that a column exists; the error says how to name another one."""
    try:
        table.require(column, parameter)
    except UnknownNameError as error:
        option = f"--{parameter} {'NAME' if parameter == 'field' else 'COLUMN'}"
        raise UnknownNameError(f"{error}; name another one with {option}") from None


@dataclass(frozen=True)
class _NumberedItem:
    number: int
    item: Item


def items_in(table: Table, columns: RunColumns) -> tuple[Item, ...]:
    """Convert a table's rows into items, in the order of the file.

    Raises:
        InputError: a column or an id is missing, an id occurs in two rows, or a cell is invalid; the message
            names file and row.
    """
    chosen = columns.found_in(table)
    rows: dict[str, list[_NumberedItem]] = {}
    for row in _rows(table, chosen):
        rows.setdefault(row.item.id, []).append(row)
    _check_keys(table, chosen, rows)
    if chosen.long:
        return tuple(_joined(same, table) for same in rows.values())
    twice = {id_: same for id_, same in rows.items() if len(same) > 1}
    if twice:
        first = next(iter(twice.values()))
        said = (
            f"{table.name}: ids must occur once, got {named(twice)} more than once, {first[0].item.id!r} in "
            f"data rows {first[0].number} and {first[1].number}; where each row is one output,"
        )
        raise InputError(f"{said} set RunColumns(long=True)", in_shell=f"{said} give --long")
    return tuple(same[0].item for same in rows.values())


def _rows(table: Table, columns: RunColumns) -> Iterator[_NumberedItem]:
    before = 0
    used = columns.used
    for batch in table.batches_with(used & set(table.columns), _BATCH):
        cells = {title: batch[title].to_list() for title in batch.columns if title in used}
        ids, *kinds = (
            names_in(batch, title, CellLocation(table.name, before, title))
            for title in (columns.id, *columns.by)
        )
        for at in range(batch.height):
            here = {title: column[at] for title, column in cells.items()}
            names = zip(columns.by, (column[at] for column in kinds), strict=True)
            groups = {kind: name for kind, name in names if name is not None}
            yield _row(table, columns, before + at, (ids[at], here, groups))
        before += batch.height


def _row(
    table: Table, columns: RunColumns, row: int, found: tuple[str | None, Mapping[str, Any], dict[str, str]]
) -> _NumberedItem:
    id_, cells, groups = found
    if id_ is None or not id_.strip():
        raise CellLocation(table.name, row, columns.id).wrong("has no id", "give every item an id")
    if columns.has_group_objects:
        groups |= group_objects(cells.get(GROUP_OBJECTS), CellLocation(table.name, row, GROUP_OBJECTS))
    asked, right = (
        None if name is None else input_text(cells.get(name), CellLocation(table.name, row, name))
        for name in (columns.input, columns.reference)
    )
    outputs = _outputs(table, columns, row, cells)
    return _NumberedItem(row + 1, Item(id_.strip(), outputs, asked, groups, right))


def _outputs(table: Table, columns: RunColumns, row: int, cells: Mapping[str, Any]) -> tuple[Output, ...]:
    outputs = [
        output
        for column in columns.output
        for output in outputs_in(cells.get(column), CellLocation(table.name, row, column), columns.fields)
    ]
    for field in columns.fields:
        if field in table.columns:
            numbers = numbers_of(cells.get(field), len(outputs), CellLocation(table.name, row, field))
            outputs = [
                output if number is None else replace(output, fields={**output.fields, field: number})
                for output, number in zip(outputs, numbers, strict=True)
            ]
    return tuple(outputs)


def input_text(cell: object, place: CellLocation) -> str | None:
    """Read a cell with a text; a list of messages or an object becomes JSON, a null ``None``.

    Raises:
        InputError: the cell has another type.
    """
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True, default=str)
    return text_of(cell, place)


def group_objects(cell: object, place: CellLocation) -> dict[str, str]:
    """Read a cell of the column ``groups``: an object, or such an object as JSON.

    Raises:
        InputError: the cell holds something else.
    """
    found = as_json(cell) if isinstance(cell, str) else cell
    if cell is None or cell == "":
        return {}
    if not isinstance(found, Mapping):
        raise place.wrong(
            f'must hold objects such as {{"topic": "cells"}}, got {cell!r:.40}',
            "write one, or name columns of groups (--by)",
        )
    names = ((str(kind), text_of(name, place)) for kind, name in found.items())
    return {kind: name for kind, name in names if name is not None}


def names_in(batch: pl.DataFrame, title: str, place: CellLocation) -> list[str | None]:
    """Read a column of names, of ids or groups; ``None`` where there is none or no such column.

    Cells of a column with several types are read one by one, so that 8.0 becomes "8" there, too.

    Raises:
        InputError: a cell is no text and no number.
    """
    if title not in batch.columns:
        return [None] * batch.height
    if batch[title].dtype == pl.Object:
        return [text_of(cell, replace(place, row=place.row + at)) for at, cell in enumerate(batch[title])]
    return as_names(groups_in(batch[title]), title)


def _check_keys(table: Table, columns: RunColumns, rows: Mapping[str, list[_NumberedItem]]) -> None:
    """Check that fields and groups that are no columns are keys of at least one object."""
    items = [row.item for same in rows.values() for row in same]
    fields = {name for item in items for output in item.outputs for name in output.fields}
    kinds = {kind for item in items for kind in item.groups}
    for parameter, names, known in (("field", columns.fields, fields), ("by", columns.by, kinds)):
        for name in names:
            if name not in known:
                _require(table, name, parameter)


def _joined(rows: list[_NumberedItem], table: Table) -> Item:
    """Join the rows of one item; input, reference and groups may be empty in all rows but one."""
    first = rows[0].item
    asked, right, groups = first.input, first.reference, dict(first.groups)
    for row in rows[1:]:
        for what, before, here in (
            ("input", asked, row.item.input),
            ("reference", right, row.item.reference),
            *((f"'{kind}'", groups.get(kind), name) for kind, name in row.item.groups.items()),
        ):
            if None not in (before, here) and before != here:
                raise InputError(
                    f"{table.name}, data row {row.number}: another {what} for id {first.id!r} than in "
                    f"data row {rows[0].number}; rows of one item must have the same"
                )
        asked = row.item.input if asked is None else asked
        right = row.item.reference if right is None else right
        groups |= row.item.groups
    outputs = tuple(output for row in rows for output in row.item.outputs)
    return Item(first.id, outputs, asked, groups, right)
