"""Rows of a survey's table that are no respondents, such as previews."""

from dataclasses import replace

from semscale.store.exports.unfinished import unfinished_notes, with_unfinished_counted
from semscale.store.expressions import filter_table
from semscale.store.table import Table
from semscale.survey.description import Survey


def leave_out_rows(table: Table, survey: Survey | None) -> Table:
    """Return a table without the rows that the description leaves out; notes count them.

    Args:
        table: the table, with notes on rows that are no finished interviews.
        survey: its description, if there is one.

    Raises:
        InputError: no row is left.
    """
    stated = {} if survey is None else {c: v for c, v in survey.leave_out.items() if table.has(c) and v}
    if not stated:
        return table
    conditions = []
    for column, values in stated.items():
        name, texts = _quoted(column, '"'), ", ".join(map(_quoted, values))
        conditions.append(f"({name} IS NULL OR {name} NOT IN ({texts}))")
    named = "; ".join(f"{column} is {' or '.join(values)}" for column, values in stated.items())
    outdated = set(unfinished_notes(table))
    noted = replace(table, notes=tuple(note for note in table.notes if note not in outdated))
    left = filter_table(noted, " AND ".join(conditions), reason=f"{named} (leave_out of the description)")
    return with_unfinished_counted(left)


def _quoted(text: str, sign: str = "'") -> str:
    """Write a name or a text for SQL."""
    return f"{sign}{text.replace(sign, sign + sign)}{sign}"
