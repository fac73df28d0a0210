"""Rated texts: those that meet the filters of the page of ratings, and one with the origin of its rating."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.rating.summary import RatingSummary
from semscale.stats.intervals import mass_names
from semscale.store.writing import PREFIX
from semscale.tabulation.text_results import results_start
from semscale.workbench.runs import SHOWN, Found, position_in


@dataclass(frozen=True)
class FoundTexts(Found[dict[str, Any]]):
    """Texts of a run, with their ratings, that meet the filters of the page.

    Attributes:
        statuses: statuses that occur.
        groups: values of the group.
    """

    statuses: list[str]
    groups: list[str]

    @property
    def tallest(self) -> float:
        """Greatest probability of a point, to which small figures are scaled."""
        return max((mass or 0.0 for row in self.rows for mass in row["masses"]), default=1.0) or 1.0


def find_texts(rated: Path, text: str, summary: RatingSummary, query: Mapping[str, str]) -> FoundTexts:
    """Find the texts of a rated table that meet the filters of the page, in the order of its choice.

    Args:
        rated: the table.
        text: its column with the texts.
        summary: its summary.
        query: fields of the address, with the filters.
    """
    table = pl.scan_parquet(rated).with_row_index("row", 1)
    titles = table.collect_schema().names()
    group = summary.by if summary.by in titles else ""
    filters = {name: query.get(name, "") for name in ("status", "point", "group", "words", "sort")}
    named = results_start(text)  # how ratings begin beside those of another text, which the file had already
    prefix = named if f"{named}status" in titles else PREFIX
    status, mode, mean = (pl.col(f"{prefix}{name}") for name in ("status", "mode", "mean"))
    conditions = [
        pl.col(text).cast(pl.String).str.contains_any([filters["words"]], ascii_case_insensitive=True)
        if filters["words"]
        else None,
        status == filters["status"] if filters["status"] else None,
        mode.cast(pl.Float64) == _number(filters["point"], math.nan) if filters["point"] else None,
        pl.col(group).cast(pl.String) == filters["group"] if filters["group"] and group else None,
    ]
    found = table
    for condition in conditions:
        found = found if condition is None else found.filter(condition)
    if filters["sort"] and not summary.withholds_means:
        is_falling = filters["sort"] == "highest"
        found = found.sort(mean, "row", descending=[is_falling, False], nulls_last=True)
    n = int(found.select(pl.len()).collect().item())
    start = position_in(query, n)
    masses = [prefix + name for name in mass_names(summary.scale.values)]
    wanted = {"row": pl.col("row"), "text": pl.col(text), "status": status, "mean": mean}
    wanted["masses"] = pl.concat_list(masses)
    rows = found.slice(start, SHOWN).select(**wanted).collect().to_dicts()
    groups = table.select(pl.col(group).cast(pl.String).unique().sort()) if group else None
    return FoundTexts(
        rows=rows,
        n=n,
        start=start,
        filters=filters,
        statuses=table.select(status.unique().sort()).collect().to_series().to_list(),
        groups=[] if groups is None else groups.collect().to_series().drop_nulls().to_list(),
    )


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def text_in_row(rated: Path, text: str, row: str) -> str:
    """Return the text in a row of a rated table.

    Args:
        rated: the table.
        text: its column with the texts.
        row: number of the row, from 1, as the address has it.

    Raises:
        InputError: there is no such row, or it has no text.
    """
    position = int(row) - 1 if row.isdecimal() else -1
    cells = pl.scan_parquet(rated).slice(max(position, 0), 1).select(pl.col(text).cast(pl.String)).collect()
    found = cells.to_series().to_list() if position >= 0 else []
    if not found or found[0] is None:
        raise InputError("row", f"must be a row with a text, got {row!r:.20}")
    return str(found[0])
