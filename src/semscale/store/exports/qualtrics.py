"""Exports of Qualtrics: names, questions' texts and import IDs in three rows, or the first two in Excel.

References:
    Qualtrics support, "Understanding Your Dataset" and "Export options" (recode values, multi-value fields,
    seen but unanswered questions); loop and merge puts the loop's number before the name.
"""

import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    cell_texts,
    split_texts,
    system_labels,
    system_roles,
)
from semscale.store.table import ColumnLabels

_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:')
_QUESTION = re.compile(r'"ImportId"\s*:\s*"(?P<question>(?:[^"_]+_)?QID\d+(?:#\d+)?)(?P<rest>[^"]*)"')
_CELL_OF_MATRIX = re.compile(r"_(?P<row>x?\d+)_x?\d+$")
_STEM = re.compile(r"(?P<stem>.+)_x?\d+$")
_LOOKED_AT = 2
_TEXTS = {"ResponseId": "Response ID", "StartDate": "Start Date", "RecordedDate": "Recorded Date"}
_SELECTED = " - Selected Choice"
_OF_GROUP = "_GROUP"
_OF_TEXT = "_TEXT"
_TYPED = re.compile(r'"ImportId"\s*:\s*"(?:[^"_]+_)?QID\d+_TEXT"')
_MEASURED = re.compile(
    r"_(?:first.click|last.click|page.submit|click.count|browser|version|os|operating.system|resolution)(?:\"|$)",
    re.IGNORECASE,
)
_ORDER = re.compile(r".*_DO(?:_.*)?|FL_\d+.*_DO.*")

ROLES = system_roles(
    identifier="responseid",
    date="startdate, enddate, recordeddate",
    ignore=(
        "status, ipaddress, progress, duration (in seconds), finished, recipientlastname, "
        "recipientfirstname, recipientemail, externalreference, externaldatareference, "
        "locationlatitude, locationlongitude, distributionchannel, userlanguage"
    ),
)
"""Columns that Qualtrics adds by itself."""


def read_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Qualtrics.

    Args:
        names: names of the columns.
        rows: the first rows below the names.

    Returns:
        The header; ``None`` for a file of another tool.
    """
    more = header_rows(names, rows)
    if not more:
        return None
    return SurveyHeader(tuple(names), more, _labels(names, rows[:more]), export="Qualtrics")


def header_rows(columns: Sequence[str], rows: Sequence[Row]) -> int:
    """Count the rows below the column names that belong to the header.

    A CSV export of Qualtrics has the questions' texts in the next row, and an ``ImportId`` for each column in
    the row after it. An export for Excel has only the texts, recognised by the texts of Qualtrics' own
    columns.

    Args:
        columns: names of the columns.
        rows: the first rows below the names.

    Returns:
        2 or 1 in an export of Qualtrics, otherwise 0.

    Examples:
        >>> header_rows(["Q1"], [["How was it?"], ['{"ImportId":"QID1_TEXT"}'], ["Good."]])
        2
        >>> header_rows(["ResponseId", "Q1"], [["Response ID", "How was it?"], ["R_2x", "Good."]])
        1
    """
    for position, row in enumerate(rows[:_LOOKED_AT]):
        filled = [cell for cell in row if cell not in (None, "")]
        if filled and all(isinstance(cell, str) and _IMPORT_ID.match(cell) for cell in filled):
            return position + 1
    texts = dict(zip(columns, rows[0], strict=False)) if rows else {}
    return int(any(texts.get(column) == text for column, text in _TEXTS.items()))


def _labels(columns: Sequence[str], rows: Sequence[Row]) -> dict[str, ColumnLabels]:
    """Read the questions' texts, and group the columns of each question."""
    has_ids = any('"ImportId"' in str(cell) for cell in rows[-1])
    has_texts = len(rows) > 1 or not has_ids
    texts = dict(zip(columns, cell_texts(rows[0] if has_texts else (), len(columns)), strict=True))
    ids = dict(zip(columns, cell_texts(rows[-1] if has_ids else (), len(columns)), strict=True))
    labels = {column: ColumnLabels(label=_wording(text)) for column, text in texts.items() if text}
    measured = {column for column in columns if _is_measured(column, ids[column])}
    asked = [column for column in columns if column not in measured]
    groups = _groups_by_id(asked, ids) if has_ids else _groups_by_name(asked, texts)
    questions = _question_names(groups, columns)
    for members, question in zip(groups.values(), questions, strict=True):
        wording, options = _split([texts[column] for column in members])
        for column, option in zip(members, options, strict=True):
            is_text = column.endswith(_OF_TEXT)
            labels[column] = ColumnLabels(label=wording, question=question, option=option, is_text=is_text)
    beside = {column for column in columns if _is_beside(column, columns)}
    with_other = {column.removesuffix(_OF_TEXT).rpartition("_")[0] for column in beside}
    for column in columns:
        entry = labels.get(column, ColumnLabels())
        labels[column] = replace(
            entry,
            is_text=entry.is_text or column in beside,
            is_entry=column not in beside and _TYPED.search(ids[column]) is not None,
            role="ignore" if column in measured or _is_order(column, ids[column]) else "",
            # Numbers of which one is "other" are no scale.
            measure="nominal" if column in with_other else "",
        )
    for column, system in system_labels(columns, ROLES).items():
        labels[column] = replace(labels.get(column, ColumnLabels()), role=system.role)
    return {column: entry for column, entry in labels.items() if entry != ColumnLabels()}


def _wording(text: str) -> str:
    """Return a question's text without what Qualtrics adds to it."""
    return text.removesuffix(" - Text").removesuffix(_SELECTED)


def _is_beside(column: str, columns: Sequence[str]) -> bool:
    """Return whether a column holds what people wrote beside an option that is counted elsewhere.

    It is the column Q1_5_TEXT, if the option's column Q1_5, or the question's column Q1, is there.
    """
    if not column.endswith(_OF_TEXT):
        return False
    option = column.removesuffix(_OF_TEXT)
    return option in columns or option.rpartition("_")[0] in columns


def _is_order(column: str, import_id: str) -> bool:
    """Return whether a column holds the order of display, or what Qualtrics adds under a name such as Q_1."""
    return bool(_ORDER.fullmatch(column)) or (column.startswith("Q_") and "QID" not in import_id)


def _is_measured(column: str, import_id: str) -> bool:
    """Return whether a column is of a question "Timing" or "Meta info", by its import ID or its name."""
    is_question = "QID" in import_id or not import_id
    return is_question and _MEASURED.search(import_id or column) is not None


def _may_share(column: str, columns: Sequence[str]) -> bool:
    """Return whether a column can be one of several columns of a question."""
    is_apart = column.endswith(_OF_GROUP) or _ORDER.fullmatch(column)
    return not is_apart and not _is_beside(column, columns)


def _groups_by_id(columns: Sequence[str], ids: Mapping[str, str]) -> dict[str, list[str]]:
    """Group the columns of each question, or of each row of a matrix with several answers, by their IDs."""
    found = {column: _QUESTION.search(ids[column]) for column in columns if _may_share(column, columns)}
    matches = {column: match for column, match in found.items() if match}
    groups: dict[str, list[str]] = {}
    for column, match in matches.items():
        cell = _CELL_OF_MATRIX.search(match["rest"])
        key = f"{match['question']}_{cell['row']}" if cell else match["question"]
        groups.setdefault(key, []).append(column)
    return {key: members for key, members in groups.items() if len(members) > 1}


def _groups_by_name(columns: Sequence[str], texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Group columns such as Q1_1 and Q1_2 whose texts begin alike."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        stem = _STEM.fullmatch(column.removesuffix(_OF_TEXT))
        if stem and _may_share(column, columns) and " - " in texts[column]:
            groups.setdefault(stem["stem"], []).append(column)
    return {
        stem: members
        for stem, members in groups.items()
        if len(members) > 1 and len({texts[column].partition(" - ")[0] for column in members}) == 1
    }


def _question_names(groups: Mapping[str, Sequence[str]], columns: Sequence[str]) -> Iterator[str]:
    """Name each question by what the names of its columns share, or else by its ID."""
    stems = {key: os.path.commonprefix(list(members)).rpartition("_")[0] for key, members in groups.items()}
    listed = list(stems.values())
    for key, stem in stems.items():
        is_free = bool(stem) and stem not in columns and listed.count(stem) == 1
        yield stem if is_free else key


def _split(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Split the texts of a question's columns into the question and its options."""
    plain = [text.removesuffix(" - Text") for text in texts]
    if all(f"{_SELECTED} - " in text for text in plain):
        parted = [text.partition(f"{_SELECTED} - ") for text in plain]
        return parted[0][0], [option for _, _, option in parted]
    return split_texts([text.replace(_SELECTED, "") for text in plain], " - ")


UNFINISHED: Mapping[str, Mapping[str, str]] = {
    "Status": {
        "Survey Preview": "of a preview",
        "1": "of a preview",
        "Survey Test": "of a test",
        "2": "of a test",
        "Spam": "marked as spam",
        "8": "marked as spam",
    },
    "Finished": {"False": "not finished", "FALSE": "not finished", "0": "not finished"},
}
"""Columns that mark previews, tests, spam and unfinished interviews: descriptions of a row by value."""
