"""Exports of Alchemer, formerly SurveyGizmo: a column for each option, named "Tea:Which drinks?".

References:
    Alchemer help, "Create a CSV/Excel export"; exports that users published: the option's text in the cells
    of those who chose it, and "Other - Write In:Which drinks?" for what people wrote.
"""

import re
from collections import Counter
from collections.abc import Sequence

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    count_present,
    repeated_labels,
    system_labels,
    system_roles,
    unique_names,
)
from semscale.store.table import ColumnLabels

_SIGNS = frozenset(
    {"time started", "date submitted", "sessionid", "session id", "legacy comments", "user agent"}
)
_FEWEST = 3
_WRITTEN = re.compile(r"other - write in\b.*|.*\bwrite in(?: \(required\))?", re.IGNORECASE)
ROLES = system_roles(
    identifier="response id",
    date="time started, date submitted",
    ignore=(
        "status, contact id, legacy comments, comments, language, referer, extended referer, sessionid, "
        "session id, user agent, extended user agent, tags, ip address, longitude, latitude, country, "
        "country auto, city, state/region, postal, link name, iq"
    ),
)
"""Columns that Alchemer adds by itself."""


def read_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Alchemer; ``None`` for a file of another tool.

    It is recognised by a first column "Response ID", and three of its own columns such as "Time Started".
    """
    if names[0].strip().casefold() != "response id" or count_present(names, _SIGNS) < _FEWEST:
        return None
    columns = unique_names(names)
    labels = repeated_labels(names, columns) | _labels(columns)
    # A question may have the name of a column that the tool adds, which are the first ones.
    added = [column for column in columns[: len(ROLES)] if column not in labels]
    return SurveyHeader(tuple(columns), 0, labels | system_labels(added, ROLES), export="Alchemer")


def _labels(columns: Sequence[str]) -> dict[str, ColumnLabels]:
    """Label columns by the question after a colon in their names, if it has other columns as well."""
    splits = {column: _splits(column) for column in columns}
    counts = Counter(question for parts in splits.values() for _, question in parts)
    labels = {}
    for column, parts in splits.items():
        for option, question in parts:
            is_text = _WRITTEN.fullmatch(option) is not None
            if question in columns and is_text:  # beside the answer to a question with a single answer
                labels[column] = ColumnLabels(label=column, is_text=True)
            elif counts[question] > 1:
                labels[column] = ColumnLabels(question, question, option, is_text=is_text)
            else:
                continue
            break
    return labels


def _splits(column: str) -> list[tuple[str, str]]:
    """Return the ways to split a name into an option and a question; both may contain a colon.

    Examples:
        >>> _splits("Tea:Which drinks?"), _splits("Other - Write In::Why?")[-1]
        ([('Tea', 'Which drinks?')], ('Other - Write In', 'Why?'))
    """
    ends = [match.start() for match in re.finditer(":", column)]
    splits = [(column[:end].rstrip(": "), column[end + 1 :].strip()) for end in ends]
    return [(option, question) for option, question in splits if option and question]
