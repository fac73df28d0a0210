"""A summary of matches: its counts and scores, its JSON, and how it is made in Python."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.matching.made_up_matches import GROUPS, PREDICTIONS, REFERENCES, matches

from semscale.errors import InputError
from semscale.matching.summary import Separation


@pytest.fixture(scope="module")
def summary():
    by = pl.Series("topic", GROUPS)
    return matches().summarize(PREDICTIONS, REFERENCES, by=by, source="a.csv", interval=0.9, seed=3)


def test_counts_are_those_of_all_items(summary):
    assert (summary.n, summary.n_windowed, summary.n_flagged) == (8, 2, 2)
    assert summary.counts == {"scored": 7, "missing": 1}
    assert summary.guards == {"negation": 2}  # items, not findings
    # .5 + .1 + .9 + .3 + .7 + .2 + .8 = 3.5
    assert summary.estimates.overall.mean.value == pytest.approx(0.5)
    assert (summary.estimates.interval, summary.estimates.by) == (0.9, "topic")


def test_scores_are_at_hand_as_a_whole_and_by_group(summary):
    assert sorted(summary.scores) == [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9]
    # Row 5 has no group, and that of row 7 is empty, which is none as well.
    assert {name: scores.tolist() for name, scores in summary.group_scores.items()} == {
        "a": [0.5, 0.3], "b": [0.1, 0.9, 0.2], None: [0.7, 0.8],
    }  # fmt: skip


def test_match_summary_works_without_texts():
    bare = matches(findings=False).summarize()
    item = bare.lowest[0]
    assert (item.prediction, item.reference, item.group, item.findings) == (None, None, None, None)
    assert (bare.n_flagged, bare.guards, bare.separation, bare.is_explained) == (None, {}, None, False)
    assert bare.group_scores == {}


def test_match_record_counts_rows_from_1(summary):
    record = replace(summary, separation=Separation(0.9, np.array([0.1, 0.3]))).record()
    assert [item["row"] for item in record["lowest"]] == [3, 7, 5, 1, 6, 8, 4]
    assert record["instrument"] == "match"
    assert record["separation"] == {"share_above": 0.9, "unrelated_pairs": 2, "unrelated_mean": 0.2}
    assert record["estimates"] is summary.estimates


def test_columns_must_be_as_long_as_the_matches():
    with pytest.raises(InputError, match="predictions must have 8 rows"):
        matches().summarize(PREDICTIONS[:3])
    with pytest.raises(InputError, match="references must have 8 rows"):
        matches().summarize(PREDICTIONS, ["a"])
    with pytest.raises(InputError, match="by must have 8 rows"):
        matches().summarize(by=["a"])


def test_match_summary_repr_is_a_single_line(summary):
    mean = summary.estimates.overall.mean
    shown = f"mean=0.50 [{mean.low:.2f}, {mean.high:.2f}]"
    assert repr(summary) == f"MatchSummary(source='a.csv', n=8, n_scored=7, {shown})"
