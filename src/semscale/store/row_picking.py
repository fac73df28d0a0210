"""Reading of some rows of a table, in their order."""

from collections.abc import Collection, Iterator

import numpy as np
import polars as pl

from semscale.store.table import Table
from semscale.types import Integers

_BATCH = 50_000


def picked_rows(
    table: Table, rows: Integers, titles: Collection[str] = ()
) -> Iterator[tuple[pl.DataFrame, Integers]]:
    """Read some rows, batch by batch, from the first of them to the last.

    Args:
        table: the input.
        rows: shape (m,), places in the file, from 0, ascending.
        titles: columns that are needed; all of them unless given.

    Yields:
        Frames of the rows, none of them empty, each with the places of its rows.

    Raises:
        InputError: a row cannot be read; the message has its line.
    """
    if not len(rows):
        return
    first = 0 if titles else int(rows[0])
    batches = table.batches_with(titles, _BATCH) if titles else table.batches(_BATCH, first)
    for batch in batches:
        here = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + batch.height)]
        if len(here):
            yield batch[(here - first).tolist()], here
        first += batch.height
        if rows[-1] < first:
            return
