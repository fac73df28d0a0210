"""Columns that hold the answers to a question, found by the name that a user has for it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.stats.mass_names import MASS_PREFIX
from semscale.store.column_labels import ColumnLabels
from semscale.store.writing import PREFIX

_MEAN = "mean"
OWN_MEAN = f"{PREFIX}{_MEAN}"
"""Column of the mean ratings of the only text of a file."""

CODED = f"{PREFIX}outcome"
"""Column of what became of a coded text, whose codes are a question of several answers."""


@dataclass(frozen=True)
class QuestionColumns:
    """A question, and the columns that hold its answers.

    Attributes:
        name: as the user has it.
        columns: one, or those of a multiple choice.
        is_multiple: whether they are options of a multiple choice.
        are_mentions: whether each of them holds codes of one list, such as the first, second and third brand
            that came to mind.
    """

    name: str
    columns: tuple[str, ...]
    is_multiple: bool = False
    are_mentions: bool = False


def find_columns(name: str, columns: Sequence[str], labels: Mapping[str, ColumnLabels]) -> QuestionColumns:
    """Find the columns of a question that a user names.

    Args:
        name: a column; the short name of a question with several columns; a pattern of columns that are
            options of one question, such as ``brand_*``; ``Brands=brand_a,brand_b``;
            ``Mentions=first+second`` for columns with codes of one list; or ``semscale_outcome`` for the
            codes of ``semscale code``.
        columns: of the table.
        labels: what is known about them.

    Raises:
        UnknownNameError: nothing has that name; the message has the nearest ones.
        InputError: a list names a column twice.

    Example:
        >>> find_columns("brand_*", ["age", "brand_a", "brand_b"], {}).columns
        ('brand_a', 'brand_b')
    """
    if name == CODED and (codes := _code_columns(columns)):
        return QuestionColumns(name, codes, is_multiple=True)
    if name in columns:
        return QuestionColumns(name, (name,))
    together = tuple(
        column for column in columns if name and labels.get(column, ColumnLabels()).question == name
    )
    if together:
        are_mentions = all(labels[column].are_mentions for column in together)
        return QuestionColumns(name, together, is_multiple=True, are_mentions=are_mentions)
    if mass_columns(columns, name):
        return QuestionColumns(name, (name,))
    if "=" in name:
        return _listed_columns(name, columns)
    found = tuple(column for column in columns if fnmatchcase(column, name))
    if any(sign in name for sign in "*?[") and found:
        return QuestionColumns(name, found, is_multiple=True)
    questions = [one.question for one in labels.values() if one.question]
    raise unknown_name("question", name, list(dict.fromkeys([*columns, *questions])))


def _listed_columns(text: str, columns: Sequence[str]) -> QuestionColumns:
    """Read ``Brands=brand_a,brand_b`` or ``Mentions=first+second``."""
    title, _, listed = text.partition("=")
    are_mentions = "+" in listed and "," not in listed and listed.strip() not in columns
    options = tuple(option.strip() for option in listed.split("+" if are_mentions else ","))
    for option in options:
        if option not in columns:
            raise unknown_name("column", option, columns)
        if options.count(option) > 1:
            raise InputError(f"question: '{text}' names column '{option}' twice; name each column once")
    return QuestionColumns(title.strip(), options, is_multiple=True, are_mentions=are_mentions)


def needed_columns(asked: QuestionColumns, columns: Sequence[str]) -> list[str]:
    """Name the columns of a table that a question is read from."""
    given = [one for one in asked.columns if one in columns]
    if asked.is_multiple:
        return given
    masses = [*mass_columns(columns, asked.columns[0]).values(), *mass_columns(columns, OWN_MEAN).values()]
    return [*given, *(one for one in dict.fromkeys(masses) if one not in given)]


def mass_columns(columns: Collection[str], name: str) -> dict[float, str]:
    """Find the probabilities of points that ``semscale rate`` wrote for a text, by point.

    A text is named by its own column, or by that of its mean rating.
    """
    starts = [f"{PREFIX}{name}_{MASS_PREFIX}"]
    if name.startswith(PREFIX) and name.endswith(_MEAN):
        starts = [name.removesuffix(_MEAN) + MASS_PREFIX]
    for start in starts:
        ends = {column: column.removeprefix(start) for column in columns if column.startswith(start)}
        masses = {as_number(end): column for column, end in ends.items()}
        if len(masses) > 1 and not any(np.isnan(value) for value in masses):
            return masses
    return {}


def _code_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Find the decisions on codes that ``semscale code`` wrote, each with what it was made of beside it."""
    known = set(columns)
    made_of = ("p", "likeness")
    return tuple(
        one for one in columns if any(f"{one}_{kind}" in known for kind in made_of) and PREFIX in one
    )


def as_number(text: str) -> float:
    """Read a number; NaN where it is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
