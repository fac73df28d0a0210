"""The gate on a judge's mean score: rows without a score may have any score."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.judging.score_gate import ScoreGate
from semscale.stats.intervals import MeanEstimate


def decision(mean, n_scored, n, *, low=None, high=None, **settings):
    method = None if low is None else "bootstrap"
    low, high = (np.nan, np.nan) if low is None else (low, high)
    estimate = MeanEstimate(mean, low, high, n_scored, n - n_scored, n_scored, method)
    return str(ScoreGate(**settings).decide(estimate, n).outcome)


@pytest.mark.parametrize(
    ("mean", "n_scored", "n", "outcome"),
    [
        (0.8, 10, 10, "passed"),
        (0.1 + 0.7, 10, 10, "passed"),  # .7999999999999999
        (0.79, 10, 10, "failed"),
        (0.9, 9, 10, "passed"),  # .81 if the last row had 0
        (0.85, 9, 10, "undecided"),  # .765 to .865
        (0.75, 9, 10, "failed"),  # .775 if the last row had 1
        (0.79, 9, 10, "undecided"),  # .711 to .811
        (np.nan, 0, 10, "undecided"),
        (np.nan, 0, 0, "undecided"),
    ],
)
def test_the_estimate_decides_whatever_scores_the_other_rows_have(mean, n_scored, n, outcome):
    assert decision(mean, n_scored, n, fail_under=0.8) == outcome


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.82, 0.9, "passed"), (0.7, 0.78, "failed"), (0.7, 0.9, "undecided"), (None, None, "undecided")],
)
def test_interval_decides_only_if_entirely_on_the_same_side(low, high, outcome):
    assert decision(0.85, 10, 10, low=low, high=high, fail_under=0.8, decide_by="interval") == outcome


def test_without_a_limit_there_is_no_decision():
    assert ScoreGate().decide(MeanEstimate(0.5, 0.4, 0.6, 9, 0, 9, "bootstrap"), 9) is None


def test_a_near_miss_is_shown_with_enough_digits():
    mean = MeanEstimate(0.7996, 0.7, 0.9, 50, 0, 50, "bootstrap")
    verdict = ScoreGate(fail_under=0.8).decide(mean, 50)
    assert verdict.reason == "failed: the mean score 0.7996 [0.70, 0.90] is below 0.80"


@pytest.mark.parametrize("limit", [-0.1, 1.1, 80])
def test_a_limit_out_of_range_is_refused(limit):
    with pytest.raises(InputError, match="fail_under must be between 0 and 1"):
        ScoreGate(fail_under=limit)


def test_a_single_score_without_an_interval_is_undecided_for_that_reason():
    mean = MeanEstimate(0.5, np.nan, np.nan, 1, 1, 1, None)
    verdict = ScoreGate(fail_under=0.5, decide_by="interval").decide(mean, 2)
    assert verdict.reason == "undecided: the mean score 0.50 is of a single row and has no interval"
    # With the estimate, the other row may have any score: .25 to .75.
    verdict = ScoreGate(fail_under=0.5).decide(mean, 2)
    assert verdict.reason.endswith("the mean can reach from 0.25 to 0.75, and the limit is 0.50")


@pytest.mark.parametrize(
    ("decide_by", "n", "sentence"),
    [
        # 59 scores with the mean .46 and one row more: (59 * .46 + 0) / 60 and (59 * .46 + 1) / 60
        ("estimate", 60, "1 of 60 rows has no score; with scores from 0 to 1 for it, the mean can reach from "
         "0.45 to 0.47, and the limit is 0.46"),
        # The ends of the interval likewise: 59 * .38 / 60 and (59 * .55 + 1) / 60
        ("interval", 60, "1 of 60 rows has no score; with scores from 0 to 1 for it, the interval of the "
         "mean can reach from 0.37 to 0.56, and the limit is 0.46"),
        # 59 * .38 / 61 and (59 * .55 + 2) / 61
        ("interval", 61, "2 of 61 rows have no score; with scores from 0 to 1 for them, the interval of the "
         "mean can reach from 0.37 to 0.56, and the limit is 0.46"),
    ],
)  # fmt: skip
def test_an_undecided_gate_states_whether_the_mean_or_its_interval_has_the_bounds(decide_by, n, sentence):
    mean = MeanEstimate(0.46, 0.38, 0.55, 59, n - 59, 59, "bootstrap")
    verdict = ScoreGate(fail_under=0.46, decide_by=decide_by).decide(mean, n)
    assert verdict.reason == f"undecided: {sentence}"
