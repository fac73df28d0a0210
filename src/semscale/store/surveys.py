"""Files of survey tools: SPSS, and exports of Qualtrics, SurveyMonkey and LimeSurvey."""

import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from semscale.errors import InputError
from semscale.extras import require
from semscale.store.columns import NUMBER, column_in, groups_in, storable
from semscale.store.table import (
    MOST_BYTES,
    MOST_CELLS,
    ColumnLabels,
    Table,
    check_names,
    check_size,
    frame_reader,
)
from semscale.store.table_settings import HeaderKind

_QUESTION = re.compile(r'"ImportId"\s*:\s*"(?P<question>QID\d+)')
_SWITCH = "`header='plain'` reads the file as it is"


@dataclass(frozen=True)
class SurveyHeader:
    """The header of a table.

    Attributes:
        columns: names of the columns.
        more: number of rows below the first one that belong to the header.
        labels: labels of the columns.
        notes: a sentence that names the survey tool; empty for a plain header.
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
        names: the first row, unchanged.
        rows: up to two rows below it.
        name: the file's name in messages.
        kind: survey tool that wrote the header.

    Raises:
        InputError: a column occurs twice, or the header is not of the named tool.
    """
    if kind in {"auto", "surveymonkey"} and is_surveymonkey(names, rows):
        titles, labels = surveymonkey_columns(names, rows[0])
        note = f"{name} is an export of SurveyMonkey: its second row belongs to the header; {_SWITCH}"
        return SurveyHeader(check_names(titles, name), 1, labels, (note,))
    if kind in {"auto", "limesurvey"} and is_limesurvey(names):
        titles, labels = limesurvey_columns(names)
        n = len({label.question for label in labels.values() if label.question})
        note = f"{name} is an export of LimeSurvey; questions with several columns: {n}; {_SWITCH}"
        return SurveyHeader(check_names(titles, name), 0, labels, (note,))
    columns = check_names(list(names), name)
    if kind in {"auto", "qualtrics"} and (more := header_rows(columns, rows)):
        counted = "row belongs" if more == 1 else f"{more} rows belong"
        note = f"{name} is an export of Qualtrics: {counted} to the header below the names; {_SWITCH}"
        return SurveyHeader(columns, more, _qualtrics_labels(columns, rows[:more]), (note,))
    if kind not in {"auto", "plain"}:
        raise InputError(
            "header",
            f": {name} has no header of {kind}, by the names of its columns and the rows below them; "
            "leave out `header`, or set it to plain",
        )
    return SurveyHeader(columns)


def header_setting(kind: HeaderKind, row: int | None) -> tuple[str, ...]:
    """Return the kind and row of the header for a table's settings, unless the table itself shows them."""
    named = () if kind == "auto" else (f"header {kind}",)
    return named if row is None else (*named, f"header row {row}")


def _qualtrics_labels(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, ColumnLabels]:
    """Read the questions' texts from the first row, and the columns of each question from the IDs."""
    ids = ["" if cell is None else str(cell) for cell in rows[-1]]
    matches = [_QUESTION.search(entry) for entry in ids]
    questions = [entry["question"] if entry else "" for entry in matches]
    has_texts = not any('"ImportId"' in str(cell) for cell in rows[0])
    labels = {}
    for position, column in enumerate(columns):
        question = questions[position] if position < len(questions) else ""
        text = str(rows[0][position] or "") if has_texts and position < len(rows[0]) else ""
        shared = question if questions.count(question) > 1 else ""
        asked, dash, option = text.rpartition(" - ") if shared else ("", "", "")
        labels[column] = ColumnLabels(label=asked if dash else text, question=shared, option=option)
    return {column: entry for column, entry in labels.items() if entry != ColumnLabels()}


_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:')
_LOOKED_AT = 2
_TEXTS = {"ResponseId": "Response ID", "StartDate": "Start Date", "RecordedDate": "Recorded Date"}


def header_rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
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


_SURVEYMONKEY = ("respondent id", "collector id")
_ALONE = frozenset({"", "response", "open-ended response"})


def is_surveymonkey(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bool:
    """Recognise an export by SurveyMonkey's own columns, which are empty in the second header row.

    Examples:
        >>> is_surveymonkey(["Respondent ID", "Collector ID", "Why?"], [["", "", "Open-Ended Response"]])
        True
    """
    positions = {name.strip().casefold().replace("_", " "): position for position, name in enumerate(names)}
    if not rows or not all(title in positions for title in _SURVEYMONKEY):
        return False
    second = _texts(rows[0], len(names))
    return any(second) and not any(second[positions[title]] for title in _SURVEYMONKEY)


def surveymonkey_columns(
    names: Sequence[str], answers: Sequence[object]
) -> tuple[list[str], dict[str, ColumnLabels]]:
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
    options = _texts(answers, len(names))
    starts = [position for position, name in enumerate(names) if name.strip() or not position]
    of = [max(start for start in starts if start <= position) for position in range(len(names))]
    sizes, columns, labels = Counter(of), [], {}
    counts: Counter[str] = Counter()
    for position, start in enumerate(of):
        question, option = names[start].strip(), options[position]
        is_alone = sizes[start] == 1 or option.casefold() in _ALONE
        name = question if is_alone or not option else f"{question}: {option}"
        counts[name] += 1
        name = name if counts[name] == 1 else f"{name} ({counts[name]})"
        columns.append(name)
        if option:
            shared = question if sizes[start] > 1 else ""
            labels[name] = ColumnLabels(label=question, question=shared, option=option)
    return columns, labels


def _texts(row: Sequence[object], width: int) -> list[str]:
    cells = ["" if cell is None else str(cell).strip() for cell in row]
    return [*cells, *[""] * (width - len(cells))]


_LIMESURVEY = frozenset(
    {"submitdate", "lastpage", "startlanguage", "date submitted", "last page", "start language"}
)
_FEWEST = 2
_CODED = re.compile(r"(?P<code>\w+)(?:\[(?P<part>\w+)\])?(?:\.\s+(?P<text>.+))?", re.DOTALL)
_ANSWER = re.compile(r"(?P<question>.*\S)\s*\[(?P<option>[^\[\]]+)\]\s*", re.DOTALL)
_OTHER = {"-oth-": "other"}


def is_limesurvey(names: Sequence[str]) -> bool:
    """Recognise an export by LimeSurvey's own columns, in any of the three forms of its header.

    Examples:
        >>> is_limesurvey(["id", "submitdate", "lastpage", "Q1", "Q2[SQ001]"])
        True
    """
    of_tool = [
        name for name in names if {part.strip().casefold() for part in name.split(".", 1)} & _LIMESURVEY
    ]
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
    read = [_limesurvey_column(name) for name in names]
    columns = [name for name, _ in read]
    if len(set(columns)) < len(columns):
        columns = list(names)
    sizes = Counter(labels.question for _, labels in read if labels.question)
    with_other = {labels.question for name, labels in read if name.endswith("[other]")}
    labelled: dict[str, ColumnLabels] = {}
    for column, (_, labels) in zip(columns, read, strict=True):
        is_shared = sizes[labels.question] > 1 or labels.question in with_other
        labelled[column] = labels if is_shared else replace(labels, question="")
        if column in with_other:
            labelled[column] = replace(labelled[column], question=column, values=_OTHER)
    return columns, {column: labels for column, labels in labelled.items() if labels != ColumnLabels()}


def _limesurvey_column(name: str) -> tuple[str, ColumnLabels]:
    """Read one cell of the header: the column's name and labels."""
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


_EXACT = 2.0**53
_NAMED = 5
_MEASURES = frozenset({"nominal", "ordinal", "scale"})
_TOO_LARGE = "save the variables that are needed, or all of them as .csv"


def open_spss(path: Path, name: str, *, encoding: str | None = None) -> Table:
    """Open a file of SPSS; all of it is read into memory, up to ``MOST_BYTES`` and ``MOST_CELLS``.

    Whole numbers become integers. An empty text, and a value that the file declares missing, is null; the
    declared values are in the column's labels and counted in a note. Labels of variables and values, levels
    of measurement, sets of multiple responses and the weight become labels.

    Args:
        path: the file.
        name: its name in messages.
        encoding: encoding of its texts, if the file states none or a wrong one.

    Raises:
        InputError: the file cannot be read, has no variables, or exceeds a limit.
        MissingExtraError: the extra ``spss`` is not installed.
    """
    require("spss")
    check_size(path.stat().st_size, MOST_BYTES, "bytes", name, _TOO_LARGE)
    raw, meta = _read(path, name, encoding)
    if not raw.columns:
        raise InputError(f"{name} has no variables; there is nothing to read")
    columns = check_names(raw.columns, name)
    declared = {title: _mask_declared(raw[title], meta.missing_ranges.get(title, ())) for title in columns}
    frame = pl.DataFrame([_plain(raw[title], declared[title]) for title in columns])
    weight = weight_variable(path, columns)
    labels = _labels(raw.columns, meta)
    if weight is not None:
        labels[weight] = replace(labels[weight], is_weight=True)
    return Table(
        name,
        path,
        columns,
        frame_reader(frame),
        n_rows=frame.height,
        settings=("sav", encoding or "detected"),
        labels=labels,
        notes=(*_missing_notes(raw, declared), *_weight_notes(weight)),
    )


def _read(path: Path, name: str, encoding: str | None) -> tuple[pl.DataFrame, Any]:
    from pyreadstat import PyreadstatError, ReadstatError, read_sav

    settings: dict[str, Any] = {"output_format": "polars", "user_missing": True, "encoding": encoding}
    try:
        width = len(read_sav(path, metadataonly=True, **settings)[0].columns)
        # A file may state a wrong number of rows, or none. One above the limit shows that there are too many.
        most = MOST_CELLS // max(1, width) + 1
        frame, meta = read_sav(path, row_limit=most, **settings)
    except (ReadstatError, PyreadstatError, OverflowError, UnicodeError, ValueError) as error:
        reason = str(error).strip().rstrip(".").lower() or "damaged"
        remedy = (
            "name its `encoding`" if "encod" in reason or "convert" in reason else "save it again in SPSS"
        )
        raise InputError(f"{name} cannot be read as an SPSS file ({reason}); {remedy}") from error
    if frame.height == most:
        n_cells = max(most, meta.number_rows or 0) * width
        check_size(n_cells, MOST_CELLS, "cells (rows times columns)", name, _TOO_LARGE)
    return frame, meta


def _mask_declared(cells: pl.Series, ranges: Sequence[Mapping[str, Any]]) -> pl.Series:
    """Mask of cells with a value that is declared missing."""
    is_declared = pl.Series([False] * len(cells), dtype=pl.Boolean)
    for limits in ranges if cells.dtype != pl.Null else ():
        inside = (cells >= limits["lo"]) & (cells <= limits["hi"])
        is_declared |= inside.fill_null(value=False)
    return is_declared


def _plain(cells: pl.Series, is_declared: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        return cells.set(is_declared | (cells == "").fill_null(value=False), None)
    if not cells.dtype.is_float():
        return cells.set(is_declared, None) if is_declared.any() else cells
    numbers = cells.fill_nan(None).set(is_declared, None)
    is_whole = ((numbers == numbers.floor()) & (numbers.abs() <= _EXACT)).all()
    return numbers.cast(pl.Int64) if is_whole else numbers


def _labels(columns: Sequence[str], meta: Any) -> dict[str, ColumnLabels]:
    sets = {
        title: _in_set(str(handle), response_set, str(meta.column_names_to_labels.get(title) or ""))
        for handle, response_set in (meta.mr_sets or {}).items()
        for title in response_set["variable_list"]
    }
    labels: dict[str, ColumnLabels] = {}
    for title in columns:
        worded = meta.variable_value_labels.get(title) or {}
        values, ranges = _value_names(worded), meta.missing_ranges.get(title, ())
        measure = meta.variable_measure.get(title, "")
        labels[title] = replace(
            sets.get(title, ColumnLabels()),
            label=str(meta.column_names_to_labels.get(title) or ""),
            values=values,
            missing=_codes(ranges, values),
            missing_values=[
                name for value, name in zip(worded, values, strict=True) if _is_in(value, ranges)
            ],
            measure=measure if measure in _MEASURES else "",
        )
    return labels


def _in_set(handle: str, response_set: Mapping[str, Any], label: str) -> ColumnLabels:
    """Label a column of a set of multiple responses: as an option with its counted value, or as mentions."""
    question = str(response_set.get("label") or handle)
    if not response_set["is_dichotomy"]:
        return ColumnLabels(question=question, are_mentions=True)
    counted = response_set.get("counted_value")
    return ColumnLabels(question=question, option=label, counted="" if counted is None else str(counted))


def _value_names(labels: Mapping[Any, str]) -> dict[str, str]:
    names = groups_in(pl.Series([float(value) for value in labels])) if _are_numbers(labels) else list(labels)
    return dict(zip(map(str, names), labels.values(), strict=True))


def _is_in(value: float | str, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a value is declared missing."""
    return any(limits["lo"] <= value <= limits["hi"] for limits in ranges)


def _are_numbers(labels: Mapping[Any, str]) -> bool:
    return all(isinstance(value, int | float) for value in labels)


def _codes(ranges: Sequence[Mapping[str, Any]], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the codes that are declared missing, each with its label."""
    named = []
    for limits in ranges:
        low, high = (end if isinstance(end, str) else f"{end:g}" for end in (limits["lo"], limits["hi"]))
        shown = low if low == high else f"{low} to {high}"
        named.append(f"{shown} ({values[low]})" if low == high and low in values else shown)
    return tuple(named)


def _missing_notes(raw: pl.DataFrame, declared: Mapping[str, pl.Series]) -> list[str]:
    counted = {title: int(is_declared.sum()) for title, is_declared in declared.items() if is_declared.any()}
    if not counted:
        return []
    named = [f"{title} {_most_frequent(raw[title].filter(declared[title]))}" for title in counted]
    more = f", and {len(named) - _NAMED} more columns" if len(named) > _NAMED else ""
    return [f"cells that the file declares missing are missing: {', '.join(named[:_NAMED])}{more}"]


def _most_frequent(cells: pl.Series) -> str:
    codes = Counter(groups_in(cells).to_list()).most_common(_NAMED)
    return " and ".join(f"{code} ({n:,})" for code, n in codes)


def _weight_notes(weight: str | None) -> list[str]:
    if weight is None:
        return []
    return [f"SPSS weights this file by '{weight}'; use `weight={weight!r}` to apply the weights here"]


LONGEST_SPSS_TEXT = 32_767
"""Maximum size of a text in a variable of SPSS, in bytes."""

_LONGEST_NAME = 64  # bytes of a variable's name
_RESERVED = frozenset(["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"])


def write_spss(frame: pl.DataFrame, path: Path, labels: Mapping[str, ColumnLabels]) -> None:
    """Write a table as a file of SPSS; a column name that SPSS does not allow becomes the variable's label.

    Args:
        frame: the table, without nested columns.
        path: the file.
        labels: labels of columns and their values, by the columns' names.

    Raises:
        InputError: a text of more than 32,767 bytes.
        MissingExtraError: the extra ``spss`` is not installed.
    """
    require("spss")
    from pyreadstat import write_sav

    for cells in frame.select(pl.col(pl.String)):
        longest = int(cells.str.len_bytes().fill_null(0).to_numpy().max(initial=0))
        if longest > LONGEST_SPSS_TEXT:
            raise InputError(
                "out",
                f": column '{cells.name}' has a text of {longest:,} bytes, but a variable of SPSS holds "
                f"{LONGEST_SPSS_TEXT:,}; write .parquet or .csv",
            )
    names = dict(zip(frame.columns, spss_names(frame.columns), strict=True))
    known = {title: labels.get(title, ColumnLabels()) for title in frame.columns}
    titles = {title: known[title].title or (title if names[title] != title else None) for title in names}
    write_sav(
        frame.rename(names),
        path,
        column_labels={names[title]: label for title, label in titles.items()},
        variable_value_labels={
            names[title]: _convert_values(frame[title], entry.answers) for title, entry in known.items()
        },
        variable_measure={names[title]: entry.measure for title, entry in known.items() if entry.measure},
    )


def _convert_values(cells: pl.Series, values: Mapping[str, str]) -> dict[Any, str]:
    """Return labels of values, with the values in the column's type."""
    if not cells.dtype.is_numeric():
        return dict(values) if cells.dtype == pl.String else {}
    return {float(value): words for value, words in values.items() if re.fullmatch(NUMBER, value)}


def spss_names(columns: Sequence[str]) -> list[str]:
    """Turn column names into different names that SPSS allows.

    Examples:
        >>> spss_names(["age", "Q1[SQ001]", "Why so?", "Why so!", "2nd", "by"])
        ['age', 'Q1_SQ001_', 'Why_so_', 'Why_so__2', 'V_2nd', 'by_']
    """
    names: list[str] = []
    seen: set[str] = set()
    for column in columns:
        name = re.sub(r"[^\w.$#@]", "_", column)
        name = name if name[:1].isalpha() else f"V_{name.lstrip('_')}"
        name = f"{name}_" if name.upper() in _RESERVED else name
        short, number = _cut(name, _LONGEST_NAME), 1
        while short.casefold() in seen:
            number += 1
            short = f"{_cut(name, _LONGEST_NAME - len(str(number)) - 1)}_{number}"
        seen.add(short.casefold())
        names.append(short)
    return names


def _cut(name: str, most: int) -> str:
    """Cut a name to a number of bytes."""
    return name.encode()[:most].decode(errors="ignore")


_HEADER = 176
_LAYOUT = slice(64, 68)
_WEIGHT = slice(76, 80)
_VARIABLE = 2
_CONTINUATION = -1
_FIXED = 28  # bytes of a variable after its record type


def weight_variable(path: Path, columns: Sequence[str]) -> str | None:
    """Return the name of the variable that weights the rows; ``None`` if there is none, or it is unclear.

    Args:
        path: a file that SPSS's reader has read.
        columns: its variables, in order.

    References:
        The system file format as PSPP documents it: "file header record" and "variable records".
    """
    with path.open("rb") as content:
        header = content.read(_HEADER)
        order = next((sign for sign in "<>" if _number(header[_LAYOUT], sign) in {2, 3}), None)
        if len(header) < _HEADER or order is None:
            return None
        position = _number(header[_WEIGHT], order)
        names = _segments(content, order)
    if not 0 < position <= len(names):
        return None
    real = [number for number, name in enumerate(names) if name is not None]
    if len(real) == len(columns):
        return dict(zip(real, columns, strict=True)).get(position - 1)
    # Very long texts are several variables; a short name is then the beginning of the long one.
    short = (names[position - 1] or "").casefold()
    return next((column for column in columns if column.casefold() == short), None)


def _number(four: bytes, order: str) -> int:
    return int(struct.unpack(f"{order}i", four)[0]) if len(four) == struct.calcsize("i") else 0


def _segments(content: BinaryIO, order: str) -> list[str | None]:
    """Return the short names of all variables; ``None`` for a segment that continues a text."""
    names: list[str | None] = []
    while _number(content.read(4), order) == _VARIABLE:
        fixed = content.read(_FIXED)
        if len(fixed) < _FIXED:
            return names
        kind, has_label, n_missing = struct.unpack(f"{order}3i", fixed[:12])
        if has_label:
            length = _number(content.read(4), order)
            content.seek(-(-length // 4) * 4, 1)
        content.seek(abs(n_missing) * 8, 1)
        name = fixed[20:28].decode("latin-1").strip()
        names.append(None if kind == _CONTINUATION else name)
    return names


_BATCH = 50_000


@dataclass(frozen=True)
class _Sign:
    """A survey tool's column that marks unfinished interviews, previews, tests or spam.

    Attributes:
        column: its name.
        meanings: description of a row by value; the value ``""`` is an empty cell.
    """

    column: str
    meanings: Mapping[str, str]


_QUALTRICS = frozenset({"ResponseId", "RecordedDate", "StartDate"})
_QUALTRICS_SIGNS = (
    _Sign(
        "Status",
        {
            "Survey Preview": "of a preview", "1": "of a preview",
            "Survey Test": "of a test", "2": "of a test",
            "Spam": "marked as spam", "8": "marked as spam",
        },
    ),
    _Sign("Finished", {"False": "not finished", "FALSE": "not finished", "0": "not finished"}),
)  # fmt: skip
_LIMESURVEY_SIGNS = (_Sign("submitdate", {"": "not finished"}), _Sign("Date submitted", {"": "not finished"}))


def with_unfinished_counted(table: Table) -> Table:
    """Add a note on the number of unfinished interviews to an export of Qualtrics or LimeSurvey.

    Their rows stay in the table; the user decides about them. Other tables are not changed.
    """
    columns = frozenset(table.columns)
    signs: tuple[_Sign, ...] = ()
    if columns & _QUALTRICS:
        signs = _QUALTRICS_SIGNS
    elif is_limesurvey(table.columns):
        signs = _LIMESURVEY_SIGNS
    notes = [note for sign in signs if sign.column in columns for note in _notes(table, sign)]
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _notes(table: Table, sign: _Sign) -> list[str]:
    counts: Counter[str] = Counter()
    for batch in table.batches_with([sign.column], _BATCH):
        cells = groups_in(storable(column_in(batch, sign.column).to_frame()).to_series())
        counts.update(cells.fill_null("").str.strip_chars().to_list())
    values = [value for value in sign.meanings if counts[value]]
    return [
        f"{_rows_are(counts[value])} {sign.meanings[value]} and treated like all others; "
        f"`where={_condition(sign.column, value)}` leaves such rows out"
        for value in values
    ]


def _rows_are(n: int) -> str:
    return "1 row is" if n == 1 else f"{n:,} rows are"


def _condition(column: str, value: str) -> str:
    """Write the condition that keeps the other rows, quoted for a shell."""
    if value:
        return f"\"{column} != '{value}'\""
    return f'"{column} IS NOT NULL"' if column.isidentifier() else f"'\"{column}\" IS NOT NULL'"
