"""Means and shares with intervals."""

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats import intervals
from semscale.stats.groups import Tally, estimate_group
from semscale.stats.intervals import (
    MAX_CLUSTERS,
    IntervalPlan,
    Moments,
    draw_counts,
    estimate_mean,
    mass_names,
    percentile_interval,
    scale_figures,
)

FIVE = scale_figures(np.arange(1.0, 6.0))


def tallied(pmf, weights=None, clusters=None):
    tally = Tally(pmf.shape[1])
    tally.add(pmf, np.ones(len(pmf)) if weights is None else weights, clusters)
    return tally.whole()


def estimated(tally, **settings):
    return estimate_group(None, tally, {}, FIVE, IntervalPlan(**settings))


def clustered_sample(rng, n_clusters, size=4):
    """PMFs whose clusters lean one way, with weights and clusters' numbers."""
    lean = np.repeat(rng.dirichlet(np.ones(5), n_clusters), size, axis=0)
    pmf = 0.5 * lean + 0.5 * rng.dirichlet(np.ones(5), n_clusters * size)
    return pmf, rng.uniform(0.5, 1.5, len(pmf)), np.repeat(np.arange(n_clusters), size)


def test_values_are_weighted_means_by_hand():
    # Weights 1 and 3 on points 1 and 5: mean (1 + 15) / 4 = 4; masses .25 and .75.
    group = estimated(tallied(np.eye(5)[[0, 4]], np.array([1.0, 3.0])))
    assert group.mean.value == 4
    assert [mass.value for mass in group.pmf] == [0.25, 0, 0, 0, 0.75]
    assert (group.top_2_box.value, group.bottom_2_box.value, group.net.value) == (0.75, 0.25, 0.5)
    assert group.nps is None
    assert group.n == 2


def test_both_methods_agree_on_clustered_weighted_data():
    rng = np.random.default_rng(3)
    tally = tallied(*clustered_sample(rng, 400))
    bootstrap = estimated(tally, method="bootstrap", replicates=4000)
    linearized = estimated(tally, method="linearized")
    for name in ("mean", "top_2_box", "bottom_2_box", "net"):
        left, right = getattr(bootstrap, name), getattr(linearized, name)
        width = right.high - right.low
        assert left.value == right.value
        # A 2.5 % quantile of 4,000 normal replicates has a standard error of 1 % of the interval's width.
        np.testing.assert_allclose([left.low, left.high], [right.low, right.high], atol=0.06 * width)


def test_linearized_interval_of_equal_weights_is_the_t_interval():
    rng = np.random.default_rng(4)
    pmf = rng.dirichlet(np.ones(5), 30)
    scores = pmf @ np.arange(1, 6)
    low, high = stats.t.interval(0.9, 29, scores.mean(), stats.sem(scores))
    mean = estimated(tallied(pmf), method="linearized", interval=0.9).mean
    np.testing.assert_allclose([mean.low, mean.high], [low, high])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("method", "n_clusters"), [("bootstrap", 12), ("bootstrap", 60), ("linearized", 60)])
def test_intervals_cover_the_truth_as_often_as_they_say(method, n_clusters):
    # Coverage of 90 % over 400 draws has a standard error of 1.5 points; 5 are over three of them.
    rng = np.random.default_rng(n_clusters)
    hits = 0
    for _ in range(400):
        tally = tallied(*clustered_sample(rng, n_clusters))
        mean = estimated(tally, method=method, interval=0.9, replicates=400).mean
        hits += mean.low <= 3 <= mean.high  # the expected value is 3 by symmetry
    assert 0.85 <= hits / 400 <= 0.95


def test_ignoring_clusters_would_be_too_narrow():
    pmf, weights, clusters = clustered_sample(np.random.default_rng(6), 60)
    honest = estimated(tallied(pmf, weights, clusters)).mean
    naive = estimated(tallied(pmf, weights)).mean
    assert honest.high - honest.low > 1.3 * (naive.high - naive.low)


def test_seed_decides_the_bootstrap():
    tally = tallied(np.random.default_rng(0).dirichlet(np.ones(5), 20))
    assert estimated(tally, seed=1) == estimated(tally, seed=1)
    assert estimated(tally, seed=1).mean.low != estimated(tally, seed=2).mean.low
    assert estimated(tally, seed=1).mean.value == estimated(tally, seed=2).mean.value


@pytest.mark.parametrize("method", ["bootstrap", "linearized"])
def test_single_cluster_has_a_value_and_no_interval(method):
    mean = estimated(tallied(np.eye(5)[:1]), method=method).mean
    assert mean.value == 1
    assert np.isnan([mean.low, mean.high]).all()


@pytest.mark.parametrize("weights", [np.zeros(3), np.zeros(0)])
def test_no_weight_gives_no_figures(weights):
    group = estimated(tallied(np.eye(5)[: len(weights)], weights))
    assert (group.mean, group.net, group.pmf) == (None, None, ())
    assert group.effective_n == 0


def test_rows_without_weight_are_no_sample():
    """One row that counts has a value and no interval, whatever lies beside it with a weight of 0."""
    group = estimated(tallied(np.eye(5)[[0, 4, 2]], np.array([1.0, 0.0, 0.0])))
    assert (group.n, group.mean.value) == (1, 1)
    assert np.isnan([group.mean.low, group.mean.high]).all()


def test_linearized_intervals_stay_within_what_is_possible():
    group = estimated(tallied(np.eye(5)[[0, 0, 0, 4]]), method="linearized", interval=0.99)
    assert group.mean.low == 1
    assert group.pmf[0].high == 1
    assert group.pmf[4].low == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"interval": 0.0}, "interval"), ({"interval": 95}, "interval"), ({"replicates": 10}, "replicates")],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        IntervalPlan(**settings)


@pytest.mark.parametrize("replicates", [200.5, "many"])
def test_replicates_must_be_whole(replicates):
    with pytest.raises(InputError, match="replicates must be a whole number"):
        IntervalPlan(replicates=replicates)


@pytest.mark.parametrize("method", ["boot", "exact", None, 5])
def test_a_method_that_is_none_is_refused(method):
    with pytest.raises(InputError, match="method must be bootstrap or linearized"):
        IntervalPlan(method=method)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_clusters", [2, 3, 5, 8])
def test_few_clusters_cover_as_often_as_they_say(n_clusters):
    # Standard error of 95 % over 600 draws: .9 points. Percentiles covered 50, 75, 91 and 94 %.
    rng = np.random.default_rng(n_clusters)
    hits = 0
    for _ in range(600):
        mean = estimated(tallied(*clustered_sample(rng, n_clusters))).mean
        hits += mean.low <= 3 <= mean.high
    assert hits / 600 >= 0.92


def test_groups_state_their_interval_method():
    pmf = np.random.default_rng(0).dirichlet(np.ones(5), 10)
    methods = [estimated(tallied(pmf[:n])).method for n in (1, 2, 9, 10)]
    assert methods == [None, "linearized", "linearized", "bootstrap"]


UNIT = (0.0, 1.0)


def test_items_without_a_value_are_left_out_and_counted():
    estimate = estimate_mean(np.array([0.25, np.nan, 0.75, np.nan]), bounds=UNIT)
    assert (estimate.value, estimate.n, estimate.n_left_out) == (0.5, 2, 2)


def test_nothing_has_no_mean_and_no_interval():
    estimate = estimate_mean(np.array([np.nan]), bounds=UNIT)
    assert np.isnan([estimate.value, estimate.low, estimate.high]).all()
    assert estimate.method is None


def test_single_cluster_has_a_mean_and_no_interval():
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


def test_items_of_a_cluster_are_resampled_together():
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

    def test_ten_equal_values_have_an_exact_interval_for_unseen_values(self):
        # 1 - .05 ** (1 / 10) = .258866: from 3.82 - .258866 * 2.82 to 3.82 + .258866 * 1.18.
        result = estimate_mean(np.full(10, 3.82), bounds=(1, 5))
        assert (result.low, result.high) == pytest.approx((3.0900, 4.1255), abs=1e-4)
        assert result.method == "exact"

    def test_at_the_end_of_the_scale_it_is_the_bound_of_clopper_and_pearson(self):
        # No failure in 20 rows: scipy's exact interval for 20 of 20, one-sided.
        exact = stats.binomtest(20, 20, alternative="greater").proportion_ci(0.95, method="exact")
        result = estimate_mean(np.ones(20), bounds=(0, 1))
        assert (result.low, result.high) == pytest.approx((exact.low, 1.0))

    def test_rounding_is_no_spread_and_a_real_difference_is(self):
        values = np.full(30, 0.1)
        values[::2] += 1e-15
        assert estimate_mean(values, bounds=(0, 1)).method == "exact"
        values[0] = 0.2
        assert estimate_mean(values, bounds=(0, 1)).method == "bootstrap"

    def test_single_row_has_no_interval(self):
        result = estimate_mean(np.array([0.5]), bounds=(0, 1))
        assert np.isnan([result.low, result.high]).all()
        assert result.method is None


def test_replicates_draw_as_many_clusters_as_exist(monkeypatch):
    monkeypatch.setattr(intervals, "_BLOCK_CELLS", 100)
    blocks = list(draw_counts(30, 10, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    assert (np.concatenate(blocks).sum(axis=1) == 30).all()


def test_draws_are_uniform():
    counts = np.concatenate(list(draw_counts(5, 4000, np.random.default_rng(0))))
    # A count has mean 1 and variance .8; the mean of 4,000 of them a standard error of .014.
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.07)
    np.testing.assert_allclose(counts.var(axis=0), 0.8, atol=0.1)


def test_block_size_does_not_change_the_draws(monkeypatch):
    whole = np.concatenate(list(draw_counts(7, 50, np.random.default_rng(3))))
    monkeypatch.setattr(intervals, "_BLOCK_CELLS", 40)
    np.testing.assert_array_equal(np.concatenate(list(draw_counts(7, 50, np.random.default_rng(3)))), whole)


def test_percentiles_of_many_clusters_equal_plain_percentiles():
    replicates = np.linspace(0, 1, 10_001)[:, None]
    low, high = percentile_interval(replicates, 1_000_000, 0.9)
    np.testing.assert_allclose([low[0], high[0]], [0.05, 0.95], atol=1e-4)


def test_percentiles_of_few_clusters_are_expanded():
    # m = 5: t quantile with 4 degrees .05 is -2.1318; times sqrt(5/4) is -2.3834; Phi of that is .008576.
    replicates = np.linspace(0, 1, 100_001)[:, None]
    low, high = percentile_interval(replicates, 5, 0.9)
    np.testing.assert_allclose([low[0], high[0]], [0.008576, 1 - 0.008576], atol=2e-5)


@pytest.mark.parametrize(("replicates", "m"), [(np.zeros((5, 1)), 1), (np.full((5, 1), np.nan), 9)])
def test_no_interval_where_there_is_nothing_to_read(replicates, m):
    low, high = percentile_interval(replicates, m, 0.9)
    assert np.isnan([low[0], high[0]]).all()


def test_undefined_replicates_are_set_aside():
    low, high = percentile_interval(np.array([[np.nan], [2.0], [2.0]]), 9, 0.9)
    assert (low[0], high[0]) == (2, 2)


@pytest.mark.parametrize("cells", [1, 10, 64, 10**6])
def test_blockwise_counts_equal_a_single_long_draw(cells, monkeypatch):
    drawn = np.random.default_rng(3).integers(0, 7, size=(50, 7))
    expected = [[int((row == cluster).sum()) for cluster in range(7)] for row in drawn]
    monkeypatch.setattr(intervals, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(
        np.concatenate(list(draw_counts(7, 50, np.random.default_rng(3)))), expected
    )


def totals(n, k=3, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, n)
    return np.column_stack([rng.dirichlet(np.ones(k), n) * weights[:, None], weights])


def test_mean_is_the_weighted_mean_by_hand():
    # Weights 1 and 3: (1 * .5 + 3 * 1) / 4 = .875
    moments = Moments.empty(2).with_clusters(np.array([[0.5, 0.5, 1.0], [3.0, 0.0, 3.0]]))
    np.testing.assert_allclose(moments.mean, [0.875, 0.125])


def test_covariance_of_equal_weights_is_that_of_a_sample_mean():
    rows = totals(40)
    rows[:, :-1] /= rows[:, -1:]
    rows[:, -1] = 1
    expected = np.cov(rows[:, :-1].T, ddof=1) / 40
    np.testing.assert_allclose(Moments.empty(3).with_clusters(rows).covariance, expected, atol=1e-15)


def test_covariance_follows_its_definition():
    rows = totals(25)
    mean = rows[:, :-1].sum(axis=0) / rows[:, -1].sum()
    residuals = [(row[:-1] - mean * row[-1]) / rows[:, -1].sum() for row in rows]
    expected = 25 / 24 * sum(np.outer(z, z) for z in residuals)
    np.testing.assert_allclose(Moments.empty(3).with_clusters(rows).covariance, expected, atol=1e-15)


def test_parts_merge_to_the_whole():
    rows = totals(30)
    whole = Moments.empty(3).with_clusters(rows)
    parts = Moments.empty(3).with_clusters(rows[:7]).plus(Moments.empty(3).with_clusters(rows[7:]))
    assert parts.n == whole.n
    np.testing.assert_allclose(parts.covariance, whole.covariance, atol=1e-15)
    np.testing.assert_allclose(parts.mean, whole.mean)


def test_empty_and_single_cluster_moments_have_no_covariance():
    assert np.isnan(Moments.empty(3).mean).all()
    assert np.isnan(Moments.empty(3).covariance).all()
    first = Moments.empty(3).with_clusters(totals(1))
    assert np.isfinite(first.mean).all()
    assert np.isnan(first.covariance).all()


def named(values, pmf):
    figures = scale_figures(np.asarray(values, dtype=float))
    return dict(zip(figures.names, figures.matrix @ np.asarray(pmf), strict=True))


def test_figures_of_five_points_by_hand():
    # mean .1 + .4 + .9 + 1.2 + .5 = 3.1; top .3 + .1; bottom .1 + .2
    figures = named([1, 2, 3, 4, 5], [0.1, 0.2, 0.3, 0.3, 0.1])
    expected = {"mean": 3.1, "top_2_box": 0.4, "bottom_2_box": 0.3, "net": 0.1}
    expected |= {"p_1": 0.1, "p_2": 0.2, "p_3": 0.3, "p_4": 0.3, "p_5": 0.1}
    assert figures == pytest.approx(expected)


def test_nps_counts_promoters_less_detractors():
    # .3 on 9, .2 on 10, .1 on 8, .1 on 7, .25 on 0, .05 on 6: .5 - .3
    pmf = [0.25, 0, 0, 0, 0, 0, 0.05, 0.1, 0.1, 0.3, 0.2]
    assert named(range(11), pmf)["nps"] == pytest.approx(0.2)


@pytest.mark.parametrize("values", [range(1, 12), range(10), [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_only_zero_to_ten_has_an_nps(values):
    assert "nps" not in scale_figures(np.asarray(values, dtype=float)).names


@pytest.mark.parametrize(("k", "boxes"), [(2, False), (3, False), (4, True)])
def test_boxes_that_would_overlap_are_left_out(k, boxes):
    assert ("top_2_box" in scale_figures(np.arange(float(k))).names) is boxes


def test_bounds_are_those_of_all_pmfs():
    low, high = scale_figures(np.array([-2.0, 0.0, 1.0, 3.0])).bounds
    assert low.tolist() == [-2, 0, 0, -1, 0, 0, 0, 0]
    assert high.tolist() == [3, 1, 1, 1, 1, 1, 1, 1]


def test_values_that_six_digits_would_confuse_keep_their_names():
    assert mass_names([1000001, 1000002.0, 0.1234567]) == ("p_1000001", "p_1000002", "p_0.1234567")


def test_whole_and_negative_values():
    assert mass_names([-1.5, -1.0, 0.0, 10.0]) == ("p_-1.5", "p_-1", "p_0", "p_10")
