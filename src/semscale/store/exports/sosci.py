"""Exports of SoSci Survey: variables such as A101_01, with 1 for not checked and 2 for checked.

References:
    SoSci Survey manual, "Additional Variables in the Data Set", "Encoding and output values" and "Multiple
    Choice": a multiple choice has a variable for each option, and one that counts the chosen options; answers
    are positive, and negative values are codes (-1 to -3 alternative options, -8 invalid, -9 not answered).
"""

import re
from collections.abc import Mapping, Sequence

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    cell_texts,
    count_present,
    split_texts,
    system_labels,
    system_roles,
)
from semscale.store.table import ColumnLabels

_VARIABLE = re.compile(r"(?P<question>[A-Z][A-Z0-9]\d{2})_(?P<part>\d{2})(?P<text>[a-z])?")
_FEWEST = 3
_COUNT = ("number of selected options", "anzahl ausgewählter optionen", "anzahl der gewählten optionen")
ROLES = system_roles(
    identifier="case",
    date="started, lastdata",
    ignore=(
        "serial, ref, questnnr, mode, language, status, finished, q_viewer, lastpage, maxpage, "
        "missing, missrel, time_sum, time_rsi, deg_time, mailsent"
    ),
)
"""Columns that SoSci Survey adds by itself, beside the seconds on each page (TIME001)."""

_SIGNS = frozenset({"case", "serial", "ref", "questnnr", "mode", "started", "lastdata", "finished"})
_SECONDS = re.compile(r"TIME\d{3}")


def read_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of SoSci Survey; ``None`` for a file of another tool.

    It is recognised by three of its own columns, such as CASE, QUESTNNR and STARTED. A second row with the
    variables' labels belongs to the header.
    """
    if count_present(names, _SIGNS) < _FEWEST or "CASE" not in names or "STARTED" not in names:
        return None
    first = cell_texts(rows[0], len(names)) if rows else []
    more = int(bool(first) and any(sign.isalpha() for sign in first[list(names).index("CASE")]))
    texts = dict(zip(names, first if more else [""] * len(names), strict=True))
    labels = {name: ColumnLabels(label=text) for name, text in texts.items() if text}
    for name, text in texts.items():
        if text.casefold().rstrip(".").endswith(_COUNT):
            labels[name] = ColumnLabels(label=text, role="ignore")
    labels |= _labels_of_questions(names, texts)
    for name in names:
        if _SECONDS.fullmatch(name):
            labels[name] = ColumnLabels(role="ignore")
    labels |= system_labels(names, ROLES)
    return SurveyHeader(tuple(names), more, labels, export="SoSci Survey")


def _labels_of_questions(names: Sequence[str], texts: Mapping[str, str]) -> dict[str, ColumnLabels]:
    """Label the variables of each question; texts such as "Drinks: Tea" name the question and the option."""
    labels: dict[str, ColumnLabels] = {}
    groups: dict[str, list[str]] = {}
    for name in names:
        variable = _VARIABLE.fullmatch(name)
        if variable is None:
            continue
        if variable["text"]:
            labels[name] = ColumnLabels(label=texts[name], is_text=True)
        else:
            groups.setdefault(variable["question"], []).append(name)
    for question, members in groups.items():
        if len(members) == 1:
            continue
        wording, options = split_texts([texts[name] for name in members], ": ")
        for name, option in zip(members, options, strict=True):
            labels[name] = ColumnLabels(label=wording, question=question, option=option)
    return labels
