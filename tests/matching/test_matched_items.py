"""Single items of a match with all that is known of them, and means of the parts by thirds."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.matching.made_up_matches import GROUPS, PREDICTIONS, REFERENCES, matches

from semscale.matching.summary import SHOWN


@pytest.fixture(scope="module")
def summary():
    return matches().summarize(PREDICTIONS, REFERENCES, by=GROUPS)


def test_thirds_are_means_of_the_lowest_the_middle_and_the_highest_items(summary):
    # Seven items in thirds: .1, .2, .3; then .5, .7; then .8, .9.
    assert summary.thirds["score"] == pytest.approx((0.2, 0.6, 0.85))
    assert summary.thirds["word"] == pytest.approx((0.8, 0.4, 0.15))
    assert matches(parts=False).summarize().thirds == {}
    assert matches()[[True] * 6 + [False] * 2].summarize().thirds == {}  # five items have a score


def test_items_to_look_at_bring_their_texts_groups_parts_and_findings(summary):
    lowest, second = summary.lowest[:2]
    assert (lowest.row, lowest.score, lowest.prediction, lowest.group) == (2, 0.1, "not three", "b")
    assert lowest.reference == "drei"  # the second of two, which the score is from
    assert lowest.components == {"word": pytest.approx(0.9)}
    assert [finding.reason for finding in lowest.findings] == ["It denies three.", "It denies drei."]
    assert (second.row, second.findings, second.tokens) == (6, (), None)
    assert [item.row for item in summary.flagged[:5]] == [7, 2]
    assert [item.row for item in summary.lowest[:100]] == [2, 6, 4, 0, 5, 7, 3]
    assert summary.lowest[:5][4].reference == "sechs"  # a text beside lists of texts


def test_a_row_that_was_left_out_is_shown_by_what_it_has(summary):
    assert summary.left_out == {"missing": ((1, "zwei"),)}
    assert matches().summarize().left_out == {"missing": ()}


def test_summary_lists_as_many_items_as_report_and_json_show():
    many = replace(
        matches(findings=False, parts=False),
        score=np.linspace(1, 0, 50),
        status=np.full(50, matches().status[0], dtype=object),
        reference=np.zeros(50, np.int64),
        windows=np.ones(50, np.int64),
    )
    assert [item.row for item in many.summarize().lowest] == list(range(49, 49 - SHOWN, -1))


def test_tokens_go_with_their_items():
    tokens = {6: pl.DataFrame({"token": ["seven"]})}
    explained = matches().summarize(PREDICTIONS, REFERENCES, tokens=tokens)
    assert explained.is_explained
    assert [item.tokens is None for item in explained.lowest[:2]] == [True, False]
    assert explained.record()["lowest"][1]["tokens"] == [{"token": "seven"}]
