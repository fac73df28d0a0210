"""Headers of survey tools: which rows belong to the header, what columns are called and stand for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.store.readers.limesurvey import is_limesurvey, limesurvey_columns
from semscale.store.readers.qualtrics import header_rows, warn_of_header_rows
from semscale.store.readers.surveymonkey import is_surveymonkey, surveymonkey_columns
from semscale.store.table import check_names

HeaderKind = Literal["auto", "plain", "qualtrics", "surveymonkey", "limesurvey"]
"""Whose header a table has; ``auto`` looks at it, ``plain`` is one row of names."""

_QUESTION = re.compile(r'"ImportId"\s*:\s*"(?P<question>QID\d+)')
_SWITCH = "--header plain reads the file as it is"


@dataclass(frozen=True)
class SurveyHeader:
    """The header of a table.

    Attributes:
        columns: names of the columns.
        more: rows below the first one that belong to the header.
        labels: what columns stand for.
        notes: whose header it is, in a sentence, unless it is a plain one.
    """

    columns: tuple[str, ...]
    more: int = 0
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def survey_header(
    names: Sequence[str], rows: Sequence[Sequence[object]], name: str, kind: HeaderKind = "auto"
) -> SurveyHeader:
    """Read the header of a table.

    Args:
        names: the first row, as it is.
        rows: the two rows below it, as far as there are any.
        name: the file's name in messages.
        kind: whose header it is.

    Raises:
        InputError: a column occurs twice, or the header is not that of the tool that was named.
    """
    if kind in {"auto", "surveymonkey"} and is_surveymonkey(names, rows):
        found, labels = surveymonkey_columns(names, rows[0])
        note = f"{name} is an export of SurveyMonkey: its second row belongs to the header; {_SWITCH}"
        return SurveyHeader(check_names(found, name), 1, labels, (note,))
    if kind in {"auto", "limesurvey"} and is_limesurvey(names):
        found, labels = limesurvey_columns(names)
        n = len({one.question for one in labels.values() if one.question})
        note = f"{name} is an export of LimeSurvey; questions with several columns: {n}; {_SWITCH}"
        return SurveyHeader(check_names(found, name), 0, labels, (note,))
    columns = check_names(list(names), name)
    if kind in {"auto", "qualtrics"} and (more := header_rows(columns, rows)):
        warn_of_header_rows(name, more)
        return SurveyHeader(columns, more, _qualtrics_labels(columns, rows[:more]))
    if kind not in {"auto", "plain"}:
        raise InputError(
            f"header: {name} has no header of {kind}, by the names of its columns and the rows below them; "
            "leave --header out, or say plain"
        )
    return SurveyHeader(columns)


def header_setting(kind: HeaderKind) -> tuple[str, ...]:
    """Name the kind of header among a table's settings, unless the table itself says it."""
    return () if kind == "auto" else (f"header {kind}",)


def _qualtrics_labels(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, ColumnLabels]:
    """Take texts of questions from the first of the rows, and from its ids which columns are one question."""
    ids = ["" if cell is None else str(cell) for cell in rows[-1]]
    found = [_QUESTION.search(one) for one in ids]
    questions = [one["question"] if one else "" for one in found]
    has_texts = not any('"ImportId"' in str(cell) for cell in rows[0])
    labels = {}
    for place, column in enumerate(columns):
        question = questions[place] if place < len(questions) else ""
        text = str(rows[0][place] or "") if has_texts and place < len(rows[0]) else ""
        shared = question if questions.count(question) > 1 else ""
        asked, dash, option = text.rpartition(" - ") if shared else ("", "", "")
        labels[column] = ColumnLabels(label=asked if dash else text, question=shared, option=option)
    return {column: one for column, one in labels.items() if one != ColumnLabels()}
