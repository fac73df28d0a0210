"""Comparisons as rows: figures in order, missing numbers as null, scores bit for bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stored_runs import a_comparison

from semscale.history.comparison_rows import comparison_rows, pack, read_comparison, unpack


@given(st.lists(st.floats()))
def test_scores_come_back_bit_for_bit(values):
    scores = np.array(values, np.float64)
    assert unpack(pack(scores)).tobytes() == scores.tobytes()


def test_packed_scores_are_little_endian_doubles():
    # 1.0 is 3ff0000000000000 in hexadecimal.
    assert pack(np.array([1.0])) == bytes.fromhex("000000000000f03f")


def test_a_comparison_comes_back_without_its_scores():
    stored = a_comparison()
    row, figures, scores = comparison_rows(stored)
    assert [figure["low"] for figure in figures] == [0.0625, None]
    assert {score["metric"]: unpack(score["packed"]).tolist()[0] for score in scores}["match"] == 0.5
    found = read_comparison(row, figures)
    assert (found.id, found.outcome, found.compared) == (stored.id, "fail", stored.compared)
    assert found.figures[0] == stored.figures[0]
    assert found.figures[1].group == ("exercise", "6715")
    assert np.isnan(found.figures[1].low)
    assert found.scores == {}


def test_the_digest_depends_on_figures_and_scores_but_not_on_the_order_of_metrics():
    def digest(**settings):
        return comparison_rows(a_comparison(id="x", **settings))[0]["digest"]

    scores = a_comparison().scores
    assert digest() == digest(scores=dict(reversed(scores.items())))
    assert digest() != digest(scores={"match": scores["match"]})
    assert digest() != digest(figures=a_comparison().figures[:1])
