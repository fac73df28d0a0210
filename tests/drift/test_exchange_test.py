"""The exchange test, Holm's correction and the bounds of a mean drift, by hand and by simulation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from semscale.drift.comparison import drift_parts
from semscale.drift.exchange_test import drift_bounds, exchange_test, holm


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


def test_the_level_of_holm_over_dependent_metrics_is_kept():
    """Unchanged runs: the first of three is called the candidate; five metrics that depend on each other."""
    rng = np.random.default_rng(1)
    n_draws, n, alarms = 400, 20, 0
    for _ in range(n_draws):
        shared = rng.normal(size=(n, 3))
        p_values = []
        for _ in range(5):
            values = shared + rng.normal(size=(n, 3))
            losses = np.abs(values[:, :, None] - values[:, None, :])
            mean, noise = drift_parts(losses)
            p_values.append(exchange_test(mean - noise))
        alarms += min(holm(p_values)) < 0.05
    assert alarms / n_draws <= 0.075  # .05 and two standard errors


def test_holm_by_hand():
    # .01 x 3 = .03; .02 x 2 = .04; .03 x 1 = .03, not below .04
    assert holm([0.02, 0.03, 0.01]) == pytest.approx([0.04, 0.04, 0.03])
    adjusted = holm([0.02, 1.0, float("nan")])
    assert adjusted[:2] == [0.02, 1.0]
    assert np.isnan(adjusted[2])


def test_bounds_of_equal_drifts_are_these_drifts():
    assert drift_bounds(np.full(12, 0.25)) == (0.25, 0.25)


def test_bounds_of_a_symmetric_sample_are_those_of_t():
    # mean 0, sd 1.1547, n 4, t(.95, 3) = 2.3534: 2.3534 * 1.1547 / 2 = 1.3587
    assert drift_bounds(np.array([-1.0, -1.0, 1.0, 1.0])) == pytest.approx((-1.3587, 1.3587), abs=1e-4)


def test_one_item_has_no_bounds():
    assert np.isnan(drift_bounds(np.array([0.1]))).all()


@given(arrays(np.float64, (4, 3, 3), elements=st.floats(0, 1)))
def test_symmetric_drifts_of_all_runs_add_up_to_nothing(losses):
    losses += losses.transpose(0, 2, 1)
    mean, noise = drift_parts(losses)
    assert (mean - noise).sum(axis=1) == pytest.approx(np.zeros(4), abs=1e-9)
