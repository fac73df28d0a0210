"""Tables laid out for machines: cell by cell for data frames, and nested for JSON."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from semscale.tabulation.tables.crosstab import Crosstab, WaveChanges

DEVIATION = "standard deviation"
"""Name of the line below a mean."""

DIFFERENCE = "difference"
"""Statistic of a row that compares two columns."""


def cell_rows(table: Crosstab) -> Iterator[dict[str, Any]]:
    """Give one row for each cell of a table; NaN becomes ``None``."""
    association = table.association
    about = _about(table)
    of_table = {
        "n_ungrouped": table.n_ungrouped,
        "wave": table.wave or None,
        "wave_before": table.before or None,
        "chi_square_p": None if association is None else _known(association.p_value),
    }
    for place, line in enumerate(table.question.lines):
        for column, name in enumerate(table.columns):
            where = {"column": name, "column_letter": table.column_letters[column] or None}
            figures = _cell(table, place, column)
            changed = {f"change{end}": value for end, value in _change(table.changes, place, column).items()}
            yield {
                **about,
                **where,
                "line": line.name,
                "statistic": line.kind,
                **figures,
                **changed,
                **of_table,
            }
            if line.kind == "mean":
                yield {
                    **about, **where, "line": DEVIATION, "statistic": DEVIATION,
                    **figures, "value": _known(table.deviations[column]), "low": None, "high": None,
                    "letters": None, **dict.fromkeys(changed), **of_table,
                }  # fmt: skip


def difference_rows(table: Crosstab) -> Iterator[dict[str, Any]]:
    """Give one row for each line and pair of columns of a table; NaN becomes ``None``."""
    about = {**_about(table), "statistic": DIFFERENCE, "wave": table.wave or None}
    for line, pair in np.ndindex(table.differences.values.shape):
        first, second, figures = _difference(table, line, pair)
        yield {
            **about,
            "line": table.question.lines[line].name,
            "column": f"{table.columns[first]} minus {table.columns[second]}",
            "column_letter": f"{table.column_letters[first]}-{table.column_letters[second]}",
            "first": table.columns[first],
            "second": table.columns[second],
            "small_base": bool(table.small[line, first] | table.small[line, second]),
            **figures,
        }


def recorded_table(table: Crosstab) -> dict[str, Any]:
    """Lay a table out for JSON."""
    n, weight, effective = table.bases
    missing = table.cells.n_missing.min(axis=0)
    columns = [
        {
            "name": name,
            "letter": table.column_letters[place] or None,
            "n": n[place],
            "missing": missing[place],
            "weighted_base": weight[place],
            "effective_n": effective[place],
            "small_base": bool(table.is_small[place]),
            "standard_deviation": table.deviations[place],
        }
        for place, name in enumerate(table.columns)
    ]
    return {
        "question": table.question.name,
        "text": table.question.text,
        "taken_for": table.question.kind,
        "banner": table.banner.name or None,
        "answered_by": table.banner.answered_by or None,
        "ungrouped": table.n_ungrouped,
        "wave": table.wave or None,
        "wave_before": table.before or None,
        "columns": columns,
        "lines": [_recorded_line(table, place) for place in range(len(table.question.lines))],
        "differences": [
            _recorded_difference(table, line, pair)
            for line, pair in np.ndindex(table.differences.values.shape)
        ],
        "association": _recorded_association(table),
        "notes": list(table.question.notes),
    }


def _recorded_line(table: Crosstab, place: int) -> dict[str, Any]:
    line = table.question.lines[place]
    cells = []
    for column in range(len(table.columns)):
        change = _change(table.changes, place, column)
        has_change = change[""] is not None
        named = {name.removeprefix("_") or "value": value for name, value in change.items()}
        cells.append({**_cell(table, place, column), "change": named if has_change else None})
    return {"name": line.name, "statistic": line.kind, "is_net": line.is_net, "cells": cells}


def _recorded_difference(table: Crosstab, line: int, pair: int) -> dict[str, Any]:
    first, second, figures = _difference(table, line, pair)
    return {
        "line": table.question.lines[line].name,
        "first": table.columns[first],
        "second": table.columns[second],
        **figures,
    }


def _difference(table: Crosstab, line: int, pair: int) -> tuple[int, int, dict[str, float | None]]:
    """Give the places of a pair's columns, and the figures of their difference in a line."""
    found = table.differences
    figures = {
        "value": _known(found.values[line, pair]),
        "low": _known(found.low[line, pair]),
        "high": _known(found.high[line, pair]),
        "p": _known(found.p_values[line, pair]),
        "p_adjusted": _known(found.adjusted[line, pair]),
    }
    return int(found.first[pair]), int(found.second[pair]), figures


def _recorded_association(table: Crosstab) -> dict[str, Any] | None:
    found = table.association
    if found is None:
        return None
    return {
        "chi_square": found.chi_square,
        "f": found.f,
        "df": found.df,
        "df_below": found.df_below,
        "p_value": found.p_value,
        "n": found.n,
    }


def _about(table: Crosstab) -> dict[str, str | None]:
    return {
        "question": table.question.name,
        "question_text": table.question.text,
        "taken_for": table.question.kind,
        "banner": table.banner.name or None,
        "answered_by": table.banner.answered_by or None,
    }


def _cell(table: Crosstab, line: int, column: int) -> dict[str, Any]:
    cells = table.cells
    return {
        "value": _known(cells.values[line, column]),
        "low": _known(cells.low[line, column]),
        "high": _known(cells.high[line, column]),
        "n": int(cells.n[line, column]),
        "n_missing": int(cells.n_missing[line, column]),
        "weighted_base": float(cells.weight[line, column]),
        "effective_n": float(cells.effective_n[line, column]),
        "small_base": bool(table.small[line, column]),
        "letters": str(table.letters[line, column]) or None,
    }


def _change(changes: WaveChanges | None, line: int, column: int) -> dict[str, float | None]:
    """Give a change by the ends of its names; all ``None`` without waves."""
    ends = ("", "_low", "_high", "_p", "_p_adjusted")
    if changes is None:
        return dict.fromkeys(ends)
    parts = (changes.values, changes.low, changes.high, changes.p_values, changes.adjusted)
    return {end: _known(part[line, column]) for end, part in zip(ends, parts, strict=True)}


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
