import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.stats.intervals.tally import MAX_CLUSTERS

UNIT = (0.0, 1.0)


def test_items_without_a_value_are_left_out_and_counted():
    estimate = estimate_mean(np.array([0.25, np.nan, 0.75, np.nan]), bounds=UNIT)
    assert (estimate.value, estimate.n, estimate.n_left_out) == (0.5, 2, 2)


def test_nothing_has_no_mean_and_no_interval():
    estimate = estimate_mean(np.array([np.nan]), bounds=UNIT)
    assert np.isnan([estimate.value, estimate.low, estimate.high]).all()
    assert estimate.method is None


def test_one_cluster_has_a_mean_and_no_interval():
    estimate = estimate_mean(np.array([0.2, 0.4]), bounds=UNIT, clusters=np.array([7, 7]))
    assert estimate.value == pytest.approx(0.3)
    assert np.isnan(estimate.low)
    assert estimate.n_clusters == 1


def test_few_clusters_have_the_t_interval():
    values = np.array([0.4, 0.5, 0.7])
    low, high = stats.t.interval(0.95, 2, values.mean(), stats.sem(values))
    estimate = estimate_mean(values, bounds=(-9, 9))
    assert (estimate.low, estimate.high) == pytest.approx((low, high))
    assert estimate.method == "linearized"


def test_intervals_stay_within_the_bounds():
    estimate = estimate_mean(np.array([0.0, 1.0]), bounds=UNIT)
    assert (estimate.low, estimate.high) == UNIT


def test_bootstrap_and_linearized_intervals_agree():
    values = np.random.default_rng(0).uniform(size=400)
    drawn = estimate_mean(values, bounds=UNIT, plan=IntervalPlan(replicates=4000))
    stated = estimate_mean(values, bounds=UNIT, plan=IntervalPlan(method="linearized"))
    assert drawn.method == "bootstrap"
    assert (drawn.low, drawn.high) == pytest.approx((stated.low, stated.high), abs=0.004)


def test_items_of_one_cluster_are_drawn_together():
    # Ten copies of each value say no more than one does.
    values = np.random.default_rng(1).uniform(size=40)
    once = estimate_mean(values, bounds=UNIT)
    copied = estimate_mean(np.repeat(values, 10), bounds=UNIT, clusters=np.repeat(np.arange(40), 10))
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high))
    assert (copied.n, copied.n_clusters) == (400, 40)


def test_many_clusters_are_linearized():
    assert estimate_mean(np.linspace(0, 1, MAX_CLUSTERS + 1), bounds=UNIT).method == "linearized"


def test_clusters_of_another_length_are_refused():
    with pytest.raises(InputError, match="clusters must have 2 rows as values has, got 1"):
        estimate_mean(np.zeros(2), bounds=UNIT, clusters=np.zeros(1))


class TestNoSpread:
    """A value that is the same in every row: resampling shows nothing, and nothing is not certainty."""

    def test_ten_equal_values_leave_a_share_of_others_unseen(self):
        # 1 - .05 ** (1 / 10) = .258866: from 3.82 - .258866 * 2.82 to 3.82 + .258866 * 1.18.
        found = estimate_mean(np.full(10, 3.82), bounds=(1, 5))
        assert (found.low, found.high) == pytest.approx((3.0900, 4.1255), abs=1e-4)
        assert found.method == "exact"

    def test_at_the_end_of_the_scale_it_is_the_bound_of_clopper_and_pearson(self):
        # No failure in 20 rows: scipy's exact interval for 20 of 20, one-sided.
        exact = stats.binomtest(20, 20, alternative="greater").proportion_ci(0.95, method="exact")
        found = estimate_mean(np.ones(20), bounds=(0, 1))
        assert (found.low, found.high) == pytest.approx((exact.low, 1.0))

    def test_rounding_is_no_spread_and_a_real_difference_is(self):
        values = np.full(30, 0.1)
        values[::2] += 1e-15
        assert estimate_mean(values, bounds=(0, 1)).method == "exact"
        values[0] = 0.2
        assert estimate_mean(values, bounds=(0, 1)).method == "bootstrap"

    def test_one_row_has_no_interval(self):
        found = estimate_mean(np.array([0.5]), bounds=(0, 1))
        assert np.isnan([found.low, found.high]).all()
        assert found.method is None
