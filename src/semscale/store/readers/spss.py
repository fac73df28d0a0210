"""SPSS files, ``.sav`` and ``.zsav``: values with their labels; values declared missing are missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.extras import require
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import groups_in
from semscale.store.readers.spss_weight import weight_variable
from semscale.store.table import Table, check_names

_EXACT = 2.0**53
_NAMED = 5
_MEASURES = frozenset({"nominal", "ordinal", "scale"})


def open_spss(path: Path, name: str, *, encoding: str | None = None) -> Table:
    """Open a file of SPSS; all of it is read into memory.

    Whole numbers come as integers. An empty text, and a value that the file declares missing, is null; the
    declared values are named in the labels of the column and counted in a note. Labels of variables and
    values, levels of measurement, sets of multiple responses and the weight are kept as labels.

    Args:
        path: the file.
        name: its name in messages.
        encoding: of its texts, where the file says it wrong or not at all.

    Raises:
        InputError: the file cannot be read, or has no variables.
        MissingExtraError: the extra ``spss`` is not installed.
    """
    require("spss")
    raw, meta = _read(path, name, encoding)
    if not raw.columns:
        raise InputError(f"{name} has no variables; there is nothing to read")
    columns = check_names(raw.columns, name)
    declared = {title: _declared(raw[title], meta.missing_ranges.get(title, ())) for title in columns}
    frame = pl.DataFrame([_plain(raw[title], declared[title]) for title in columns])
    weight = weight_variable(path, columns)
    labels = _labels(raw.columns, meta)
    if weight is not None:
        labels[weight] = replace(labels[weight], is_weight=True)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        for start in range(skip, frame.height, size):
            yield frame.slice(start, size)

    return Table(
        name,
        path,
        columns,
        read,
        n_rows=frame.height,
        settings=("sav", encoding or "detected"),
        labels=labels,
        notes=(*_missing_notes(raw, declared), *_weight_notes(weight)),
    )


def _read(path: Path, name: str, encoding: str | None) -> tuple[pl.DataFrame, Any]:
    from pyreadstat import PyreadstatError, ReadstatError, read_sav

    try:
        frame, meta = read_sav(path, output_format="polars", user_missing=True, encoding=encoding)
    except (ReadstatError, PyreadstatError, OverflowError, UnicodeError, ValueError) as error:
        reason = str(error).strip().rstrip(".").lower() or "damaged"
        remedy = (
            "name its --encoding" if "encod" in reason or "convert" in reason else "save it again in SPSS"
        )
        raise InputError(f"{name} cannot be read as an SPSS file ({reason}); {remedy}") from error
    return frame, meta


def _declared(cells: pl.Series, ranges: Sequence[Mapping[str, Any]]) -> pl.Series:
    """Tell which cells have a value that is declared missing."""
    found = pl.Series([False] * len(cells), dtype=pl.Boolean)
    for one in ranges if cells.dtype != pl.Null else ():
        inside = (cells >= one["lo"]) & (cells <= one["hi"])
        found |= inside.fill_null(value=False)
    return found


def _plain(cells: pl.Series, is_declared: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        return cells.set(is_declared | (cells == "").fill_null(value=False), None)
    if not cells.dtype.is_float():
        return cells.set(is_declared, None) if is_declared.any() else cells
    numbers = cells.fill_nan(None).set(is_declared, None)
    is_whole = ((numbers == numbers.floor()) & (numbers.abs() <= _EXACT)).all()
    return numbers.cast(pl.Int64) if is_whole else numbers


def _labels(columns: Sequence[str], meta: Any) -> dict[str, ColumnLabels]:  # noqa: ANN401 - of pyreadstat
    sets = {
        title: _in_set(str(handle), found, str(meta.column_names_to_labels.get(title) or ""))
        for handle, found in (meta.mr_sets or {}).items()
        for title in found["variable_list"]
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


def _in_set(handle: str, found: Mapping[str, Any], label: str) -> ColumnLabels:
    """Say what a column is in a set of multiple responses: an option with its counted value, or mentions."""
    question = str(found.get("label") or handle)
    if not found["is_dichotomy"]:
        return ColumnLabels(question=question, are_mentions=True)
    counted = found.get("counted_value")
    return ColumnLabels(question=question, option=label, counted="" if counted is None else str(counted))


def _value_names(labels: Mapping[Any, str]) -> dict[str, str]:
    names = groups_in(pl.Series([float(value) for value in labels])) if _are_numbers(labels) else list(labels)
    return dict(zip(map(str, names), labels.values(), strict=True))


def _is_in(value: float | str, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a value is declared missing."""
    return any(one["lo"] <= value <= one["hi"] for one in ranges)


def _are_numbers(labels: Mapping[Any, str]) -> bool:
    return all(isinstance(value, int | float) for value in labels)


def _codes(ranges: Sequence[Mapping[str, Any]], values: Mapping[str, str]) -> tuple[str, ...]:
    """Name what is declared missing, each code with its words."""
    named = []
    for one in ranges:
        low, high = (end if isinstance(end, str) else f"{end:g}" for end in (one["lo"], one["hi"]))
        shown = low if low == high else f"{low} to {high}"
        named.append(f"{shown} ({values[low]})" if low == high and low in values else shown)
    return tuple(named)


def _missing_notes(raw: pl.DataFrame, declared: Mapping[str, pl.Series]) -> list[str]:
    counted = {title: int(found.sum()) for title, found in declared.items() if found.any()}
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
    return [f"SPSS weights this file by '{weight}'; here --weight '{weight}' does so, and nothing else"]
