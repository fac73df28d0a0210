"""Exports of web forms with one row of questions: Google Forms, Microsoft Forms and Typeform.

References:
    Google Docs editors help, "View & manage form responses": a column for each question and each row of a
    grid, ", " between checked boxes. Microsoft support, "Check and share your form results": ID, start and
    completion time, email and name come first, and ";" follows each choice. Typeform help, "Export results":
    a column for each choice, named and filled by its text.
"""

import re
from collections.abc import Sequence
from datetime import date

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    count_present,
    system_labels,
    system_roles,
    unique_names,
)
from semscale.store.table import ColumnLabels

_TIMESTAMPS = frozenset({
    "timestamp", "zeitstempel", "horodateur", "marca temporal", "informazioni cronologiche",
    "carimbo de data/hora", "tijdstempel", "sygnatura czasowa", "タイムスタンプ", "时间戳记", "時間戳記",
    "طابع زمني", "टाइमस्टैम्प",
})  # fmt: skip
_TIME = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}[ T]\d{1,2}[:.]\d{2}.*")
_GRID = re.compile(r"(?P<question>.*\S)\s*\[(?P<item>[^\[\]]+)\]\s*", re.DOTALL)
GOOGLE_ROLES = system_roles(
    date=", ".join(_TIMESTAMPS),
    ignore="email address, username, score, e-mail-adresse, nutzername, punktzahl",
)
"""Columns that Google Forms adds by itself."""


def read_google_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Google Forms; ``None`` for a file of another tool.

    It is recognised by a first column "Timestamp", in any of the languages, with a date and a time.
    """
    first = rows[0][0] if rows and len(rows[0]) else None
    is_time = isinstance(first, date) or bool(_TIME.fullmatch(str(first or "").strip()))
    if names[0].strip().casefold() not in _TIMESTAMPS or not is_time:
        return None
    columns = unique_names(names)
    labels: dict[str, ColumnLabels] = {}
    for column in columns:
        if item := _GRID.fullmatch(column):
            labels[column] = ColumnLabels(item["question"], item["question"], item["item"].strip())
    labels |= system_labels(columns, GOOGLE_ROLES)
    return SurveyHeader(tuple(columns), 0, labels, export="Google Forms")


_STARTS = frozenset({
    "start time", "startzeit", "heure de début", "hora de inicio", "ora di inizio", "hora de início",
    "begintijd", "godzina rozpoczęcia", "開始時刻", "开始时间", "開始時間",
})  # fmt: skip
_ENDS = frozenset({
    "completion time", "fertigstellungszeit", "heure de fin", "hora de finalización", "ora di completamento",
    "hora de conclusão", "tijd van voltooien", "godzina ukończenia", "完了時刻", "完成时间", "完成時間",
})  # fmt: skip
MICROSOFT_ROLES = system_roles(
    identifier="id",
    date=", ".join((*_STARTS, *_ENDS, "last modified time")),
    ignore=(
        "email, e-mail, adresse de messagerie, correo electrónico, name, nom, nombre, total points, "
        "quiz feedback, language"
    ),
)
"""Columns that Microsoft Forms adds by itself, beside the points and feedback of a quiz."""

_OF_QUIZ = ("Points - ", "Feedback - ")


def read_microsoft_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Microsoft Forms; ``None`` for a file of another tool.

    It is recognised by "ID", "Start time" and "Completion time" in the first columns.
    """
    first = {name.strip().casefold() for name in names[:4]}
    if "id" not in first or not first & _STARTS or not first & _ENDS:
        return None
    columns = unique_names(names)
    labels = system_labels(columns, MICROSOFT_ROLES)
    labels |= {column: ColumnLabels(role="ignore") for column in columns if column.startswith(_OF_QUIZ)}
    return SurveyHeader(tuple(columns), 0, labels, export="Microsoft Forms")


TYPEFORM_ROLES = system_roles(
    identifier="#",
    date="start date (utc), stage date (utc), submit date (utc)",
    ignore="network id, response type, tags, ending",
)
"""Columns that Typeform adds by itself."""

_FEWEST = 2


def read_typeform_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Typeform; ``None`` for a file of another tool.

    It is recognised by a first column "#", and two of "Network ID", "Start Date (UTC)" and "Submit Date
    (UTC)".
    """
    signs = frozenset({"network id", "start date (utc)", "submit date (utc)"})
    if names[0].strip() != "#" or count_present(names, signs) < _FEWEST:
        return None
    columns = unique_names(names)
    return SurveyHeader(tuple(columns), 0, system_labels(columns, TYPEFORM_ROLES), export="Typeform")
