"""Rows of a survey's table that count, and columns that its description derives."""

from collections.abc import Iterable
from dataclasses import replace

from semscale.store.exports.unfinished import unfinished_notes, with_unfinished_counted
from semscale.store.expressions import filter_table, with_derived
from semscale.store.table import Table
from semscale.survey.description import Survey
from semscale.survey.finding import codes_by_column


def derive_columns(table: Table, survey: Survey | None) -> Table:
    """Return a table with the columns that the description derives, unless it has them by this description.

    Raises:
        InputError: an expression is invalid, or the file has a column of that name.
    """
    derived = {} if survey is None else survey.derive
    new = [f"{name}={text}" for name, text in derived.items()]
    new = [entry for entry in new if f"derive {entry}" not in table.settings]
    return with_derived(table, new, codes_by_column(table, survey))


def leave_out_rows(table: Table, survey: Survey | None) -> Table:
    """Return a table with the description's columns, without the rows that it leaves out; notes count them.

    Args:
        table: the table, with notes on rows that are no finished interviews.
        survey: its description, if there is one.

    Raises:
        InputError: no row is left, or a derived column or the condition is invalid.
    """
    table = derive_columns(table, survey)
    if survey is None:
        return table
    left = _without_previews(table, survey)
    if survey.where and f"where {survey.where}" not in table.settings:
        left = filter_table(left, survey.where, codes=codes_by_column(table, survey))
    return table if left is table else _count_again(table, left)


def keep_rows(table: Table, where: str | None) -> Table:
    """Return a table with the rows that meet a condition; notes count them.

    Args:
        table: the table, with notes on rows that are no finished interviews.
        where: SQL condition; ``None`` for all rows.

    Raises:
        InputError: no row is left, or the condition is invalid.
    """
    return table if where is None else _count_again(table, filter_table(table, where))


def _count_again(table: Table, left: Table) -> Table:
    """Return the rows that are left with notes on those that are no finished interviews."""
    outdated = set(unfinished_notes(table))
    notes = tuple(note for note in left.notes if note not in outdated)
    return with_unfinished_counted(replace(left, notes=notes))


def _without_previews(table: Table, survey: Survey) -> Table:
    stated = {c: v for c, v in survey.leave_out.items() if table.has(c) and v}
    if not stated:
        return table
    conditions = [f"({is_none_of(quoted_name(column), values)})" for column, values in stated.items()]
    named = "; ".join(f"{column} is {' or '.join(values)}" for column, values in stated.items())
    return filter_table(table, " AND ".join(conditions), reason=f"{named}, which the description leaves out")


def is_none_of(name: str, values: Iterable[str]) -> str:
    """Write the SQL condition that a cell is empty or none of some texts.

    Args:
        name: the column as SQL names it.
        values: the texts.
    """
    return f"{name} IS NULL OR {name} NOT IN ({listed_texts(values)})"


def quoted_name(column: str) -> str:
    """Write the name of a column for SQL."""
    return _quoted(column, '"')


def listed_texts(values: Iterable[str]) -> str:
    """Write texts for SQL, between commas."""
    return ", ".join(_quoted(value, "'") for value in values)


def _quoted(text: str, sign: str) -> str:
    return f"{sign}{text.replace(sign, sign + sign)}{sign}"
