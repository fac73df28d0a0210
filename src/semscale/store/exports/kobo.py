"""Exports of KoboToolbox and other servers of ODK forms: ``group/question`` and ``question/option``.

SurveyCTO writes ``question_1`` beside ``question``.

References:
    KoboToolbox help, "Exporting and downloading your data": a select-many question has a column that lists
    the chosen options, a column for each option with 0 and 1, or both; ODK Central's "split select multiple
    choices" writes the same columns. SurveyCTO's documentation, "Understanding the format of your data":
    ``question_1`` is the option with the value 1, and ``question__98`` the one with -98.
"""

import re
from collections import Counter
from collections.abc import Sequence

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    count_present,
    system_labels,
    system_roles,
    unique_names,
)
from semscale.store.table import ColumnLabels

_SIGNS = (
    frozenset({"_id", "_uuid", "_submission_time"}),
    frozenset({"submissiondate", "meta-instanceid", "meta/instanceid", "instanceid", "key"}),
)
_FEWEST = 2
_NUMBERED = re.compile(r"(?P<stem>.*[^\W_])_(?P<code>_?\d+)")
_POSITION = re.compile(r"_.+_(?:latitude|longitude|altitude|precision)")
ROLES = system_roles(
    identifier="_id, _uuid, key, instanceid, meta-instanceid, meta/instanceid",
    date="start, end, today, _submission_time, submissiondate",
    ignore=(
        "__version__, _index, _notes, _status, _submitted_by, _tags, _validation_status, "
        "_xform_id_string, _geolocation, _attachments, deviceid, username, simserial, subscriberid, "
        "phonenumber, formhub/uuid, meta/rootuuid, submitterid, submittername, attachmentspresent, "
        "attachmentsexpected, reviewstate, edits, formversion, formdef_version, review_status, starttime, "
        "endtime"
    ),
)
"""Columns that the server adds by itself."""


def read_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of KoboToolbox or ODK; ``None`` for a file of another tool.

    It is recognised by two of the columns ``_id``, ``_uuid`` and ``_submission_time``, or ``SubmissionDate``,
    ``KEY`` and ``meta-instanceID``.
    """
    if all(count_present(names, signs) < _FEWEST for signs in _SIGNS):
        return None
    columns = unique_names(names)
    present = set(columns)
    labels: dict[str, ColumnLabels] = {}
    numbered = Counter(stem for column in columns if (stem := _stem_of_number(column)) in present)
    for column in columns:
        question = _list_column(column, present)
        if not question and numbered[_stem_of_number(column)] >= _FEWEST:
            question = _stem_of_number(column)
        if question:
            labels[question] = ColumnLabels(question=question, role="ignore")
            option = re.sub(r"^_(?=\d)", "-", column[len(question) + 1 :])
            labels[column] = ColumnLabels(question=question, option=option)
        elif _POSITION.fullmatch(column):
            labels[column] = ColumnLabels(role="ignore")
    return SurveyHeader(tuple(columns), 0, labels | system_labels(columns, ROLES), export="KoboToolbox")


def _stem_of_number(column: str) -> str:
    """Return the name before a number, as SurveyCTO names the columns of options; empty without one."""
    numbered = _NUMBERED.fullmatch(column)
    return numbered["stem"] if numbered else ""


def _list_column(column: str, present: set[str]) -> str:
    """Return the column that lists the chosen options, of which a column is one; empty without one."""
    parts = column.split("/")
    starts = ("/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1))
    return next((start for start in starts if start in present), "")
