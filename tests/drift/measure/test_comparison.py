import numpy as np
from made_up import comparison

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings

NAN = np.nan


def test_drift_is_the_loss_less_the_mean_loss_of_reruns():
    made = comparison({"match": [0.5, 0.2]}, reruns=[{"match": [0.1, 0.4]}, {"match": [0.3, 0.2]}])
    np.testing.assert_allclose(made.expected("match"), [0.2, 0.3])
    np.testing.assert_allclose(made.drifts("match"), [0.3, -0.1])
    np.testing.assert_allclose(made.noise("match"), 0.25)


def test_without_a_rerun_all_of_the_loss_is_drift():
    made = comparison({"match": [0.5, NAN]})
    np.testing.assert_array_equal(made.drifts("match"), [0.5, NAN])
    assert made.noise("match") is None


def test_reruns_that_are_silent_like_the_baseline_do_not_hide_what_the_candidate_says():
    # Item 0: nobody says anything. Item 1: the candidate alone does. Item 2: one of two reruns does, too.
    made = comparison(
        {"match": [NAN, 1.0, 1.0, 0.2]},
        reruns=[{"match": [NAN, NAN, NAN, 0.1]}, {"match": [NAN, NAN, 1.0, 0.3]}],
    )
    np.testing.assert_allclose(made.expected("match"), [NAN, NAN, 0.5, 0.2])
    np.testing.assert_allclose(made.drifts("match"), [NAN, 1.0, 0.5, 0.0])
    np.testing.assert_allclose(made.noise("match"), 0.35)  # of the items of which a rerun says something


def test_a_candidate_that_speaks_where_baseline_and_rerun_are_silent_fails():
    losses = np.r_[np.ones(10), np.zeros(20)]
    rerun = np.r_[np.full(10, NAN), np.zeros(20)]
    made = comparison({"silence": losses}, reruns=[{"silence": rerun}])
    assert decide(made, GateSettings(replicates=500)).outcome is Outcome.FAIL
