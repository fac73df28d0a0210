"""Parts summed up: ratings read back, and samples that stay small."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.rating.files import human_sample
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_summary import Collector, rated_frame, ratings_of
from semscale.rating.rater import Rater

TEXTS = ["great thing", None, "bad stuff", "", "so so", "great great thing"]


@pytest.fixture
def rater(toy_embedder):
    return Rater("quality", embedder=toy_embedder, floor=None)


def add(collector, frame):
    ratings = collector.rater.rate(frame["text"])
    collector.add(pl.concat([frame, rated_frame(ratings)], how="horizontal"))


def test_ratings_come_back_from_their_columns(rater):
    ratings = rater.rate(TEXTS)
    back = ratings_of(rated_frame(ratings), rater)
    np.testing.assert_array_equal(back.pmf, ratings.pmf)
    np.testing.assert_array_equal(back.similarity, ratings.similarity)
    np.testing.assert_array_equal(back.set_means, ratings.set_means)
    np.testing.assert_array_equal(back.windows, ratings.windows)
    assert back.status.tolist() == ratings.status.tolist()
    assert_frame_equal(back.to_frame(), ratings.to_frame())


def test_added_columns_all_have_the_prefix(rater):
    assert rated_frame(rater.rate(TEXTS)).columns == [
        f"semscale_{name}"
        for name in (
            "status",
            "mean",
            "mode",
            "entropy",
            "similarity",
            "windows",
            "language",
            "p_1",
            "p_2",
            "p_3",
            "p_4",
            "p_5",
            "set_means",
        )
    ]


@pytest.mark.parametrize("part_rows", [1, 9, 300])
def test_a_comparison_looks_at_a_sample_that_does_not_depend_on_the_parts(rater, monkeypatch, part_rows):
    monkeypatch.setattr(human_sample, "COMPARED_ROWS", 50)
    frame = pl.DataFrame({"text": TEXTS * 50, "human": [1.0, 2.0, 3.0, 4.0, None, 5.0] * 50})
    collector = Collector(rater, FileColumns("text", human="human"), seed=1)
    for start in range(0, 300, part_rows):
        add(collector, frame.slice(start, part_rows))
    compared = collector.summary("x.csv", 0.95).comparison
    assert (compared.n, compared.n_eligible) == (50, 150)
    assert dict(compared.signature.fields)["eligible"] == "150"
    # Of six rows one has no text, one is blank and one has no human rating, so 150 of 300 can be compared; a
    # sample of 50 of them, with texts of 11, 9 and 17 characters and humans 1, 3 and 5, has all three kinds.
    assert set(compared.points[:, 0]) == {1.0, 3.0, 5.0}
    whole = Collector(rater, FileColumns("text", human="human"), seed=1)
    add(whole, frame)
    np.testing.assert_allclose(compared.points, whole.summary("x.csv", 0.95).comparison.points, atol=1e-5)


def test_a_comparison_has_the_interval_that_was_asked_for(rater):
    collector = Collector(rater, FileColumns("text", human="human"))
    add(collector, pl.DataFrame({"text": TEXTS * 5, "human": [1.0, 2.0, 3.0, 4.0, None, 5.0] * 5}))
    assert collector.summary("x.csv", 0.5).comparison.interval == 0.5


def test_examples_of_texts_without_a_rating_are_the_first_of_each_kind(rater):
    frame = pl.DataFrame({"text": [None, "a", "", None, None, " ", None, "\t", ""]})
    collector = Collector(rater, FileColumns("text"))
    for start in range(9):
        add(collector, frame.slice(start, 1))
    left_out = collector.summary("x.csv", 0.95).left_out
    # Three of each status, in the order of the statuses: missing before empty.
    assert left_out["row"].to_list() == [0, 3, 4, 2, 5, 7]
    assert left_out["status"].to_list() == ["missing"] * 3 + ["empty"] * 3
    assert left_out["mean"].null_count() == 6


def test_the_source_has_no_folders(rater):
    collector = Collector(rater, FileColumns("text"))
    add(collector, pl.DataFrame({"text": TEXTS}))
    assert collector.summary("/home/someone/secret/answers.csv", 0.95).source == "answers.csv"


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum([text for text in TEXTS if text is not None])]
)
def test_distinct_texts_are_counted_whatever_type_the_column_has(rater, dtype):
    collector = Collector(rater, FileColumns("text"))
    add(collector, pl.DataFrame({"text": pl.Series(TEXTS * 2, dtype=dtype)}))
    add(collector, pl.DataFrame({"text": pl.Series([None, "so so"], dtype=dtype)}))
    add(collector, pl.DataFrame({"text": pl.Series([None], dtype=pl.Null)}))
    # Of six rows one has no text; the other five differ, the blank one among them.
    assert collector.summary("x.csv", 0.95).n_distinct == 5
