"""Intervals: the same from both methods, and as often right as they say."""

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats.groups import Tally, estimate_group
from semscale.stats.intervals import IntervalPlan, scale_figures

FIVE = scale_figures(np.arange(1.0, 6.0))


def tallied(pmf, weights=None, clusters=None):
    tally = Tally(pmf.shape[1])
    tally.add(pmf, np.ones(len(pmf)) if weights is None else weights, clusters)
    return tally


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
        ours, theirs = getattr(bootstrap, name), getattr(linearized, name)
        width = theirs.high - theirs.low
        assert ours.value == theirs.value
        # A 2.5 % quantile of 4,000 normal replicates has a standard error of 1 % of the interval's width.
        np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high], atol=0.06 * width)


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
def test_one_cluster_has_a_value_and_no_interval(method):
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


@pytest.mark.parametrize("n_clusters", [2, 3, 5, 8])
def test_few_clusters_cover_as_often_as_they_say(n_clusters):
    # Standard error of 95 % over 600 draws: .9 points. Percentiles covered 50, 75, 91 and 94 %.
    rng = np.random.default_rng(n_clusters)
    hits = 0
    for _ in range(600):
        mean = estimated(tallied(*clustered_sample(rng, n_clusters))).mean
        hits += mean.low <= 3 <= mean.high
    assert hits / 600 >= 0.92


def test_each_group_says_how_its_intervals_were_made():
    pmf = np.random.default_rng(0).dirichlet(np.ones(5), 10)
    methods = [estimated(tallied(pmf[:n])).method for n in (1, 2, 9, 10)]
    assert methods == [None, "linearized", "linearized", "bootstrap"]
