"""Files to take away: the report of a run, and its table."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.store.table import ColumnLabels
from semscale.store.writing import write_table

REPORTS = {"html": "page", "xlsx": "Excel", "pptx": "slides", "md": "Markdown"}
"""Formats of reports, by their kind in an address."""

TABLES = {"csv": "CSV", "table.xlsx": "Excel", "sav": "SPSS", "parquet": "Parquet"}
"""Formats of the table with a row for each answer."""


def write_export(
    kind: str, out: Path, summary: Presentable, labels: Mapping[str, ColumnLabels] | None = None
) -> Path:
    """Write the report of a run or its table beside that table, and return its path.

    Args:
        kind: one of ``REPORTS`` or ``TABLES``.
        out: the table that the run wrote.
        summary: the summary of the run.
        labels: labels of the table's columns, for SPSS.

    Raises:
        SemscaleError: there is no such kind, or the format needs an extra that is not installed.
    """
    _check_kind(kind, REPORTS | TABLES)
    if kind in REPORTS:
        return write_report(kind, out, summary)
    path = out.with_suffix(f".{kind}")
    if path != out:
        write_table(pl.read_parquet(out), path, labels=labels)
    return path


def write_report(kind: str, out: Path, summary: Presentable) -> Path:
    """Write a report beside the results that it is about, and return its path.

    Args:
        kind: one of ``REPORTS``.
        out: path of the results; the report has its name with another extension.
        summary: what is reported.

    Raises:
        SemscaleError: there is no such kind, or the format needs an extra that is not installed.
    """
    _check_kind(kind, REPORTS)
    path = out.with_suffix(f".{kind}")
    summary.report(path)
    return path


def _check_kind(kind: str, known: Mapping[str, str]) -> None:
    if kind not in known:
        raise InputError("kind", f"must be one of {', '.join(known)}, got {kind!r:.20}")
