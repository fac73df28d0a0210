"""Comparisons as rows: figures in order, missing numbers as null, scores bit for bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stored_runs import a_comparison

from semscale.history.comparison_rows import comparison_rows, pack, read_comparison, unpack
from semscale.history.stored_comparison import StoredCheck


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


CHECKS = (
    StoredCheck("limit", "silenced", False, None, 2.0, 0.0, ("q1", "q\ud800")),
    StoredCheck("limit", "changed_numbers", True, ("exercise", "6715"), 0.0, 0.25),
    StoredCheck("must_pass", "q1", False, reasons=("it lost all outputs",)),
    StoredCheck("threshold", "min_match", False, None, 0.5, 0.75),
)


def test_checks_come_back_as_they_were():
    row, figures, _ = comparison_rows(a_comparison(checks=CHECKS))
    row["checks"].encode("ascii")
    found = read_comparison(row, figures)
    # A must-pass item has no numbers, and NaN equals nothing.
    assert [repr(check) for check in found.checks] == [repr(check) for check in CHECKS]
    assert [check.name for check in found.broken] == ["silenced", "q1", "min_match"]


def test_a_mean_that_is_missing_stays_missing():
    checks = (StoredCheck("threshold", "min_match", False, None, np.nan, 0.75),)
    row, figures, _ = comparison_rows(a_comparison(checks=checks))
    assert np.isnan(read_comparison(row, figures).checks[0].value)


def test_no_checks_are_other_than_none_that_were_stored():
    for checks in (None, ()):
        row, figures, _ = comparison_rows(a_comparison(checks=checks))
        assert read_comparison(row, figures).checks == checks
    assert comparison_rows(a_comparison())[0]["checks"] is None
