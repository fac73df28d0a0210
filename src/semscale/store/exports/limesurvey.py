"""Exports of LimeSurvey: columns by codes such as Q1[SQ001] or Q1_SQ001, by texts, or by both.

References:
    LimeSurvey manual, "Export responses"; its source, application/helpers/admin/export: headings (``Writer``)
    and full answers (``SurveyObj``), which write N/A for an option that was not displayed.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from semscale.store.exports.headers import Row, SurveyHeader, count_present, system_labels, system_roles
from semscale.store.table import ColumnLabels

_SIGNS = frozenset(
    {"submitdate", "lastpage", "startlanguage", "date submitted", "last page", "start language"}
)
_FEWEST = 2
_CODED = re.compile(
    r"(?P<code>[^\W_]\w*?)"
    r"(?:\[(?P<part>[\w#-]+)\](?:\[(?P<scale>\w+)\])?|_(?P<underlined>[^\W_]+(?:_[^\W_]+)?(?:\#\d)?))?"
    r"(?:\.\s+(?P<text>.+))?",
    re.DOTALL,
)
_ANSWER = re.compile(r"(?P<question>.*?\S)\s*(?P<options>(?:\[[^\[\]]*\]\s*)+)", re.DOTALL)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_OTHER = {"-oth-": "other"}
_RANK = re.compile(r"(?:rank(?:ing)?|rang|rango|classement|posto|pozycja|順位|排名)\s*\d+", re.IGNORECASE)
ROLES = system_roles(
    identifier="id, response id",
    date="submitdate, date submitted, startdate, date started, datestamp, date last action",
    ignore=(
        "lastpage, last page, startlanguage, start language, seed, token, access code, ipaddr, "
        "ip address, refurl, referrer url, interviewtime, total time"
    ),
)
"""Columns that LimeSurvey adds by itself."""


def read_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of LimeSurvey; ``None`` for a file of another tool."""
    if not is_limesurvey(names):
        return None
    columns, labels = limesurvey_columns(names)
    for column, system in system_labels(columns, ROLES).items():
        labels[column] = replace(labels.get(column, ColumnLabels()), role=system.role)
    return SurveyHeader(tuple(columns), 0, labels, export="LimeSurvey")


def is_limesurvey(names: Sequence[str]) -> bool:
    """Recognise an export by LimeSurvey's own columns, in any of the three forms of its header.

    Examples:
        >>> is_limesurvey(["id", "submitdate", "lastpage", "Q1", "Q2[SQ001]"])
        True
    """
    of_tool = [name for name in names if count_present(name.split(".", 1), _SIGNS)]
    return len(of_tool) >= _FEWEST


def limesurvey_columns(names: Sequence[str]) -> tuple[list[str], dict[str, ColumnLabels]]:
    """Name the columns by their codes, if there are codes, and label the columns of each question.

    Args:
        names: the header: codes, codes with texts, or texts.

    Returns:
        The names and the columns' labels. Headers with only texts are not changed.

    Examples:
        >>> names, labels = limesurvey_columns(["Q1[A]. Which? [Tea]", "Q1[B]. Which? [Coffee]"])
        >>> names, labels["Q1[A]"].question, labels["Q1[A]"].option
        (['Q1[A]', 'Q1[B]'], 'Q1', 'Tea')
    """
    read = [_read_column(name) for name in names]
    columns = [name for name, _ in read]
    if len(set(columns)) < len(columns):
        columns = list(names)
    labels = {column: entry for column, (_, entry) in zip(columns, read, strict=True)}
    single = {question for question in columns if labels[question].question == ""}
    sizes = Counter(entry.question for entry in labels.values())
    for column, entry in labels.items():
        is_beside = entry.is_text and entry.question in single
        if is_beside and column.rstrip("]").endswith("other"):
            answer = labels[entry.question]
            labels[entry.question] = replace(answer, values=_OTHER)
        if entry.question and (is_beside or sizes[entry.question] == 1):
            labels[column] = replace(entry, question="")
    return columns, {column: entry for column, entry in labels.items() if entry != ColumnLabels()}


def _read_column(name: str) -> tuple[str, ColumnLabels]:
    """Read one cell of the header: the column's name and labels."""
    coded = _CODED.fullmatch(name.strip())
    if coded is None or _is_own(name):
        return name, _labels_of_text(name) if coded is None else ColumnLabels()
    code, text = coded["code"], (coded["text"] or "").strip()
    part = coded["part"] or coded["underlined"]
    if part is None:
        return code, ColumnLabels(label=text)
    column = re.split(r"\.\s+", name.strip(), maxsplit=1)[0]
    asked = _ANSWER.fullmatch(text)
    options = _BRACKETS.findall(asked["options"]) if asked else []
    wording = asked["question"] if asked else text
    if part.endswith("comment"):
        return column, ColumnLabels(label=text, is_text=True)
    if coded["scale"]:
        option = options[0] if options else part
        return column, ColumnLabels(wording, f"{code}.{coded['scale']}", option)
    row, _, cell = part.partition("_")
    if cell:
        wording = f"{wording} [{options[0]}]" if len(options) > 1 else wording
        return column, ColumnLabels(wording, f"{code}_{row}", options[-1] if options else cell)
    option = options[-1] if options else part
    is_rank = bool(_RANK.fullmatch(option))
    return column, ColumnLabels(wording, code, option, is_text=part == "other", are_mentions=is_rank)


def _is_own(name: str) -> bool:
    return name.strip().casefold() in ROLES


def _labels_of_text(name: str) -> ColumnLabels:
    """Read a header that has only the question's text and its option."""
    asked = _ANSWER.fullmatch(name)
    if asked is None:
        return ColumnLabels()
    *_, option = _BRACKETS.findall(asked["options"])
    if option.casefold() in {"comment", "kommentar", "commentaire"}:
        return ColumnLabels(name, is_text=True)
    is_rank = bool(_RANK.fullmatch(option))
    return ColumnLabels(name, asked["question"], option, are_mentions=is_rank)


UNFINISHED: Mapping[str, Mapping[str, str]] = {
    "submitdate": {"": "not finished"},
    "Date submitted": {"": "not finished"},
}
"""Columns that mark unfinished interviews: descriptions of a row by value; ``""`` is an empty cell."""
