"""Exports of LimeSurvey: codes such as ``Q1[SQ001]`` in the header, with or without the questions' texts."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from semscale.store.column_labels import ColumnLabels

_OWN = frozenset({"submitdate", "lastpage", "startlanguage", "date submitted", "last page", "start language"})
_FEWEST = 2
_CODED = re.compile(r"(?P<code>\w+)(?:\[(?P<part>\w+)\])?(?:\.\s+(?P<text>.+))?", re.DOTALL)
_ANSWER = re.compile(r"(?P<question>.*\S)\s*\[(?P<option>[^\[\]]+)\]\s*", re.DOTALL)
_OTHER = {"-oth-": "other"}


def is_limesurvey(names: Sequence[str]) -> bool:
    """Tell an export by LimeSurvey's own columns, in any of the three forms of its header.

    Example:
        >>> is_limesurvey(["id", "submitdate", "lastpage", "Q1", "Q2[SQ001]"])
        True
    """
    own = [name for name in names if {part.strip().casefold() for part in name.split(".", 1)} & _OWN]
    return len(own) >= _FEWEST


def limesurvey_columns(names: Sequence[str]) -> tuple[list[str], dict[str, ColumnLabels]]:
    """Name the columns by their codes, where there are codes, and say which belong to one question.

    Args:
        names: the header: codes, codes with texts, or texts.

    Returns:
        The names, and what each column stands for. Texts alone stay as they are.

    Example:
        >>> names, labels = limesurvey_columns(["Q1[A]. Which? [Tea]", "Q1[B]. Which? [Coffee]"])
        >>> names, labels["Q1[A]"].question, labels["Q1[A]"].option
        (['Q1[A]', 'Q1[B]'], 'Q1', 'Tea')
    """
    read = [_read(name) for name in names]
    columns = [name for name, _ in read]
    if len(set(columns)) < len(columns):
        columns = list(names)
    sizes = Counter(labels.question for _, labels in read if labels.question)
    with_other = {labels.question for name, labels in read if name.endswith("[other]")}
    found: dict[str, ColumnLabels] = {}
    for column, (_, labels) in zip(columns, read, strict=True):
        is_shared = sizes[labels.question] > 1 or labels.question in with_other
        found[column] = labels if is_shared else replace(labels, question="")
        if column in with_other:
            found[column] = replace(found[column], question=column, values=_OTHER)
    return columns, {column: labels for column, labels in found.items() if labels != ColumnLabels()}


def _read(name: str) -> tuple[str, ColumnLabels]:
    """Read one cell of the header: the column's name, and what it stands for."""
    coded = _CODED.fullmatch(name.strip())
    if coded is None:
        asked = _ANSWER.fullmatch(name)
        if asked is None:
            return name, ColumnLabels()
        return name, ColumnLabels(name, asked["question"], asked["option"])
    code, part, text = coded["code"], coded["part"], (coded["text"] or "").strip()
    if part is None:
        return code, ColumnLabels(label=text)
    asked = _ANSWER.fullmatch(text)
    option = asked["option"] if asked else part
    return f"{code}[{part}]", ColumnLabels(asked["question"] if asked else text, code, option)
