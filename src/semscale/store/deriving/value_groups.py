"""Groups of a column's values, such as regions that belong to the north."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import polars as pl

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.store.columns import groups_in

_FORM = "write COLUMN=NAME:VALUE,VALUE;NAME:VALUE, such as country=north:DK,SE;south:IT"


@dataclass(frozen=True)
class ValueGroups:
    """Names of groups for the values of a column.

    Attributes:
        column: the values.
        names: the group of each value, or of its label.
    """

    column: str
    names: Mapping[str, str]
    parameter = "group"
    outside = "is in no group"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read groups as an option has them.

        Raises:
            InputError: it has another form, or has one value in two groups.

        Example:
            >>> ValueGroups.read("country=north:DK,SE;south:IT").names
            {'DK': 'north', 'SE': 'north', 'IT': 'south'}
        """
        column, equals, listed = text.partition("=")
        names: dict[str, str] = {}
        for part in listed.split(";"):
            name, colon, values = (piece.strip() for piece in part.partition(":"))
            if not (column.strip() and equals and colon and name and values):
                raise InputError(f"group: {shortened(text)} cannot be read; {_FORM}")
            for value in (value.strip() for value in values.split(",")):
                if names.setdefault(value, name) != name:
                    raise InputError(f"group: the value '{value}' is in two groups; leave it in one")
        return cls(column.strip(), names)

    def by_value(self, labels: Mapping[str, str]) -> Self:
        """Name values by themselves where groups were written with their labels.

        Raises:
            InputError: a value is in one group by itself, and in another by its label.

        Example:
            >>> ValueGroups("land", {"Denmark": "north"}).by_value({"1": "Denmark"}).names
            {'1': 'north'}
        """
        values = {label: value for value, label in labels.items()}
        names: dict[str, str] = {}
        for given, name in self.names.items():
            value = given if given in labels else values.get(given, given)
            if names.setdefault(value, name) != name:
                raise InputError(
                    f"group: the value '{value}' ('{labels[value]}') is in two groups; leave it in one"
                )
        return replace(self, names=names)

    @property
    def title(self) -> str:
        """Name of the new column."""
        return f"{self.column}_group"

    def of(self, cells: pl.Series) -> pl.Series:
        """Name the group of each cell; null where it is in none.

        Example:
            >>> ValueGroups("wave", {"1": "first"}).of(pl.Series([1.0, 2.0, None])).to_list()
            ['first', None, None]
        """
        found = groups_in(cells).str.strip_chars()
        return found.replace_strict(dict(self.names), default=None, return_dtype=pl.String).alias(self.title)
