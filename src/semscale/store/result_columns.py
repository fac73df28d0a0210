"""The columns that a run adds to a table: how they are called, and that no input has them already."""

from collections.abc import Iterable
from pathlib import Path

from semscale.errors import InputError
from semscale.store.atomic import check_writable
from semscale.store.table import Table
from semscale.store.workbook import check_rows
from semscale.store.writing import output_format

PREFIX = "semscale_"
"""Stands before the name of every column that a run adds."""


def check_free(columns: Iterable[str], name: str) -> None:
    """Refuse a table that has a column of the result's already.

    Raises:
        InputError: the column is named.

    Example:
        >>> check_free(["id", "text"], "answers.csv")
    """
    taken = [column for column in columns if column.startswith(PREFIX)]
    if taken:
        raise InputError(
            f"{name} has a column '{taken[0]}', but {PREFIX}... are names of the result; rename it"
        )


def check_output(table: Table, out: Path) -> None:
    """Check, before any work is done, that a result with the rows of a table can be written.

    Raises:
        InputError: another extension, a file that cannot be written or is the input, more rows than Excel
            holds.
    """
    name = output_format(out)
    check_writable(out, "out")
    if out.exists() and out.samefile(table.path):
        raise InputError(f"out must not be the input, got {out}; choose another name")
    if name == "xlsx" and table.n_rows is not None:
        check_rows(table.n_rows)
