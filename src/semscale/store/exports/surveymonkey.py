"""Exports of SurveyMonkey: questions in the first row, their options in the second.

References:
    SurveyMonkey help center, "Exporting all responses": columns for each option ("expanded"), with the
    option's text or its number in the cells of those who chose it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from semscale.store.columns import NUMBER
from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    cell_texts,
    system_labels,
    system_roles,
    unique_names,
)
from semscale.store.table import ColumnLabels

_SIGNS = ("respondent id", "collector id")
_ANSWER = "response"
_TYPED = "open-ended response"
_ALONE = frozenset({"", _ANSWER, _TYPED})
_OF_OTHER = "other (please specify)"
ROLES = system_roles(
    identifier="respondent id, respondent_id",
    date="start date, date_created, end date, date_modified",
    ignore=(
        "collector id, collector_id, ip address, ip_address, email address, email_address, "
        "first name, first_name, last name, last_name, custom data 1, custom_1"
    ),
)
"""Columns that SurveyMonkey adds by itself."""


def read_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of SurveyMonkey; ``None`` for a file of another tool."""
    if not is_surveymonkey(names, rows):
        return None
    columns, labels = surveymonkey_columns(names, rows[0])
    return SurveyHeader(tuple(columns), 1, labels | system_labels(columns, ROLES), export="SurveyMonkey")


def is_surveymonkey(names: Sequence[str], rows: Sequence[Row]) -> bool:
    """Recognise an export by SurveyMonkey's own columns, which are empty in the second header row.

    Without them it is recognised by "Open-Ended Response" there, with no number beside it.

    Examples:
        >>> is_surveymonkey(["Respondent ID", "Collector ID", "Why?"], [["", "", "Open-Ended Response"]])
        True
    """
    positions = {name.strip().casefold().replace("_", " "): position for position, name in enumerate(names)}
    second = cell_texts(rows[0], len(names)) if rows else []
    if not all(title in positions for title in _SIGNS):
        return _TYPED in map(str.casefold, second) and not any(re.match(NUMBER, cell) for cell in second)
    return any(second) and not any(second[positions[title]] for title in _SIGNS)


def surveymonkey_columns(names: Sequence[str], answers: Row) -> tuple[list[str], dict[str, ColumnLabels]]:
    """Name the columns by their questions, and by their answers if a question has several columns.

    Args:
        names: the first header row, with a question only above the first of its columns.
        answers: the second header row.

    Returns:
        The names, all different, and the columns' labels.

    Examples:
        >>> surveymonkey_columns(["Why?", "Which?", ""], ["Open-Ended Response", "Tea", "Coffee"])[0]
        ['Why?', 'Which?: Tea', 'Which?: Coffee']
    """
    options = cell_texts(answers, len(names))
    starts = [position for position, name in enumerate(names) if name.strip() or not position]
    of = [max(start for start in starts if start <= position) for position in range(len(names))]
    sizes = Counter(of)
    titles = []
    for start, option in zip(of, options, strict=True):
        question = names[start].strip()
        is_alone = sizes[start] == 1 or option.casefold() in _ALONE
        titles.append(question if is_alone or not option else f"{question}: {option}")
    columns = unique_names(titles)
    with_answer = {start for start, option in zip(of, options, strict=True) if option.casefold() == _ANSWER}
    labels: dict[str, ColumnLabels] = {}
    for column, start, option in zip(columns, of, options, strict=True):
        if not option:
            continue
        question = names[start].strip()
        entry = ColumnLabels(
            label=question,
            option="" if option.casefold() in _ALONE else option,
            is_entry=option.casefold() == _TYPED,
        )
        is_other = option.casefold().startswith(_OF_OTHER)
        if start in with_answer:
            # One answer in the first column; the others hold what people wrote beside it.
            labels[column] = replace(entry, is_text=option.casefold() != _ANSWER)
        else:
            labels[column] = replace(
                entry, question=question if sizes[start] > 1 else "", is_text=is_other and sizes[start] > 1
            )
    return columns, labels
