"""Columns that look like names of people who have several rows, where nobody said which column it is."""

from collections.abc import Collection

import numpy as np
import polars as pl

from semscale.store.columns import column_in, groups_in
from semscale.types import Integers

_ROWS_PER_NAME = 1.5


def shared_name(rows: pl.DataFrame, used: Collection[str], concept: Integers) -> str | None:
    """Find a column that looks like names of people with a row for each of several concepts.

    Its cells are filled, no two rows about one concept share one, and there are 1.5 rows or more for each
    name.

    Args:
        rows: of people.
        used: columns that hold something else.
        concept: shape (n,), number of each row's concept; below 0 where the row does not count.

    Returns:
        The first such column; ``None`` where there is none.
    """
    asked = np.flatnonzero(concept >= 0)
    for column in rows.columns:
        if column in used:
            continue
        names = groups_in(column_in(rows, column)).to_list()
        there = [(names[row], int(concept[row])) for row in asked]
        people = {name for name, _ in there}
        if None not in people and len(set(there)) == len(there) >= _ROWS_PER_NAME * len(people):
            return column
    return None
