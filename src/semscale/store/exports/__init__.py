"""Exports of survey tools: the tool is recognised by its header, which labels the columns.

Each tool or family of tools has a module; its ``read_header`` returns ``None`` for files of others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from semscale.errors import InputError
from semscale.html_texts import plain_label
from semscale.spelling import hint
from semscale.store.exports import (
    alchemer,
    forms,
    kobo,
    limesurvey,
    qualtrics,
    redcap,
    sosci,
    surveymonkey,
    two_rows,
)
from semscale.store.exports.headers import Row, SurveyHeader
from semscale.store.format_names import HeaderKind
from semscale.store.table import ColumnLabels, check_names

_READERS: Mapping[HeaderKind, Callable[[Sequence[str], Sequence[Row]], SurveyHeader | None]] = {
    "surveymonkey": surveymonkey.read_header,
    "limesurvey": limesurvey.read_header,
    "qualtrics": qualtrics.read_header,
    "sosci": sosci.read_header,
    "redcap": redcap.read_header,
    "kobo": kobo.read_header,
    "alchemer": alchemer.read_header,
    "typeform": forms.read_typeform_header,
    "microsoft-forms": forms.read_microsoft_header,
    "google-forms": forms.read_google_header,
}
"""Readers of the tools' headers; the tool with the weakest sign is the last."""

_SWITCH = "`header='plain'` reads the file as it is"


def survey_header(
    names: Sequence[str], rows: Sequence[Row], name: str, kind: HeaderKind = "auto"
) -> SurveyHeader:
    """Read the header of a table; questions and options are the text that a browser shows.

    Args:
        names: the first row, unchanged.
        rows: up to two rows below it.
        name: the file's name in messages.
        kind: survey tool that wrote the header.

    Raises:
        InputError: a column occurs twice, or the header is not of the named tool.
    """
    file = PurePath(name).name
    rows = [[plain_label(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    for tool, read_header in _READERS.items():
        header = read_header(names, rows) if kind in {"auto", tool} else None
        if header is not None:
            columns = check_names(list(header.columns), name)
            note = f"{file} is an export of {header.export}{_rows_note(header)}" + hint(f"; {_SWITCH}")
            return SurveyHeader(columns, header.more, _plain_labels(header), (note,), header.export)
    header = two_rows.read_header(names, rows) if kind == "auto" else None
    if header is not None:
        note = f"{file}: its second row belongs to the header, as it names columns of one question"
        note += hint(f"; {_SWITCH}")
        return SurveyHeader(check_names(list(header.columns), name), 1, _plain_labels(header), (note,))
    if kind not in {"auto", "plain"}:
        raise InputError(
            "header",
            f": {name} has no header of {kind}, by the names of its columns and the rows below them; "
            "leave out `header`, or set it to plain",
        )
    return SurveyHeader(check_names(list(names), name))


def _plain_labels(header: SurveyHeader) -> dict[str, ColumnLabels]:
    """Return the labels of a header without HTML, which they have if a tool names columns by questions."""
    return {
        column: replace(
            entry,
            label=plain_label(entry.label),
            question=plain_label(entry.question),
            option=plain_label(entry.option),
        )
        for column, entry in header.labels.items()
    }


def _rows_note(header: SurveyHeader) -> str:
    """Describe the rows that belong to the header, or count the questions with several columns."""
    if header.export == "SurveyMonkey":
        return ": its second row belongs to the header"
    if header.more:
        counted = "1 row belongs" if header.more == 1 else f"{header.more} rows belong"
        return f": {counted} to the header below the names"
    n = len({label.question for label in header.labels.values() if label.question})
    return f"; questions with several columns: {n}"


def header_setting(kind: HeaderKind, row: int | None) -> tuple[str, ...]:
    """Return the kind and row of the header for a table's settings, unless the table itself shows them."""
    named = () if kind == "auto" else (f"header {kind}",)
    return named if row is None else (*named, f"header row {row}")
