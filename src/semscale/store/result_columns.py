"""Names of the columns that a run adds to a table, and checks that the output can be written."""

from collections.abc import Iterable

from semscale.errors import InputError
from semscale.store.places.output_places import OutputPlace, Target, check_target
from semscale.store.table import Table
from semscale.store.workbook import check_rows
from semscale.store.writing import PREFIX, output_format


def check_free(columns: Iterable[str], name: str) -> None:
    """Check that a table has no column with a name of the result.

    Raises:
        InputError: it has one; the message names it.

    Example:
        >>> check_free(["id", "text"], "answers.csv")
    """
    taken = [column for column in columns if column.startswith(PREFIX)]
    if taken:
        raise InputError(
            f"{name} has a column '{taken[0]}', but names with {PREFIX} belong to the result; rename it"
        )


def check_output(table: Table, out: Target) -> None:
    """Check, before any work is done, that a result with as many rows as a table can be written.

    Raises:
        InputError: the extension is unknown, the file cannot be written or is the input, or there are more
            rows than Excel can hold.
    """
    name = output_format(out)
    check_target(out, "out")
    if is_same(table, out):
        raise InputError(f"out must not be the input, got {out}; choose another name")
    if name == "xlsx" and table.n_rows is not None:
        check_rows(table.n_rows)


def is_same(table: Table, out: Target) -> bool:
    """Tell whether an output is the table itself."""
    if isinstance(out, OutputPlace):
        return table.name.rstrip("/") == str(out).rstrip("/")
    return table.path is not None and out.exists() and out.samefile(table.path)
