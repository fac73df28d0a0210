import numpy as np
import pytest
from tests.drift.made_up import comparison, metrics_of, run

from semscale.drift.gate.decision import MetricChange
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import field_metric
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH
from semscale.drift.quality.changes import change_by_interval, improvements
from semscale.history.items import Item, Output
from semscale.stats.intervals import MeanEstimate

N = 20
ALTERNATING = np.where(np.arange(N) % 2, 0.01, -0.01)


def decided(losses, reruns=(), name="reference_match", metric=REFERENCE_MATCH):
    found = comparison({name: losses}, reruns=[{name: rerun} for rerun in reruns], metrics={name: metric})
    (test,) = decide(found, GateSettings(metrics=(name,))).tests
    return test


@pytest.mark.parametrize(
    ("mean", "outcome", "change"),
    [
        (0.3, "fail", "worse"),
        (-0.3, "pass", "better"),  # all 20 items: p = 2 ** -21
        (0.0, "pass", "none"),
        (-0.03, "pass", "none"),  # significant, but below the margin of .05
    ],
)
def test_a_signed_metric_says_the_direction_without_a_rerun(mean, outcome, change):
    test = decided(mean + ALTERNATING)
    assert (test.outcome, test.change) == (outcome, change)
    assert test.drift.value == pytest.approx(mean)


def test_better_items_make_up_for_worse_ones():
    # 12 items better by .3 and 8 worse by .3: better by .06 on average, which may be chance.
    test = decided(np.where(np.arange(N) < 12, -0.3, 0.3))
    assert test.drift.value == pytest.approx(-0.06)
    assert test.outcome != "fail"


def test_what_is_not_shown_both_ways_is_not_worse():
    # Better by .04 with a spread of .1: the bound of the drift is below the margin, .05, and that of
    # the gain, .04 + 1.7 * .1 / sqrt(20), is not.
    test = decided(-0.04 + 0.1 * np.where(np.arange(N) % 4 < 2, 1.0, -1.0))
    assert (test.outcome, test.change) == ("pass", "not worse")


def test_the_drift_of_a_signed_metric_is_held_against_baseline_and_reruns():
    # Scores of the runs: baseline 0.5, rerun 0.7, candidate 0.3; losses against the baseline 0.2 and -0.2.
    found = comparison(
        {"reference_match": [0.2]}, reruns=[{"reference_match": [-0.2]}],
        metrics={"reference_match": REFERENCE_MATCH},
    )  # fmt: skip
    # The mean of baseline and rerun is .6, that of candidate and rerun .5, that of candidate and baseline .4.
    np.testing.assert_allclose(found.drifts_by_role("reference_match"), [[0.3, 0.0, -0.3]])
    np.testing.assert_allclose(found.expected("reference_match"), [-0.1])


def test_a_rerun_without_the_metric_is_none_of_its_runs():
    found = comparison(
        {"match": [0.1], "reference_match": [0.2]}, reruns=[{"match": [0.1]}],
        metrics={**metrics_of(["match"]), "reference_match": REFERENCE_MATCH},
    )  # fmt: skip
    np.testing.assert_allclose(found.drifts_by_role("reference_match"), [[0.2, -0.2]])
    assert found.noise("reference_match") is None
    assert found.noise("match") == pytest.approx(0.1)


def test_an_item_that_a_run_lacks_has_no_drift():
    found = comparison(
        {"reference_match": [0.2, 0.1]}, reruns=[{"reference_match": [np.nan, 0.0]}],
        metrics={"reference_match": REFERENCE_MATCH},
    )  # fmt: skip
    assert np.isnan(found.drifts("reference_match")).tolist() == [True, False]


def test_a_metric_without_a_better_side_is_of_unknown_direction():
    test = decided(0.4 + ALTERNATING, [np.full(N, 0.01)], "match", metrics_of(["match"])["match"])
    assert (test.outcome, test.change) == ("fail", "unknown direction")


def costs(model, *numbers):
    items = tuple(Item(str(n), (Output("So.", {"cost": cost}),)) for n, cost in enumerate(numbers))
    return run(1, model=model, items=items)


def test_a_field_with_a_better_side_improves_in_its_own_unit():
    metric = field_metric("cost", 4.0, direction="lower")
    found = comparison({"cost_difference": [0.0, 1.0]}, metrics={"cost_difference": metric})
    found = type(found)(costs("a", 2.0, 3.0), costs("b", 1.0, 4.0), found.measured)
    np.testing.assert_allclose(improvements(found, "cost_difference"), [[1.0, -1.0], [-1.0, 1.0]])
    either = comparison(
        {"cost_difference": [0.0]}, metrics={"cost_difference": field_metric("cost", 4.0, direction="either")}
    )
    assert improvements(either, "cost_difference") is None


@pytest.mark.parametrize(
    ("value", "low", "high", "signed", "reruns", "change"),
    [
        (-0.2, -0.3, -0.1, True, False, MetricChange.BETTER),
        (0.2, 0.1, 0.3, True, False, MetricChange.WORSE),
        (0.2, 0.1, 0.3, False, True, MetricChange.UNKNOWN),
        (0.2, 0.1, 0.3, False, False, MetricChange.UNDECIDED),
        (0.0, -0.04, 0.04, True, False, MetricChange.NONE),
        (-0.03, -0.1, 0.04, True, False, MetricChange.UNDECIDED),
        (np.nan, np.nan, np.nan, True, True, MetricChange.UNDECIDED),
    ],
)
def test_without_a_gate_the_interval_tells(value, low, high, signed, reruns, change):
    metric = REFERENCE_MATCH if signed else metrics_of(["match"])["match"]
    drift = MeanEstimate(value, low, high, N, 0, N, "bootstrap")
    assert change_by_interval(metric, drift, 0.05, has_reruns=reruns) is change
