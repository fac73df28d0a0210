"""A summary of matches: counts, thirds, and single items with all that is known of them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.matching.made_up_matches import GROUPS, PREDICTIONS, REFERENCES, matches

from semscale.errors import InputError
from semscale.matching.match_summary import KEPT
from semscale.matching.separation import Separation

DOCS = Path(__file__).parents[2] / "docs" / "match.md"


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
    # Row 5 has no group; that of row 7 is blank, and a group all the same.
    assert {name: scores.tolist() for name, scores in summary.group_scores.items()} == {
        "a": [0.5, 0.3], "b": [0.1, 0.9, 0.2], "": [0.8],
    }  # fmt: skip


def test_thirds_are_means_of_the_lowest_the_middle_and_the_highest_items(summary):
    # Seven items in thirds: .1, .2, .3; then .5, .7; then .8, .9.
    assert summary.thirds["score"] == pytest.approx((0.2, 0.6, 0.85))
    assert summary.thirds["word"] == pytest.approx((0.8, 0.4, 0.15))
    assert matches(parts=False).summarize().thirds == {}
    assert matches()[[True] * 6 + [False] * 2].summarize().thirds == {}  # five items have a score


def test_items_to_look_at_bring_their_texts_groups_parts_and_findings(summary):
    lowest, second = summary.worst(2)
    assert (lowest.row, lowest.score, lowest.prediction, lowest.group) == (2, 0.1, "not three", "b")
    assert lowest.reference == "drei"  # the second of two, which the score is from
    assert lowest.components == {"word": pytest.approx(0.9)}
    assert [found.reason for found in lowest.findings] == ["It denies three.", "It denies drei."]
    assert (second.row, second.findings, second.tokens) == (6, (), None)
    assert [item.row for item in summary.best_flagged(5)] == [7, 2]
    assert [item.row for item in summary.worst(100)] == [2, 6, 4, 0, 5, 7, 3]
    assert summary.worst(5)[4].reference == "sechs"  # a text beside lists of texts


def test_a_row_that_was_left_out_is_shown_by_what_it_has(summary):
    assert summary.left_out == {"missing": ((1, "zwei"),)}
    assert matches().summarize().left_out == {"missing": ()}


def test_texts_need_not_be_given():
    bare = matches(findings=False).summarize()
    (item,) = bare.worst(1)
    assert (item.prediction, item.reference, item.group, item.findings) == (None, None, None, None)
    assert (bare.n_flagged, bare.guards, bare.separation, bare.is_explained) == (None, {}, None, False)
    assert bare.group_scores == {}


def test_as_many_items_are_kept_as_a_report_and_json_show():
    many = replace(
        matches(findings=False, parts=False),
        score=np.linspace(1, 0, 50),
        status=np.full(50, matches().status[0], dtype=object),
        reference=np.zeros(50, np.int64),
        windows=np.ones(50, np.int64),
    )
    assert [item.row for item in many.summarize().worst(99)] == list(range(49, 49 - KEPT, -1))


def test_tokens_go_with_their_items():
    tokens = {6: pl.DataFrame({"token": ["seven"]})}
    explained = matches().summarize(PREDICTIONS, REFERENCES, tokens=tokens)
    assert explained.is_explained
    assert [item.tokens is None for item in explained.worst(2)] == [True, False]
    assert explained.record()["worst"][1]["tokens"] == [{"token": "seven"}]


def test_the_record_counts_rows_from_one(summary):
    record = replace(summary, separation=Separation(0.9, np.array([0.1, 0.3]))).record()
    assert [item["row"] for item in record["worst"]] == [3, 7, 5, 1, 6, 8, 4]
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


def test_its_short_form_is_one_line(summary):
    assert repr(summary) == "MatchSummary(source='a.csv', n=8, n_scored=7, mean=0.50)"


def test_the_example_of_the_document_runs(tmp_path, monkeypatch, capsys):
    code, shown = re.search(
        r"<!-- checked: summary -->\n```python\n(.*?)```\n\n```text\n(.*?)```",
        DOCS.read_text(encoding="utf-8"),
        re.DOTALL,
    ).groups()
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/match.md", "exec"), {})
    assert capsys.readouterr().out == shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["match.html", "match.xlsx"]
