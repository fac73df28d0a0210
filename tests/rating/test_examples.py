"""Rows that a report shows: the same from memory, from a file in any parts, and after a stop."""

from dataclasses import fields

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.errors import InterruptedRunError
from semscale.rating.examples import SAMPLE_SIZE, distinct_rows
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.store.reading import open_table

COLUMNS = FileColumns("text")


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
        one, other = getattr(got, name), getattr(expected, name)
        if name == "set_agreement":
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
        elif name == "set_variances":
            for part in ("respondent", "anchor_set", "residual"):
                ends = [[e.value, e.low, e.high] for e in (getattr(one, part), getattr(other, part))]
                np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)
        elif name == "estimates":
            assert one.overall.mean.value == pytest.approx(other.overall.mean.value, abs=1e-12)
        elif isinstance(other, pl.DataFrame):
            assert_frame_equal(one, other, check_exact=True)
        elif name != "created":
            assert one == other, name


@pytest.mark.parametrize("part_rows", [90, 700, 5000])
def test_a_file_in_any_parts_gives_the_report_that_memory_gives(rater, many, part_rows):
    frame, table = many
    expected = rater.rate(frame["text"]).summarize(frame["text"], source="many.parquet", seed=3)
    assert expected.sample.height == SAMPLE_SIZE
    settings = FileSettings(part_rows, seed=3)
    assert_same_report(rate_file(table, COLUMNS, rater=rater, settings=settings), expected)


def test_a_resumed_run_gives_the_report_that_memory_gives(survey, tmp_path, rater, toy_embedder, many):
    frame, table = many
    settings, out = FileSettings(500, seed=3), tmp_path / "rated.csv"
    # The anchors are embedded first, then four parts: the fourth call is the third part.
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=4)
    with pytest.raises(InterruptedRunError, match="1,000 rows"):
        rate_file(table, COLUMNS, rater=stopped, out=out, settings=settings)
    resumed = rate_file(table, COLUMNS, rater=rater, out=out, settings=settings)
    texts = frame["text"]
    assert_same_report(resumed, rater.rate(texts).summarize(texts, source="many.parquet", seed=3))


def test_cells_that_are_no_texts_are_shown_alike(tmp_path, rater):
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"text": "great thing"}\n{"text": 5}\n{"text": ["a"]}\n{"text": null}\n')
    cells = ["great thing", 5, ["a"], None]
    expected = rater.rate(cells).summarize(cells)
    # JSON as in the file, and statuses in their order: missing before what is no text.
    assert expected.left_out["text"].to_list() == [None, "5", '["a"]']
    summary = rate_file(open_table(path), COLUMNS, rater=rater)
    assert_frame_equal(summary.left_out, expected.left_out)


def test_half_of_a_surrogate_pair_is_shown_as_the_model_reads_it(rater, toy_embedder):
    rated = rater.rate_vectors(toy_embedder.embed(["great thing", "bad stuff"]).vectors)
    summary = rated.summarize(["great thing\ud83d", "bad stuff"])
    assert summary.sample["text"].to_list() == ["great thing\ufffd", "bad stuff"]


def test_a_text_is_an_example_once():
    # In this order the cells are bad, good, good, bad: the first bad one is row 3, the first good one row 0.
    assert distinct_rows(np.array([3, 0, 2, 1]), ["good", "bad", "good", "bad"]).tolist() == [3, 0]
