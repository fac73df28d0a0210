"""Items that a model is asked about, read from a table."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.drift.runs.output_cells import CellLocation
from semscale.drift.runs.run_columns import GROUP_OBJECTS, group_objects, input_text, names_in
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import named
from semscale.store.table import Table

_BATCH = 20_000
_INPUTS = ("input", "prompt")


@dataclass(frozen=True)
class PromptColumns:
    """The meaning of the columns of a table of items to ask about.

    Attributes:
        id: column of the items' ids.
        input: column of what is asked; ``input`` or else ``prompt`` unless given. With a template it may be
            missing.
        by: columns of groups, whose names are the groups' kinds.
        reference: column of an answer that is known to be right; ``None`` for no such column.
    """

    id: str = "id"
    input: str | None = None
    by: tuple[str, ...] = ()
    reference: str | None = None

    def found_in(self, table: Table, templates: Sequence[PromptTemplate] = ()) -> "PromptColumns":
        """Check that a table has the columns, and name the one of the input if it has one.

        Raises:
            InputError: a column is missing.
        """
        table.require(self.id, "id")
        for template in templates:
            template.check(table.columns, table.name)
        for kind in self.by:
            table.require(kind, "by")
        if self.reference is not None:
            table.require(self.reference, "reference")
        chosen = self.input or next((name for name in _INPUTS if name in table.columns), None)
        if chosen is None and not templates:
            table.require(_INPUTS[0], "input")
        if chosen is not None:
            table.require(chosen, "input")
        return PromptColumns(self.id, chosen, self.by, self.reference)


@dataclass(frozen=True)
class ItemToAsk:
    """An item of a dataset before a model has answered.

    Attributes:
        id: its name in every run.
        input: what is asked, without the words of a template, so that runs of two prompts can be compared.
        cells: the cells that templates read, as text by column, without missing ones.
        groups: names of its groups by their kind.
        reference: an answer that is known to be right; ``None`` without one.
        place: where it stands, for messages.
    """

    id: str
    input: str
    cells: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    place: str = ""

    @property
    def unanswered(self) -> Item:
        """The item of a run before anybody has answered."""
        return Item(self.id, (), self.input, self.groups, self.reference)

    def prompt(self, template: PromptTemplate | None = None) -> str:
        """Write what is sent: the input itself, or a template with the item's cells.

        Raises:
            InputError: a cell that the template reads is missing, or the prompt is blank.
        """
        if template is None:
            written = self.input
        else:
            missing = [name for name in template.columns if name not in self.cells]
            if missing:
                raise InputError(
                    f"{self.place}: column '{missing[0]}' is empty, and {template.name} reads it; fill it "
                    "in, or leave the row out"
                )
            written = template.fill(self.cells)
        if not written.strip():
            raise InputError(f"{self.place}: the prompt is empty; write one, or leave the row out")
        return written


def read_items_to_ask(
    table: Table, columns: PromptColumns, templates: Sequence[PromptTemplate] = ()
) -> tuple[ItemToAsk, ...]:
    """Read the items of a table, in its order.

    A table without a column of inputs has as an item's input its cells as JSON, without id, groups and
    reference.

    Args:
        table: one row for each item.
        columns: what they mean.
        templates: of the prompts; without one the inputs themselves are sent.

    Raises:
        InputError: a column or an id is missing, an id occurs twice, a cell is no text, or there is no row.
    """
    found = columns.found_in(table, templates)
    read = {name for template in templates for name in template.columns}
    items = tuple(_items(table, found, read))
    if not items:
        raise InputError(f"{table.name} has no rows: there is nothing to ask")
    twice = [name for name, n in Counter(item.id for item in items).items() if n > 1]
    if twice:
        raise InputError(f"{table.name}: ids must occur once, got {named(twice)} more than once")
    return items


def _items(table: Table, columns: PromptColumns, read: Collection[str]) -> Iterator[ItemToAsk]:
    before = 0
    for batch in table.batches(_BATCH):
        places = {title: CellLocation(table.name, before, title) for title in batch.columns}
        ids = names_in(batch, columns.id, places[columns.id])
        kinds = {kind: names_in(batch, kind, places[kind]) for kind in columns.by if kind in places}
        cells = {title: batch[title].to_list() for title in batch.columns}
        for at in range(batch.height):
            groups = {kind: name for kind, names in kinds.items() if (name := names[at]) is not None}
            row = _RowToAsk(table.name, before + at, {title: column[at] for title, column in cells.items()})
            yield _item(row, columns, ids[at], groups, read)
        before += batch.height


@dataclass(frozen=True)
class _RowToAsk:
    """A row of a table: the table's name, the row's number from 0, and its cells."""

    table: str
    number: int
    cells: Mapping[str, object]

    def location(self, title: str) -> CellLocation:
        return CellLocation(self.table, self.number, title)

    def text(self, title: str | None) -> str | None:
        return None if title is None else input_text(self.cells.get(title), self.location(title))


def _item(
    row: _RowToAsk, columns: PromptColumns, id_: str | None, groups: Mapping[str, str], read: Collection[str]
) -> ItemToAsk:
    if id_ is None or not id_.strip():
        raise row.location(columns.id).wrong("has no id", "give every item an id")
    own = {columns.id, columns.input, columns.reference, *columns.by}
    further: Mapping[str, str] = {}
    if GROUP_OBJECTS in row.cells and GROUP_OBJECTS not in own:
        further = group_objects(row.cells[GROUP_OBJECTS], row.location(GROUP_OBJECTS))
    if columns.input is not None:
        asked = row.text(columns.input) or ""
    else:
        shown = {title: cell for title, cell in row.cells.items() if title not in {*own, GROUP_OBJECTS}}
        asked = json.dumps(shown, ensure_ascii=False, sort_keys=True, default=str)
    cells = {title: text for title in read if (text := row.text(title)) is not None}
    place = f"{row.table}, data row {row.number + 1}"
    return ItemToAsk(id_.strip(), asked, cells, {**groups, **further}, row.text(columns.reference), place)
