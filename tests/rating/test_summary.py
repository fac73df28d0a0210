"""Summaries of ratings: samples, distinct texts, agreement of anchor sets."""

from dataclasses import fields, replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.errors import InputError
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.summary import (
    EXAMPLE_SCHEMA,
    SAMPLE_SIZE,
    DistinctCount,
    RatingSummary,
    set_correlations,
    set_moments,
)
from semscale.rating.table import rate_table
from semscale.results.table_runs import PartSettings
from semscale.scales import Scale
from semscale.stats.intervals import IntervalPlan, Moments
from semscale.store.reading import open_table

TEXTS = [
    "great",
    "bad",
    None,
    "great",
    " ",
    5,
    "unknown words here",
    "bad great",
    "so so",
    "great so",
    float("nan"),
]


@pytest.fixture
def mood_rater(toy_embedder):
    sets = {"plain": ("bad", "so so", "great"), "other": ("bad thing", "so so thing", "great thing")}
    points = [{"value": v, "label": label} for v, label in enumerate(("bad", "middling", "good"))]
    scale = Scale(
        name="mood", title="Mood", question="How?", provenance="a test", points=points, anchor_sets=sets
    )
    return Rater(scale, embedder=toy_embedder, floor=0.2)


@pytest.fixture
def summary(mood_rater) -> RatingSummary:
    return mood_rater.rate(TEXTS).summarize(TEXTS, source="answers.csv")


def test_counts(summary):
    assert summary.n == 11
    assert summary.counts == {"scored": 6, "missing": 2, "not-text": 1, "empty": 1, "off-topic": 1}
    # great, bad, white space, unknown words here, bad great, so so, great so
    assert summary.n_distinct == 7
    assert summary.n_windowed == 0
    assert (summary.source, summary.floor, summary.by) == ("answers.csv", 0.2, None)
    assert summary.estimates.overall.n == 6
    assert summary.created.tzinfo is not None


def test_tables_have_their_columns_and_rows(summary, mood_rater):
    for table in (summary.sample, summary.most_certain, summary.least_certain):
        assert dict(table.schema) == EXAMPLE_SCHEMA
    assert summary.sample["row"].to_list() == [0, 1, 3, 7, 8, 9]
    np.testing.assert_allclose(summary.sample["mean"], mood_rater.rate(TEXTS).mean[[0, 1, 3, 7, 8, 9]])


def test_examples_are_distinct_and_sorted_by_certainty(summary):
    for table, descending in ((summary.most_certain, False), (summary.least_certain, True)):
        assert table["text"].n_unique() == table.height == 5
        assert table["entropy"].is_sorted(descending=descending)


def test_left_out_rows_are_shown_by_status_where_they_have_a_text(summary):
    assert summary.left_out == {
        "missing": (), "not-text": ((5, "5"),), "empty": (), "off-topic": ((6, "unknown words here"),),
    }  # fmt: skip


def test_large_samples_are_seeded_and_in_order(mood_rater):
    texts = ["great", "bad", "so so"] * 200
    rated = mood_rater.rate(texts)
    first, same, second = (rated.summarize(texts, seed=seed).sample for seed in (1, 1, 2))
    assert first.height == 400
    assert first["row"].is_sorted()
    assert first.equals(same)
    assert not first.equals(second)


def test_examples_are_few(mood_rater):
    texts = [f"{word} {number}" for word in ("great", "bad") for number in range(30)] + [None] * 9
    summary = mood_rater.rate(texts).summarize(texts)
    assert summary.most_certain.height == summary.least_certain.height == 8


def test_summary_stores_its_inputs(mood_rater):
    rated = mood_rater.rate(TEXTS)
    comparison = rated.compare([2, 0, None, 2, None, None, None, 1, 1, 2, None], texts=TEXTS)
    regions, people = pl.Series("region", ["x"] * 11), [f"person {row % 3}" for row in range(11)]
    summary = rated.summarize(
        TEXTS, comparison=comparison, by=regions, weights=[2.0] * 11, respondents=people, interval=0.9
    )
    expected = rated.estimate(by=regions, weights=[2.0] * 11, respondents=people, interval=0.9)
    assert summary.estimates == expected
    assert summary.comparison is comparison
    assert (summary.by, summary.weight, summary.respondent) == ("region", "weight", "respondent")
    assert comparison.n == 6


def test_nothing_scored_still_has_a_summary(mood_rater):
    summary = mood_rater.rate([None, ""]).summarize([None, ""])
    assert summary.sample.height == summary.most_certain.height == 0
    assert summary.estimates.overall.mean is None
    assert np.isnan(summary.set_agreement).all()


def test_other_texts_are_refused(mood_rater):
    with pytest.raises(InputError, match="texts must have 11 rows"):
        mood_rater.rate(TEXTS).summarize(TEXTS[:-1])


COLUMNS = RatingColumns(text="text")


@pytest.fixture
def many(survey, tmp_path):
    """Two thousand answers, so that the 400 of the sample have to be chosen."""
    path = tmp_path / "many.parquet"
    frame = survey.some_answers(2000)
    frame.write_parquet(path)
    return frame, open_table(path)


def assert_same_report(got, expected):
    """Everything in a summary but its time; sums over sets may differ in the last digits."""
    for name in (field.name for field in fields(expected)):
        first, second = getattr(got, name), getattr(expected, name)
        if name == "set_agreement":
            np.testing.assert_allclose(first, second, rtol=0, atol=1e-9)
        elif name == "set_variances":
            for part in ("respondent", "anchor_set", "residual"):
                ends = [[e.value, e.low, e.high] for e in (getattr(first, part), getattr(second, part))]
                np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)
        elif name == "estimates":
            assert first.overall.mean.value == pytest.approx(second.overall.mean.value, abs=1e-12)
        elif name == "discriminant":
            measured = [(check.n, check.sentiment, check.length) for check in (first, second)]
            np.testing.assert_allclose(*measured, rtol=0, atol=1e-9)
        elif isinstance(second, pl.DataFrame):
            assert_frame_equal(first, second, check_exact=True)
        elif name != "created":
            assert first == second, name


@pytest.mark.exhaustive
def test_a_file_in_parts_gives_the_report_that_memory_gives(rater, many):
    frame, table = many
    expected = rater.rate(frame["text"]).summarize(frame["text"], source="many.parquet", seed=3)
    assert expected.sample.height == SAMPLE_SIZE
    summary = rate_table(table, COLUMNS, rater, settings=PartSettings(700), plan=IntervalPlan(seed=3))
    # Only a table has columns with names.
    assert summary.input_notes[0].startswith("‘person’ has 667 respondents in 2,000 rows")
    assert_same_report(replace(summary, input_notes=(), text=""), expected)


def test_cells_that_are_no_texts_are_shown_alike(tmp_path, rater):
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"text": "great thing"}\n{"text": 5}\n{"text": ["a"]}\n{"text": null}\n')
    cells = ["great thing", 5, ["a"], None]
    expected = rater.rate(cells).summarize(cells)
    # JSON as in the file.
    assert expected.left_out["not-text"] == ((1, "5"), (2, '["a"]'))
    summary = rate_table(open_table(path), COLUMNS, rater=rater)
    assert summary.left_out == expected.left_out


def test_half_of_a_surrogate_pair_is_shown_as_the_model_reads_it(rater, toy_embedder):
    rated = rater.rate_vectors(toy_embedder.embed(["great thing", "bad stuff"]).vectors)
    summary = rated.summarize(["great thing\ud83d", "bad stuff"])
    assert summary.sample["text"].to_list() == ["great thing\ufffd", "bad stuff"]


def test_a_text_is_an_example_once_by_its_first_row(summary):
    for table in (summary.most_certain, summary.least_certain):
        assert table.filter(pl.col("text") == "great")["row"].to_list() == [0]


def test_distinct_texts_are_counted_over_parts():
    distinct = DistinctCount()
    for part in range(10):
        distinct.add([f"text {n}" for n in range(part, part + 100)])
    assert distinct.count == 109  # texts 0 to 108


def test_too_many_distinct_texts_are_not_counted(monkeypatch):
    monkeypatch.setattr("semscale.rating.summary.MAX_DISTINCT", 10)
    distinct = DistinctCount()
    distinct.add([str(n) for n in range(10)])
    assert distinct.count == 10
    distinct.add(["one more"])
    assert distinct.count is None
    distinct.add(["a"])
    assert distinct.count is None


def test_halves_of_surrogate_pairs_are_counted_as_what_the_model_reads():
    distinct = DistinctCount()
    distinct.add(["good\ud83d", "good\ufffd", "good"])
    assert distinct.count == 2


def test_correlations_from_sums_are_numpys():
    rng = np.random.default_rng(0)
    means = 3 + 0.1 * rng.standard_normal((500, 4)) @ rng.standard_normal((4, 4))
    moments = Moments.empty(4)
    for part in np.array_split(means, 7):
        moments = moments.plus(set_moments(part, np.arange(1, 6)))
    np.testing.assert_allclose(set_correlations(moments), np.corrcoef(means.T), atol=1e-12)


def test_correlations_that_do_not_exist_are_nan():
    assert np.isnan(set_correlations(Moments.empty(2))).all()
    assert np.isnan(set_correlations(set_moments(np.array([[1.0, 2.0]]), np.array([1.0, 2.0])))).all()
    constant = set_correlations(set_moments(np.array([[1.0, 2.0], [1.0, 3.0]]), np.arange(1, 4)))
    assert np.isnan(constant[0]).all()
    assert constant[1, 1] == pytest.approx(1)


def test_correlations_of_sets_by_hand():
    # Second set runs against the first, third does not vary.
    table = set_correlations(
        set_moments(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 2.0], [3.0, 1.0, 2.0]]), np.arange(1, 4))
    )
    np.testing.assert_allclose(table, [[1, -1, np.nan], [-1, 1, np.nan], [np.nan] * 3])


def test_rows_that_not_all_sets_rated_are_left_out():
    whole = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    with_gaps = np.vstack([whole, [[5.0, np.nan], [np.nan, 4.0]]])
    actual, expected = (set_moments(means, np.arange(1, 6)) for means in (with_gaps, whole))
    assert actual.n == expected.n == 3
    np.testing.assert_array_equal(set_correlations(actual), set_correlations(expected))
