"""The exchange test, Holm's correction and the bounds of a mean drift, by hand and by simulation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from semscale.drift.comparison import run_drifts
from semscale.drift.exchange_test import correct_by_holm, drift_bounds, exchange_test, joint_p_values


def by_enumeration(drifts):
    sums = np.array([sum(choice) for choice in itertools.product(*drifts.tolist())])
    observed = drifts[:, 0].sum()
    above, equal = sums > observed + 1e-9, np.abs(sums - observed) <= 1e-9
    return above.mean() + equal.mean() / 2


@given(arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.integers(-3, 3)))
def test_the_p_value_counts_all_exchanges(values):
    drifts = values / 4
    differs = np.ptp(drifts, axis=1) > 0
    expected = by_enumeration(drifts) if differs.any() else 1.0
    assert exchange_test(drifts) == pytest.approx(expected, abs=1e-9)


def test_two_runs_give_the_sign_flip_test():
    drifts = np.array([[0.3, -0.3], [0.2, -0.2], [0.1, -0.1]])
    assert exchange_test(drifts) == pytest.approx(1 / 8 / 2)


def test_items_without_a_value_are_left_out():
    drifts = np.array([[0.2, -0.1, -0.1], [np.nan, np.nan, np.nan]])
    assert exchange_test(drifts) == pytest.approx(1 / 6)
    assert np.isnan(exchange_test(drifts[1:]))


def test_many_items_give_a_normal_p_value():
    rng = np.random.default_rng(0)
    drifts = rng.normal(size=(400, 3))
    drifts -= drifts.mean(axis=1, keepdims=True)
    few = exchange_test(drifts[:300])
    assert exchange_test(np.vstack([drifts[:300], drifts[:1] * 1e-9])) == pytest.approx(few, abs=0.01)


def alarms(corrected, n_draws, n_items, k, rng):
    """Share of unchanged candidates with a metric below .05, of eight metrics that depend on each other.

    Half of the metrics differ at few items, as lost outputs do.
    """
    n_alarms = 0
    for _ in range(n_draws):
        shared = rng.normal(size=(n_items, k))
        drifts = []
        for metric in range(8):
            values = shared + rng.normal(size=(n_items, k))
            if metric % 2:
                values = (values > 2).astype(float)
            losses = np.abs(values[:, :, None] - values[:, None, :])
            drifts.append(run_drifts(losses, 1 + metric // 4))
        n_alarms += min(corrected(drifts)) < 0.05
    return n_alarms / n_draws


def by_holm(drifts):
    return correct_by_holm([exchange_test(of_metric) for of_metric in drifts])


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.exhaustive
def test_no_more_unchanged_candidates_alarm_than_the_level_says(k):
    # A share of .05 of 400 draws has a standard error of .011.
    assert alarms(joint_p_values, 400, 24, k, np.random.default_rng(k)) <= 0.05 + 2.5 * 0.011


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_items", [12, 27])
@pytest.mark.parametrize("k", [3, 5])
def test_the_level_of_the_joint_correction_is_reached_and_not_exceeded(n_items, k):
    # A share of .05 of 3,000 draws has a standard error of .004. Metrics that are rare lie below the level.
    share = alarms(joint_p_values, 3000, n_items, k, np.random.default_rng([n_items, k]))
    assert 0.03 <= share <= 0.05 + 2.5 * 0.004


def test_equal_metrics_do_not_change_the_corrected_p_value():
    rng = np.random.default_rng(3)
    drifts = rng.normal(size=(12, 3))
    drifts[:, 0] += 0.6
    alone, *_ = joint_p_values([drifts])
    assert joint_p_values([drifts] * 6) == [alone] * 6
    assert by_holm([drifts] * 6)[0] == pytest.approx(6 * exchange_test(drifts))


def test_the_joint_p_value_of_few_exchanges_by_hand():
    # The candidate alone differs at three items: of all exchanges 1/27 give it all three, the greatest sum,
    # and at these its p-value is the smallest there is.
    drifts = np.array([[0.2, -0.1, -0.1]] * 3 + [[0.0, 0.0, 0.0]] * 2)
    assert joint_p_values([drifts, 0 * drifts]) == [pytest.approx(1 / 27, abs=0.012), 1.0]
    nothing = np.full((5, 3), np.nan)
    assert np.isnan(joint_p_values([nothing])[0])
    # Two metrics, each at three items of its own: 1 - (26/27)^2 of exchanges have one or the other.
    apart = np.roll(np.vstack([drifts, np.zeros((1, 3))]), 3, axis=0)
    drifts = np.vstack([drifts, np.zeros((1, 3))])
    assert max(joint_p_values([drifts, apart])) == pytest.approx(1 - (26 / 27) ** 2, abs=0.016)


def test_holm_by_hand():
    # .01 x 3 = .03; .02 x 2 = .04; .03 x 1 = .03, not below .04
    assert correct_by_holm([0.02, 0.03, 0.01]) == pytest.approx([0.04, 0.04, 0.03])
    adjusted = correct_by_holm([0.02, 1.0, float("nan")])
    assert adjusted[:2] == [0.02, 1.0]
    assert np.isnan(adjusted[2])


def test_bounds_of_equal_drifts_are_these_drifts():
    assert drift_bounds(np.full(12, 0.25)) == (0.25, 0.25)


def test_bounds_of_a_symmetric_sample_are_those_of_t():
    # mean 0, sd 1.1547, n 4, t(.95, 3) = 2.3534: 2.3534 * 1.1547 / 2 = 1.3587
    assert drift_bounds(np.array([-1.0, -1.0, 1.0, 1.0])) == pytest.approx((-1.3587, 1.3587), abs=1e-4)


def test_a_single_item_has_no_bounds():
    assert np.isnan(drift_bounds(np.array([0.1]))).all()


def by_loops(losses, power):
    """Drift of one item by the definition, run by run."""
    k = len(losses)
    drifts = []
    for run in range(k):
        rest = [other for other in range(k) if other != run]
        to_run = [losses[other, run] ** power for other in rest]
        among = [losses[i, j] ** power for i, j in itertools.permutations(rest, 2)]
        drifts.append(np.mean(to_run) - (np.mean(among) if among else 0.0))
    return drifts


@given(
    losses=st.integers(2, 5).flatmap(lambda k: arrays(np.float64, (3, k, k), elements=st.floats(0, 1))),
    power=st.sampled_from([1, 2]),
)
def test_a_drift_is_the_loss_beyond_that_among_the_other_runs(losses, power):
    expected = [by_loops(of_item, power) for of_item in losses]
    assert run_drifts(losses, power) == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("n_reruns", [1, 2, 3, 9])
def test_the_expected_drift_is_the_same_with_any_number_of_reruns(n_reruns, power):
    # Outputs are uniform in 0 to 1, and those of the candidate are .5 further; a loss is the distance. The
    # mean distance of two uniforms is 1/3 and its square 1/6; that to a shifted one is 13/24 and 5/12.
    rng = np.random.default_rng([n_reruns, power])
    outputs = rng.random((40_000, n_reruns + 2))
    outputs[:, 0] += 0.5
    losses = np.abs(outputs[:, :, None] - outputs[:, None, :])
    expected = {1: 13 / 24 - 1 / 3, 2: 5 / 12 - 1 / 6}[power]
    # Over 40,000 items the standard error is at most .0025.
    assert run_drifts(losses, power)[:, 0].mean() == pytest.approx(expected, abs=0.0075)
