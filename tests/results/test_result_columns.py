"""Columns that the fields of a result declare: what is written is read back."""

import math
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from semscale.guards.findings import Finding, Span
from semscale.results.result_columns import records


class Colour(StrEnum):
    DARK_RED = "dark-red"


@dataclass(frozen=True)
class Patch:
    colour: Colour
    share: float
    label: str | None = None


def test_records_are_read_back_with_their_enums_and_missing_values():
    rows = ((Patch(Colour.DARK_RED, 0.5, "a"), Patch(Colour.DARK_RED, math.nan)), ())
    (column,) = records(Patch).write(rows, "patches")
    assert column.dtype == pl.List(pl.Struct({"colour": pl.String, "share": pl.Float64, "label": pl.String}))
    (first, second), nothing = records(Patch).read([column])
    assert (first, nothing) == (rows[0][0], ())
    assert first.colour is Colour.DARK_RED
    assert math.isnan(second.share)
    assert second.label is None


def test_records_in_records_may_be_missing():
    rows = ((Finding("number", "other-value", "12, 13", None, Span(0, 2, "13")),),)
    (column,) = records(Finding).write(rows, "findings")
    assert records(Finding).read([column]) == rows


def test_no_rows_have_the_same_columns():
    (column,) = records(Span).write((), "spans")
    assert column.dtype == pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "text": pl.String}))
    assert records(Span).read([column]) == ()
