"""Sheets of rows for people to label: columns and instructions."""

from collections.abc import Collection
from pathlib import Path

import polars as pl

from semscale.errors import InputError
from semscale.store.atomic import replacing
from semscale.types import Floats

HUMAN, INCLUSION = "human", "inclusion"
"""Columns of a sheet: a row's label, and the probability with which it was drawn."""


def check_label_columns(columns: Collection[str]) -> None:
    """Refuse a table that already has the columns of a sheet.

    Raises:
        InputError: the table has one of these columns.
    """
    for name in (HUMAN, INCLUSION):
        if name in columns:
            raise InputError(f"the input has a column {name!r}, which the labels need: rename it")


def with_label_columns(rows: pl.DataFrame, inclusion: Floats) -> pl.DataFrame:
    """Add the columns of a sheet to n rows; existing labels stay.

    Args:
        rows: the rows.
        inclusion: shape (n,), probability with which each row was drawn; NaN for rows not drawn.

    Examples:
        >>> import numpy as np
        >>> with_label_columns(pl.DataFrame({"text": ["so"]}), np.array([0.5])).row(0)
        ('so', None, 0.5)
    """
    labels = rows[HUMAN] if HUMAN in rows.columns else pl.Series(HUMAN, [None] * rows.height, pl.String)
    return rows.with_columns(labels, pl.Series(INCLUSION, inclusion, nan_to_null=True))


def instructions_path(out: Path) -> Path:
    """Return the path of a sheet's instructions, in the same folder.

    Examples:
        >>> instructions_path(Path("sheet.csv")).name
        'sheet-instructions.md'
    """
    return out.with_name(f"{out.stem}-instructions.md")


def write_beside(out: Path, instructions: str) -> Path:
    """Write instructions for people who label, as a Markdown file next to the sheet.

    Returns:
        The path of the instructions.
    """
    path = instructions_path(out)
    with replacing(path) as temporary:
        temporary.write_text(instructions, encoding="utf-8", newline="\n")
    return path
