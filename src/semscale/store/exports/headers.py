"""Header of an export: the names of its columns, their labels, and the rows that belong to it."""

import os.path
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from semscale.store.table import ColumnLabels, ColumnRole

Row = Sequence[object]
"""Cells of a row below the first one, as the file has them."""


@dataclass(frozen=True)
class SurveyHeader:
    """The header of a table.

    Attributes:
        columns: names of the columns.
        more: number of rows below the first one that belong to the header.
        labels: labels of the columns.
        notes: a sentence that names the survey tool; empty for a plain header.
        export: name of the survey tool; empty for a plain header.
    """

    columns: tuple[str, ...]
    more: int = 0
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    export: str = ""


def unique_names(names: Sequence[str]) -> list[str]:
    """Number names that occur again, as exports may repeat a question's text or the option "Other".

    Examples:
        >>> unique_names(["Why?", "Other", "Other"])
        ['Why?', 'Other', 'Other (2)']
    """
    counts: Counter[str] = Counter()
    unique = []
    for name in names:
        counts[name] += bool(name.strip())
        unique.append(name if counts[name] < 2 else f"{name} ({counts[name]})")
    return unique


def repeated_labels(names: Sequence[str], columns: Sequence[str]) -> dict[str, ColumnLabels]:
    """Label the columns that ``unique_names`` numbered by their names in the file.

    Examples:
        >>> repeated_labels(["Other", "Other"], ["Other", "Other (2)"])["Other (2)"].label
        'Other'
    """
    pairs = zip(names, columns, strict=True)
    return {column: ColumnLabels(label=name) for name, column in pairs if name != column}


def cell_texts(row: Row, width: int) -> list[str]:
    """Return the cells of a row as texts, filled up with empty ones."""
    cells = ["" if cell is None else str(cell).strip() for cell in row]
    return [*cells, *[""] * (width - len(cells))]


def system_roles(
    *, identifier: str = "", date: str = "", wave: str = "", ignore: str = ""
) -> dict[str, ColumnRole]:
    """Return what the columns are that a tool adds by itself, by their names in lower case.

    Args:
        identifier: names of columns with IDs, with ", " between them.
        date: names of columns with dates.
        wave: names of columns with the wave or event.
        ignore: names of other columns.

    Examples:
        >>> system_roles(identifier="id", date="start, end")
        {'id': 'identifier', 'start': 'date', 'end': 'date'}
    """
    listed: dict[ColumnRole, str] = {"identifier": identifier, "date": date, "wave": wave, "ignore": ignore}
    return {name: role for role, names in listed.items() for name in names.split(", ") if name}


def system_labels(names: Sequence[str], roles: Mapping[str, ColumnRole]) -> dict[str, ColumnLabels]:
    """Label the columns that a tool adds by itself, by their names without regard to case."""
    keys = {name: name.strip().casefold() for name in names}
    return {name: ColumnLabels(role=roles[key]) for name, key in keys.items() if key in roles}


def count_present(names: Sequence[str], signs: Sequence[str] | frozenset[str]) -> int:
    """Count the names of a tool's own columns that a table has, without regard to case."""
    present = {name.strip().casefold() for name in names}
    return len(present & set(signs))


def split_texts(texts: Sequence[str], sign: str) -> tuple[str, list[str]]:
    """Split texts such as "Which? - Tea" into the question, which all share, and the options.

    Args:
        texts: texts of the columns of a question, at least one.
        sign: what stands between the question and an option.

    Returns:
        The question and the options; the first text and empty options if the texts share no question.

    Examples:
        >>> split_texts(["Which? - Tea", "Which? - Coffee"], " - ")
        ('Which?', ['Tea', 'Coffee'])
        >>> split_texts(["Which? - Tea", "Which? -"], " - ")  # whose option has no text
        ('Which?', ['Tea', ''])
    """
    whole = [f"{text} " if text.endswith(sign.rstrip()) else text for text in texts]
    question, shared, _ = os.path.commonprefix(whole).rpartition(sign)
    if not shared:
        return texts[0], [""] * len(texts)
    return question, [text[len(question) + len(sign) :].strip() for text in whole]
