"""Reading of what is to be asked: a table of items, or a template with such a table."""

from dataclasses import dataclass
from pathlib import Path

from semscale.cli.drift.options import RunColumnOptions, SourceOptions
from semscale.cli.options.table import TableOptions
from semscale.drift.asking.items_to_ask import ItemToAsk, PromptColumns, read_items_to_ask
from semscale.drift.asking.prompt_template import PromptTemplate, is_template, read_template
from semscale.errors import InputError
from semscale.history.items import Item


@dataclass(frozen=True)
class AskedTable:
    """Items with their prompts.

    Attributes:
        items: in the table's order.
        prompts: one for each item.
        dataset: name of the dataset unless another is given: the table's, without its ending.
        source: where the prompts are from, in words.
    """

    items: tuple[ItemToAsk, ...]
    prompts: tuple[str, ...]
    dataset: str
    source: str

    @property
    def empty_items(self) -> tuple[Item, ...]:
        """The items of a run before anybody has answered."""
        return tuple(item.unanswered for item in self.items)


def read_asked_table(
    prompts: str | None, items: str | None, source: SourceOptions, table: TableOptions
) -> AskedTable:
    """Read items and their prompts.

    Args:
        prompts: a table of items, or a template.
        items: the table of a template.
        source: names of columns.
        table: how a table is read.

    Raises:
        InputError: a file cannot be read, or a template has no table, or a table of prompts has a second one.
    """
    template, file = template_and_table(str(prompts), items)
    templates = [] if template is None else [template]
    read = read_items_to_ask(table.open(file), prompt_columns(source.columns), templates)
    filled = tuple(item.prompt(template) for item in read)
    name = Path(file).name
    where = name if template is None else f"{template.name} #{template.content_hash}"
    return AskedTable(read, filled, Path(file).stem, where)


def template_and_table(prompts: str, items: str | None) -> tuple[PromptTemplate | None, str]:
    """Tell a template from a table by its ending.

    Raises:
        InputError: a template without a table, or a table beside another one.
    """
    if is_template(prompts):
        if items is None:
            raise InputError(f"--prompts {prompts} is a template: name the table that fills it with --items")
        return read_template(prompts), items
    if items is not None:
        raise InputError(
            f"--items belongs to a template (.txt or .md), and --prompts {prompts} is a table: leave one out"
        )
    return None, prompts


def prompt_columns(options: RunColumnOptions) -> PromptColumns:
    """Name the columns as ``read_items_to_ask`` takes them."""
    return PromptColumns(options.id or "id", options.input, tuple(options.by or ()), options.reference)
