from dataclasses import replace

import numpy as np
import pytest
from made_up import START, comparison, stored_comparison

from semscale.drift.gate.drift_summary import stored
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import field_metric
from semscale.drift.nights.trend import trends
from semscale.errors import InputError


def days(losses, **settings):
    return [stored_comparison({"match": loss}, day=day, **settings) for day, loss in enumerate(losses)]


def test_a_rise_by_hand():
    # .1 a day; 5 ascending values have p = 2 / 5! = 1 / 60.
    found = trends(days([0.1, 0.2, 0.3, 0.4, 0.5])[::-1])
    match = found.metrics["match"]
    np.testing.assert_allclose(match.losses, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert match.course.slope.value == pytest.approx(0.1)
    assert match.course.p_value == pytest.approx(1 / 60)
    assert found.times[0] == START
    np.testing.assert_allclose(match.lows, match.drifts - 0.01)
    np.testing.assert_allclose(match.margins, 0.05)


def test_the_slope_is_per_day_whatever_the_distance_of_runs():
    runs = [stored_comparison({"match": 0.1 * week}, day=7 * week) for week in range(5)]
    assert trends(runs).metrics["match"].course.slope.value == pytest.approx(0.1 / 7)


def test_a_change_of_level_is_placed_among_all_runs():
    # The third run has no value; the change comes with the sixth, place 5.
    losses = [0.1, 0.11, np.nan, 0.1, 0.12, 0.4, 0.41, 0.42, 0.4]
    change = trends(days(losses)).metrics["match"].change
    assert change.place == 5
    assert change.before == pytest.approx((0.1 + 0.11 + 0.1 + 0.12) / 4)


def test_evidence_is_against_what_the_latest_run_allows():
    # Loss equals drift in these, so that reruns lose nothing; the margin of .05 is allowed.
    # .275 / .05 = 5.5: 1 + .5 * 4.5 = 3.25, and half is kept.
    sequence = trends(days([0.275])).metrics["match"].sequence
    assert sequence.allowed == pytest.approx(0.05)
    assert sequence.evidence == pytest.approx((2.125,))


def test_a_field_has_evidence_where_its_worst_case_is_known():
    runs = [stored_comparison({"credits_difference": 0.6875}, day=1)]
    assert trends(runs).metrics["credits_difference"].sequence is None
    metrics = {"credits_difference": field_metric("credits", 2.5)}
    # .6875 / 2.5 = .275 against .05 / 2.5 = .02: 1 + .5 * (13.75 - 1) = 7.375, likewise
    found = trends(runs, metrics=metrics).metrics["credits_difference"].sequence
    assert found.evidence == pytest.approx((4.1875,))


def test_only_one_baseline_and_signature_make_a_series():
    runs = days([0.1, 0.2, 0.3])
    other = stored_comparison({"match": 0.9}, day=1, baseline_id="d" * 32, candidate_id="e" * 32, id="other")
    found = trends([other, *runs])
    assert found.n_left_out == 1
    assert found.cautions == (
        "1 comparison of 'eeeeeeee' is left out, because it was made with another baseline",
    )
    np.testing.assert_allclose(found.metrics["match"].losses, [0.1, 0.2, 0.3])


def test_changes_of_the_model_are_marked():
    runs = [stored_comparison({"match": 0.1}, day=day, model=model) for day, model in enumerate("aabba")]
    assert trends(runs).model_changes == (2, 4)


def test_a_slope_is_of_the_latest_model_alone():
    # The old model falls by .1 a day, the new one rises by .01; 5 ascending values have p = 2 / 5! = 1 / 60.
    losses = [0.9, 0.8, 0.7, 0.6, 0.5, 0.1, 0.11, 0.12, 0.13, 0.14]
    runs = [
        stored_comparison({"match": loss}, day=day, model="old" if day < 5 else "new", outcome=outcome)
        for day, (loss, outcome) in enumerate(zip(losses, ["fail"] * 5 + ["pass"] * 5, strict=True))
    ]
    found = trends(runs)
    course = found.metrics["match"].course
    assert course.slope.value == pytest.approx(0.01)
    assert course.p_value == pytest.approx(1 / 60)
    assert found.latest_outcomes == {"old": "fail", "new": "pass"}


def test_few_runs_have_no_trend():
    match = trends(days([0.1, 0.2])).metrics["match"]
    assert match.change is None
    assert np.isnan(match.course.p_value)


def test_a_metric_that_came_later_has_no_values_before():
    runs = [stored_comparison({"match": 0.1}), stored_comparison({"match": 0.1, "silence": 0.0}, day=1)]
    np.testing.assert_array_equal(trends(runs).metrics["silence"].losses, [np.nan, 0.0])


def test_nothing_to_follow():
    with pytest.raises(InputError, match="at least one comparison"):
        trends([])


def test_evidence_is_the_gates_where_the_latest_run_has_its_scores_and_there_is_no_rerun():
    made = comparison({"match": [0.4, 0.6, 0.5]})
    settings = GateSettings(over_runs=True, replicates=500)
    before = stored_comparison({"match": 0.5}, signature=str(made.measured.signature))
    decision = decide(made, settings, earlier=[before])
    (test,) = decision.sequence
    found = trends([before, stored(made, decision)], settings).metrics["match"].sequence
    assert len(found.losses) == 2
    assert found.evidence == pytest.approx(test.evidence)


def test_runs_of_a_moved_ruler_are_marked_and_do_not_count():
    # Without the third run, .9, four ascending values: p = 2 / 4! = 1 / 12, .1 a day over days 0, 1, 3 and 4.
    runs = days([0.1, 0.2, 0.9, 0.4, 0.5])
    runs[2] = replace(runs[2], ruler_moved=True)
    found = trends(runs)
    match = found.metrics["match"]
    np.testing.assert_allclose(match.losses, [0.1, 0.2, 0.9, 0.4, 0.5])
    assert (found.ruler_moved, found.record()["ruler_moved"]) == ((2,), (2,))
    assert match.course.slope.value == pytest.approx(0.1)
    assert match.course.p_value == pytest.approx(1 / 12)
    assert np.isnan(match.sequence.losses[2])
    assert match.sequence.evidence[2] == match.sequence.evidence[1]
    assert found.cautions == (
        f"1 run was measured while the ruler had moved: '{'0' * 8}'; it does not count in evidence, "
        "trend and change of level",
    )


def test_a_metric_that_only_a_moved_ruler_measured_has_no_evidence():
    (match,) = trends([stored_comparison({"match": 0.9}, ruler_moved=True)]).metrics.values()
    assert (match.sequence, match.losses.tolist()) == (None, [0.9])


def test_the_trend_is_that_of_the_latest_run_with_all_items():
    runs = days([0.1, 0.2, 0.3])
    partial = {"signature": f"{runs[0].signature}|common:1f2e3d4c", "candidate_id": "e" * 32}
    found = trends([*runs, stored_comparison({"match": 0.9}, day=5, **partial)])
    np.testing.assert_allclose(found.metrics["match"].losses, [0.1, 0.2, 0.3])
    assert found.cautions == (
        "1 comparison of 'eeeeeeee' is left out, because it was measured on other items",
    )
    # Another baseline's complete run does not count for this one's.
    lone = stored_comparison({"match": 0.9}, day=6, baseline_id="d" * 32, **partial)
    assert trends([*runs, lone]).baseline_id == "d" * 32
