"""What a report gets: the right rows, distinct examples, nothing invented for what is missing."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.rating.examples import EXAMPLE_SCHEMA
from semscale.rating.rater import Rater
from semscale.rating.summary import RatingSummary
from semscale.scales import Scale

DOCS = Path(__file__).parents[2] / "docs" / "rating.md"
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
def rater(toy_embedder):
    sets = {"plain": ("bad", "so so", "great"), "other": ("bad thing", "so so thing", "great thing")}
    points = [{"value": v, "label": label} for v, label in enumerate(("bad", "middling", "good"))]
    scale = Scale(
        name="mood", title="Mood", question="How?", provenance="a test", points=points, anchor_sets=sets
    )
    return Rater(scale, embedder=toy_embedder, floor=0.2)


@pytest.fixture
def summary(rater) -> RatingSummary:
    return rater.rate(TEXTS).summarize(TEXTS, source="answers.csv")


def test_counts(summary):
    assert summary.n == 11
    assert summary.counts == {"scored": 6, "missing": 2, "not-text": 1, "empty": 1, "off-topic": 1}
    # great, bad, white space, unknown words here, bad great, so so, great so
    assert summary.n_distinct == 7
    assert summary.n_windowed == 0
    assert (summary.source, summary.floor, summary.by) == ("answers.csv", 0.2, None)
    assert summary.estimates.overall.n == 6
    assert summary.created.tzinfo is not None


def test_tables_have_their_columns_and_rows(summary, rater):
    for table in (summary.sample, summary.most_certain, summary.least_certain, summary.left_out):
        assert dict(table.schema) == EXAMPLE_SCHEMA
    assert summary.sample["row"].to_list() == [0, 1, 3, 7, 8, 9]
    np.testing.assert_allclose(summary.sample["mean"], rater.rate(TEXTS).mean[[0, 1, 3, 7, 8, 9]])


def test_examples_are_distinct_and_sorted_by_certainty(summary):
    for table, descending in ((summary.most_certain, False), (summary.least_certain, True)):
        assert table["text"].n_unique() == table.height == 5
        assert table["entropy"].is_sorted(descending=descending)


def test_left_out_rows_have_null_and_not_zero(summary):
    left_out = summary.left_out
    assert left_out["status"].to_list() == ["missing", "missing", "not-text", "empty", "off-topic"]
    assert left_out["row"].to_list() == [2, 10, 5, 4, 6]
    assert left_out["text"].to_list() == [None, None, "5", " ", "unknown words here"]
    assert left_out["mean"].null_count() == left_out["pmf"].null_count() == 5
    assert left_out["similarity"].null_count() == 4


def test_large_samples_are_seeded_and_in_order(rater):
    texts = ["great", "bad", "so so"] * 200
    rated = rater.rate(texts)
    one, same, other = (rated.summarize(texts, seed=seed).sample for seed in (1, 1, 2))
    assert one.height == 400
    assert one["row"].is_sorted()
    assert one.equals(same)
    assert not one.equals(other)


def test_examples_are_few(rater):
    texts = [f"{word} {number}" for word in ("great", "bad") for number in range(30)] + [None] * 9
    summary = rater.rate(texts).summarize(texts)
    assert summary.most_certain.height == summary.least_certain.height == 8
    assert summary.left_out.filter(pl.col("status") == "missing")["row"].to_list() == [60, 61, 62]


def test_what_is_given_is_kept(rater):
    rated = rater.rate(TEXTS)
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


def test_nothing_scored_still_has_a_summary(rater):
    summary = rater.rate([None, ""]).summarize([None, ""])
    assert summary.sample.height == summary.most_certain.height == 0
    assert summary.estimates.overall.mean is None
    assert np.isnan(summary.set_agreement).all()


def test_other_texts_are_refused(rater):
    with pytest.raises(InputError, match="texts must have 11 rows"):
        rater.rate(TEXTS).summarize(TEXTS[:-1])


def test_the_docs_show_what_comes_of_a_summary(tmp_path, monkeypatch, capsys, embedder):
    code, shown = re.search(
        r"<!-- checked: summary -->\n```python\n(.*?)```\n\n```text\n(.*?)```",
        DOCS.read_text(encoding="utf-8"),
        re.DOTALL,
    ).groups()
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/rating.md", "exec"), {})
    assert capsys.readouterr().out == shown
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rated.html", "rated.xlsx"]
