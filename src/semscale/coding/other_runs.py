"""Decisions of another run on the same answers, read in step with this run."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.codebook import Codebook
from semscale.errors import InputError
from semscale.store.columns import column_in
from semscale.store.table import Table
from semscale.store.writing import PREFIX, formula_safe
from semscale.types import Floats, Mask

_BATCH = 50_000


class OtherRun:
    """Reads the decisions of another run from the table that it wrote, some rows at a time.

    Args:
        table: what the other run wrote.
        codebook: k codes.
        column: of the answers.
        name: the table's name in messages.

    Raises:
        InputError: the table has none of the codes.
    """

    def __init__(self, table: Table, codebook: Codebook, column: str, name: str) -> None:
        self._codes = [f"{PREFIX}{code}" for code in codebook.names]
        self._there = [code in table.columns for code in self._codes]
        if not any(self._there):
            raise InputError(
                f"other_run: {name} has no column {self._codes[0]} and no other code: give the table that "
                "`code --out` wrote"
            )
        self._column, self.name = column, name
        self._batches: Iterator[pl.DataFrame] = table.batches(_BATCH)
        self._waiting: list[pl.DataFrame] = []

    def take(self, texts: Sequence[Any], no_text: Mask) -> Floats:
        """Read the decisions about the next answers.

        Args:
            texts: n answers of this run.
            no_text: shape (n,), where a cell was no text, such as a number, so that it is not compared.

        Returns:
            Shape (n, k), 1, 0 or NaN; NaN throughout for a code that the other run did not have.

        Raises:
            InputError: the other run had other answers.
        """
        read = self._read(len(texts))
        written = [cell for frame in read for cell in column_in(frame, self._column).to_list()]
        if len(written) == len(texts):
            written = [None if skipped else cell for cell, skipped in zip(written, no_text, strict=True)]
        if not _same_texts(written, texts):
            raise self._differs()
        found: Floats = np.full((len(texts), len(self._codes)), np.nan)
        for place, code in enumerate(self._codes):
            if self._there[place]:
                cells = [column_in(frame, code).cast(pl.Float64, strict=False) for frame in read]
                found[:, place] = np.concatenate([some.fill_null(np.nan).to_numpy() for some in cells])
        return found

    def check_ended(self) -> None:
        """Refuse a table with more answers than this run has.

        Raises:
            InputError: there are answers left.
        """
        if self._waiting or any(batch.height for batch in self._batches):
            raise self._differs()

    def _read(self, n: int) -> list[pl.DataFrame]:
        """Take the next n rows, or those that are left."""
        found: list[pl.DataFrame] = []
        while n:
            frame = self._waiting.pop() if self._waiting else next(self._batches, None)
            if frame is None:
                break
            found.append(frame[:n])
            if frame.height > n:
                self._waiting.append(frame[n:])
            n -= found[-1].height
        return found

    def _differs(self) -> InputError:
        return InputError(
            f"other_run: {self.name} must have the same answers in the same order in its column "
            f"'{self._column}'"
        )


def _same_texts(written: Sequence[Any], texts: Sequence[Any]) -> bool:
    """Compare answers with those of a table; CSV has an apostrophe before what a spreadsheet would run."""
    given = [None if text is None else str(text) for text in texts]
    safe = formula_safe(pl.DataFrame({"text": given}, schema={"text": pl.String}))["text"].to_list()
    found = [None if text is None else str(text) for text in written]
    return len(found) == len(given) and all(map(_is_either, found, given, safe))


def _is_either(found: str | None, given: str | None, safe: str | None) -> bool:
    return (found or "") in (given or "", safe or "")
