from dataclasses import replace

import numpy as np
from made_up import comparison, measured

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import field_metric

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


def with_a_pair(name, *, candidate, rerun, between, metric=None):
    """One item, one rerun: the candidate's and the rerun's loss, and the candidate's against the rerun."""
    metrics = None if metric is None else {name: metric}
    made = comparison({name: [candidate]}, reruns=[{name: [rerun]}], metrics=metrics)
    return replace(made, between=((measured({name: [between]}, metrics=metrics),),))


def test_baseline_and_reruns_are_references_of_equal_standing():
    made = with_a_pair("match", candidate=0.5, rerun=0.2, between=0.7)
    np.testing.assert_allclose(made.mean_losses("match"), [0.6])
    np.testing.assert_allclose(made.expected("match"), [0.2])
    np.testing.assert_allclose(made.drifts("match"), [0.4])
    # In the baseline's place: (.5 + .2) / 2 - .7; in the rerun's: (.7 + .2) / 2 - .5.
    np.testing.assert_allclose(made.drifts_by_role("match"), [[0.4, -0.35, -0.05]])
    np.testing.assert_allclose(made.losses("match"), [0.5])


def test_two_runs_without_outputs_agree():
    made = with_a_pair("silence", candidate=NAN, rerun=1.0, between=1.0)
    np.testing.assert_allclose(made.mean_losses("silence"), [0.5])
    assert np.isnan(with_a_pair("silence", candidate=NAN, rerun=NAN, between=NAN).drifts("silence")).all()


def test_a_field_with_a_better_direction_is_compared_with_the_baseline_alone():
    # That the candidate is dearer than the rerun does not say by how much the rerun is dearer than it.
    metric = field_metric("cost", 2.0, direction="lower")
    made = with_a_pair("cost_difference", candidate=0.5, rerun=0.2, between=0.9, metric=metric)
    np.testing.assert_allclose(made.mean_losses("cost_difference"), [0.5])
    np.testing.assert_allclose(made.drifts_by_role("cost_difference"), [[0.3, -0.3]])


def test_an_unknown_cost_of_a_rerun_is_no_cost_of_0():
    name = "call_cost_difference"
    unknown = comparison({name: [0.5, 0.5]}, reruns=[{name: [0.1, NAN]}])
    np.testing.assert_allclose(unknown.drifts(name), [0.4, NAN])
    np.testing.assert_allclose(unknown.expected(name), [0.1, NAN])
    lost = comparison({"credits_difference": [0.5, 0.5]}, reruns=[{"credits_difference": [0.1, NAN]}])
    np.testing.assert_allclose(lost.drifts("credits_difference"), [0.4, 0.5])
