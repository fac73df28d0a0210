"""Files of SPSS, Stata and SAS: values, labels, missing values and the weight; and writing for SPSS."""

import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from semscale.errors import InputError
from semscale.extras import require
from semscale.html_texts import plain_label
from semscale.spelling import hint
from semscale.store.columns import NUMBER, groups_in
from semscale.store.exports.headers import split_texts
from semscale.store.table import (
    MOST_BYTES,
    MOST_CELLS,
    ColumnLabels,
    Table,
    check_names,
    check_size,
    frame_reader,
)

_EXACT = 2.0**53
_NAMED = 5
_MEASURES = frozenset({"nominal", "ordinal", "scale"})
_BEFORE_OPTIONS = (": ", " - ", "? ")
_TOO_LARGE = "save the variables that are needed, or all of them as .csv"


@dataclass(frozen=True)
class _Program:
    """A program of statistics that writes a format.

    Attributes:
        name: the program.
        article: its article in messages.
        reader: name of pyreadstat's function.
        has_letters: whether its missing values may have letters, such as .a in Stata.
    """

    name: str
    article: str
    reader: str
    has_letters: bool = True


_PROGRAMS = {
    "sav": _Program("SPSS", "an", "read_sav", has_letters=False),
    "dta": _Program("Stata", "a", "read_dta"),
    "sas7bdat": _Program("SAS", "a", "read_sas7bdat"),
    "xpt": _Program("SAS", "a", "read_xport"),
}
_CATALOG = ".sas7bcat"
_FORMATS = "formats"
"""Name that SAS gives to a catalog."""


def open_statistical(path: Path, name: str, kind: str, *, encoding: str | None = None) -> Table:
    """Open a file of SPSS, Stata or SAS.

    All of it is read into memory, up to ``MOST_BYTES`` and ``MOST_CELLS``. Whole numbers become integers. An
    empty text, a value that an SPSS file declares missing, and a missing value with a letter of Stata or SAS
    is null; the missing values are in the column's labels and counted in a note. Labels of variables and
    values, levels of measurement, sets of multiple responses and the weight become labels. SAS has the labels
    of values in a catalog, which is read if it lies beside the file: ``name.sas7bcat``, or else
    ``formats.sas7bcat``.

    Args:
        path: the file.
        name: its name in messages.
        kind: its format: ``sav``, ``dta``, ``sas7bdat`` or ``xpt``.
        encoding: encoding of its texts, if the file states none or a wrong one.

    Raises:
        InputError: the file cannot be read, has no variables, or exceeds a limit.
        MissingExtraError: the extra ``spss`` is not installed.
    """
    require("spss")
    program = _PROGRAMS[kind]
    check_size(path.stat().st_size, MOST_BYTES, "bytes", name, _TOO_LARGE)
    raw, meta = _read(path, name, program, encoding)
    if not raw.columns:
        raise InputError(f"{name} has no variables; there is nothing to read")
    columns = check_names(raw.columns, name)
    cells: list[pl.Series] = []
    codes: dict[str, pl.Series] = {}
    for title in columns:
        if title in meta.missing_user_values:
            numbers, codes[title] = _without_letters(raw[title])
            cells.append(_plain(numbers, codes[title].is_not_null()))
        else:
            is_declared = _mask_declared(raw[title], meta.missing_ranges.get(title, ()))
            codes[title] = groups_in(raw[title].filter(is_declared))
            cells.append(_plain(raw[title], is_declared))
    frame = pl.DataFrame(cells)
    labels = _labels(raw.columns, meta, has_letters=program.has_letters)
    weight = weight_variable(path, columns) if kind == "sav" else None
    if weight is not None:
        labels[weight] = replace(labels[weight], is_weight=True)
    return Table(
        name,
        path,
        columns,
        frame_reader(frame),
        n_rows=frame.height,
        settings=(kind, encoding or "detected"),
        labels=labels,
        notes=(*_missing_notes(codes), *_weight_notes(weight)),
        export=program.name,
    )


def _read(path: Path, name: str, program: _Program, encoding: str | None) -> tuple[pl.DataFrame, Any]:
    import pyreadstat

    read = getattr(pyreadstat, program.reader)
    settings: dict[str, Any] = {"output_format": "polars", "encoding": encoding}
    if program.reader != "read_xport":
        settings["user_missing"] = True
    try:
        width = len(read(path, metadataonly=True, **settings)[0].columns)
        # A file may state a wrong number of rows, or none. One above the limit shows that there are too many.
        most = MOST_CELLS // max(1, width) + 1
        frame, meta = read(path, row_limit=most, **settings)
        if program.reader == "read_sas7bdat" and (catalog := _find_catalog(path)):
            meta.variable_value_labels = _labels_of_formats(catalog, meta, encoding)
    except (
        pyreadstat.ReadstatError,
        pyreadstat.PyreadstatError,
        OverflowError,
        UnicodeError,
        ValueError,
    ) as error:
        reason = str(error).strip().rstrip(".").lower() or "damaged"
        is_encoding = "encod" in reason or "convert" in reason
        remedy = "name its `encoding`" if is_encoding else f"save it again in {program.name}"
        kind = f"{program.article} {program.name} file"
        raise InputError(f"{name} cannot be read as {kind} ({reason}); {remedy}") from error
    if frame.height == most:
        n_cells = max(most, meta.number_rows or 0) * width
        check_size(n_cells, MOST_CELLS, "cells (rows times columns)", name, _TOO_LARGE)
    return frame, meta


def _find_catalog(path: Path) -> Path | None:
    """Return the catalog beside a file of SAS; ``None`` without one."""
    catalogs = (path.with_suffix(_CATALOG), path.with_name(f"{_FORMATS}{_CATALOG}"))
    return next((catalog for catalog in catalogs if catalog.exists()), None)


def _labels_of_formats(catalog: Path, meta: Any, encoding: str | None) -> dict[str, dict[Any, str]]:
    """Return the labels of values by variable, from a catalog that has them by format.

    The library that reads both files would put the labels in place of the values, and lose their order.
    """
    import pyreadstat

    _, formats = pyreadstat.read_sas7bcat(catalog, encoding=encoding, output_format="polars")
    labels = {name.casefold(): values for name, values in formats.value_labels.items()}
    return {
        variable: labels[name.casefold()]
        for variable, name in meta.variable_to_label.items()
        if name.casefold() in labels
    }


def _without_letters(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Split a column into its numbers, and its missing values with a letter, such as ``.a``."""
    values = cells.to_list()
    numbers = [
        None if isinstance(value, str) else float(value) if value is not None else None for value in values
    ]
    codes = [f".{value}" if isinstance(value, str) else None for value in values]
    return pl.Series(cells.name, numbers, dtype=pl.Float64), pl.Series(cells.name, codes, dtype=pl.String)


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


def _labels(
    columns: Sequence[str],
    meta: Any,
    *,
    has_letters: bool,
) -> dict[str, ColumnLabels]:
    titles = {column: plain_label(str(meta.column_names_to_labels.get(column) or "")) for column in columns}
    sets = {
        title: _in_set(str(handle), response_set, option)
        for handle, response_set in (meta.mr_sets or {}).items()
        for title, option in _options(response_set["variable_list"], titles).items()
    }
    labels: dict[str, ColumnLabels] = {}
    for title in columns:
        stated = meta.variable_value_labels.get(title) or {}
        worded = {value: plain_label(label) for value, label in stated.items()}
        is_number = meta.readstat_variable_types.get(title) != "string"
        lettered = [value for value in worded if has_letters and is_number and isinstance(value, str)]
        values = _value_names({value: label for value, label in worded.items() if value not in lettered})
        letters = {f".{value}": worded[value] for value in lettered}
        ranges = meta.missing_ranges.get(title, ())
        measure = meta.variable_measure.get(title, "")
        labels[title] = replace(
            sets.get(title, ColumnLabels()),
            label=titles[title],
            values=values | letters,
            missing=(*_codes(ranges, values), *(f"{value} ({label})" for value, label in letters.items())),
            missing_values=[
                *(name for value, name in zip(worded, values, strict=False) if _is_in(value, ranges)),
                *letters,
            ],
            measure=measure if measure in _MEASURES else "",
        )
    return labels


def _options(variables: Sequence[str], titles: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a set: its variables' labels without a question that all of them begin with."""
    labels = [titles.get(variable, "") for variable in variables]
    for sign in _BEFORE_OPTIONS:
        _, options = split_texts(labels, sign)
        if all(options):
            return dict(zip(variables, options, strict=True))
    return dict(zip(variables, labels, strict=True))


def _in_set(handle: str, response_set: Mapping[str, Any], label: str) -> ColumnLabels:
    """Label a column of a set of multiple responses: as an option with its counted value, or as mentions."""
    question = plain_label(str(response_set.get("label") or handle))
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


def _missing_notes(codes: Mapping[str, pl.Series]) -> list[str]:
    """Count the cells with a value that the file declares missing, by column."""
    counts = {title: Counter(cells.drop_nulls().to_list()) for title, cells in codes.items()}
    named = [f"{title} {_most_frequent(count)}" for title, count in counts.items() if count]
    if not named:
        return []
    more = f", and {len(named) - _NAMED} more columns" if len(named) > _NAMED else ""
    return [f"cells that the file declares missing are missing: {', '.join(named[:_NAMED])}{more}"]


def _most_frequent(codes: Counter[str]) -> str:
    return " and ".join(f"{code} ({n:,})" for code, n in codes.most_common(_NAMED))


def _weight_notes(weight: str | None) -> list[str]:
    if weight is None:
        return []
    remedy = hint(f"; use `weight={weight!r}` to apply the weights here")
    return [f"SPSS weights this file by '{weight}'{remedy}"]


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
