"""Joins the tables of several instruments by item."""

from collections.abc import Mapping

import polars as pl

from semscale.errors import InputError


def join_by_item(tables: Mapping[str, pl.DataFrame], item: str = "item") -> pl.DataFrame:
    """Join tables by item; one that a table lacks has nulls there, and nothing is dropped.

    Args:
        tables: by name, each with a column of items in which every item stands once; the name is put before
            its other columns.
        item: that column.

    Returns:
        A row for each item, in the order in which they first appear.

    Raises:
        InputError: a table without the column, an item twice or missing, or types of items that differ.

    Example:
        >>> consistency = pl.DataFrame({"item": ["a", "b"], "score": [0.9, 0.2]})
        >>> panel = pl.DataFrame({"item": ["b", "c"], "median": [0.25, 1.0]})
        >>> join_by_item({"consistency": consistency, "panel": panel}).rows()
        [('a', 0.9, None), ('b', 0.2, 0.25), ('c', None, 1.0)]
    """
    if not tables:
        raise InputError("tables must name at least one table, got none")
    for name, table in tables.items():
        _check_items(name, table, item)
    kinds = {name: table.schema[item] for name, table in tables.items()}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise InputError(f"items must be of one type to be joined, got {listed}; cast them")
    joined = pl.concat([table.select(item) for table in tables.values()]).unique(maintain_order=True)
    for name, table in tables.items():
        named = table.rename({column: f"{name}_{column}" for column in table.columns if column != item})
        joined = joined.join(named, on=item, how="left", maintain_order="left")
    return joined


def _check_items(name: str, table: pl.DataFrame, item: str) -> None:
    if item not in table.columns:
        raise InputError(f"table {name!r} has no column {item!r}; columns: {', '.join(table.columns)}")
    if table[item].null_count():
        raise InputError(f"table {name!r} has {table[item].null_count()} rows without an item")
    double = table[item].filter(table[item].is_duplicated())
    if len(double):
        raise InputError(f"table {name!r} has item {double[0]!r} more than once")
