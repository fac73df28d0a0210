"""Tables laid out for machines: cell by cell for data frames, and nested for JSON."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from semscale.tabulation.tables.crosstab import Crosstab, WaveChanges

DEVIATION = "standard deviation"
"""Name of the line below a mean."""


def cell_rows(table: Crosstab) -> Iterator[dict[str, Any]]:
    """Give one row for each cell of a table; NaN becomes ``None``."""
    association = table.association
    about = {
        "question": table.question.name,
        "question_text": table.question.text,
        "taken_for": table.question.kind,
        "banner": table.banner.name,
    }
    of_table = {
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
        "banner": table.banner.name,
        "ungrouped": table.n_ungrouped,
        "wave": table.wave or None,
        "wave_before": table.before or None,
        "columns": columns,
        "lines": [_recorded_line(table, place) for place in range(len(table.question.lines))],
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
