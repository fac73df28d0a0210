"""Results: selections of rows, columns of tables, and reasons for missing scores."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import pandas as pd
import polars as pl
import pytest

import semscale
from semscale.errors import InputError
from semscale.guards.findings import Finding, Span
from semscale.report import consistency, matching, rating
from semscale.results.estimates import estimate_values
from semscale.results.result import Result, reason_words, records
from semscale.signature import Signature
from semscale.types import Status


@dataclass(frozen=True, repr=False)
class Scores(Result):
    score: np.ndarray
    status: np.ndarray
    words: tuple[str, ...] = ()
    parts: dict[str, np.ndarray] = field(default_factory=dict)
    windows: np.ndarray = field(default_factory=lambda: np.array([1, 0, 3]))
    bounds: tuple[float, float, float] = (0.0, 1.0, 2.0)  # as long as there are rows, and no field of rows
    signature: Signature = field(default_factory=lambda: Signature.of("toy", model="bag#12"))

    row_fields = ("score", "status", "words", "parts", "windows")

    def estimate(self, **settings):
        return estimate_values(
            {"score": self.score}, self.status, bounds={"score": (0, 1)}, signature=self.signature, **settings
        )


def scores(**fields):
    values = np.array([0.25, np.nan, 0.75])
    status = np.where(np.isnan(values), Status.EMPTY, Status.SCORED)
    return Scores(values, status, ("a", "b", "c"), {"part": np.arange(3)}, **fields)


def test_rows_are_counted():
    result = scores()
    assert (result.n, len(result), result.n_scored, result.n_left_out, result.n_windowed) == (3, 3, 2, 1, 1)
    assert result.counts == {Status.SCORED: 2, Status.EMPTY: 1}
    assert result.scored.tolist() == [True, False, True]


class Short:
    """A summary that a notebook shows."""

    def _repr_html_(self):
        return "<p>short</p>"


class Summed(Scores):
    def _short_summary(self):
        return Short()


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.25, np.nan], "<p>short</p>"),
        ([np.nan], None),
        (np.zeros(5000), "<p>short</p>"),
        (np.zeros(5001), None),
    ],
)
def test_a_notebook_gets_the_summary_unless_there_is_no_score_or_too_many_rows(values, shown):
    values = np.array(values)
    status = np.where(np.isnan(values), Status.EMPTY, Status.SCORED)
    assert Summed(values, status)._repr_html_() == shown
    assert Scores(values, status)._repr_html_() is None  # without a summary of its own: its one line is shown


@pytest.mark.parametrize("container", [list, np.array, pl.Series, pd.Series])
def test_a_mask_keeps_rows_in_their_order_in_every_field(container):
    part = scores().filter(container([True, False, True]))
    assert part.score.tolist() == [0.25, 0.75]
    assert (part.words, part.parts["part"].tolist(), part.windows.tolist()) == (("a", "c"), [0, 2], [1, 3])
    assert part.bounds == (0.0, 1.0, 2.0)
    assert part.signature == scores().signature
    assert isinstance(part, Scores)


def test_a_result_is_sliced_by_a_mask_and_stays_as_it_was():
    result = scores()
    assert result[~result.scored].words == ("b",)
    assert result[[False] * 3].n == 0
    assert result.n == 3


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ([True], "mask must have 3 rows, as many as the result, got 1"),
        ([1, 0, 1], "mask must be 3 booleans, such as result.scored, .*got 1 among them"),
        ([True, None, False], "got None among them"),
        ("yes", "mask must be a list or a series"),
    ],
)
def test_what_is_no_mask_is_refused(mask, message):
    with pytest.raises(InputError, match=message):
        scores()[mask]


def test_repr_has_counts_and_model():
    assert repr(scores()) == "Scores(n=3, n_scored=2, model=bag#12)"
    assert repr(scores()[[False, True, False]]) == "Scores(n=1, n_scored=0, model=bag#12)"
    assert repr(scores(signature=Signature.of("toy"))) == "Scores(n=3, n_scored=2, model=unknown)"


def test_a_result_must_say_what_it_estimates():
    class Unestimated(Result):
        status = np.array([Status.SCORED])

    with pytest.raises(TypeError, match="abstract method '?estimate"):
        Unestimated()


@pytest.mark.parametrize(
    "rows", [slice(2), slice(1, None), slice(None, None, 2), slice(-1, None), slice(5, 9)]
)
def test_a_slice_keeps_rows_in_their_order(rows):
    marked = np.zeros(3, dtype=bool)
    marked[rows] = True
    np.testing.assert_array_equal(scores()[rows].status, scores()[marked].status)
    assert len(scores()[rows]) == len(range(3)[rows])


def test_a_number_and_a_step_back_are_refused_and_nothing_half_iterates():
    for index, remedy in ((0, "0:1"), (-1, "-1:"), (np.int64(1), "1:2")):
        with pytest.raises(
            InputError, match=rf"takes a mask or a slice, got {index}: result\[{remedy}\] keeps"
        ):
            scores()[index]
    with pytest.raises(InputError, match="a slice must not have a negative step, got a step of -1"):
        scores()[::-1]
    with pytest.raises(TypeError, match="not iterable"):
        list(scores())


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


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SCORED])
def test_every_status_without_a_score_has_a_reason(status):
    words = reason_words(status, "the answer")
    assert " " in words
    assert "{" not in words


def test_unreadable_text_has_the_same_reason_in_results_and_on_screen():
    answers, samples = ["👍", "It is good."], [["👎"], ["It is fine."]]
    reason = semscale.consistency(answers, samples).reasons[0]
    assert reason == reason_words(Status.WEIGHTLESS, "the answer") == rating.MEANINGS["weightless"]
    assert reason == consistency.MEANINGS["weightless"]
    assert matching.MEANINGS["weightless"].startswith(reason)
