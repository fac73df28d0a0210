"""Labels of a column's values, as SPSS keeps them, in a column of their own."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from semscale.store.columns import groups_in


@dataclass(frozen=True)
class ValueLabels:
    """Words for the values of a column; a value without words keeps its own name.

    Attributes:
        column: the values.
        labels: words for each value, by its name.
    """

    column: str
    labels: Mapping[str, str]
    parameter = "by"
    outside = "has no label"

    @property
    def title(self) -> str:
        """Name of the new column."""
        return f"{self.column}_label"

    def of(self, cells: pl.Series) -> pl.Series:
        """Give the label of each cell.

        Example:
            >>> ValueLabels("sex", {"1": "female"}).of(pl.Series([1.0, 3.0, None])).to_list()
            ['female', '3', None]
        """
        return groups_in(cells).replace(dict(self.labels)).alias(self.title)
