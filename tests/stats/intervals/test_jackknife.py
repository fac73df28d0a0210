"""Intervals from few clusters, by hand and by how often they hold the truth."""

import numpy as np
import pytest
from scipy import stats

from semscale.stats.agreement.correlations import ks_similarity_estimate, pearson_estimate, spearman_estimate
from semscale.stats.intervals.jackknife import CORRELATION, RELIABILITY, SHARE, jackknife_interval


def test_jackknife_of_a_mean_is_the_t_interval():
    scores = np.array([0.4, 0.5, 0.45, 0.6])
    left_out = (scores.sum() - scores) / 3
    expected = stats.t.interval(0.9, 3, scores.mean(), stats.sem(scores))
    np.testing.assert_allclose(jackknife_interval(scores.mean(), left_out, 0.9, SHARE), expected)


@pytest.mark.parametrize("transform", [CORRELATION, SHARE, RELIABILITY])
def test_transforms_can_be_undone(transform):
    np.testing.assert_allclose(transform.inverse(transform.forward(np.array([0.1, 0.7]))), [0.1, 0.7])


def test_reliability_is_transformed_as_its_halves_correlation():
    # Halves that correlate by .6 have reliability 2 * .6 / 1.6 = .75.
    assert RELIABILITY.forward(np.array(0.75)) == pytest.approx(np.arctanh(0.6))


def test_a_perfect_correlation_of_few_says_nothing():
    assert np.isnan(jackknife_interval(1.0, np.ones(3), 0.95, CORRELATION)).all()
    rounded = np.array([1.0, 1 - 1e-16, 1 - 2e-16])
    assert np.isnan(jackknife_interval(1 - 1e-16, rounded, 0.95, CORRELATION)).all()
    # Without one of them the others are perfect: there is spread, but Fisher's z has no size.
    assert jackknife_interval(0.9, np.array([1.0, 0.8, 0.9]), 0.95, CORRELATION) == (-1, 1)
    assert np.isnan(jackknife_interval(1.0, np.ones(3), 0.95, RELIABILITY)).all()
    assert np.isnan(jackknife_interval(1.0, np.array([np.nan, 1.0]), 0.95, CORRELATION)).all()


@pytest.mark.parametrize("n", [3, 9, 10, 40])
def test_a_coefficient_without_spread_has_no_interval_however_many_there_are(n):
    x, equal = np.arange(float(n)), np.full((n, 2), 0.5)
    shares = np.tile([0.75, 0.25], (n, 1))
    for estimate, value in (
        (pearson_estimate(x, 2 * x), 1),
        (spearman_estimate(x, x**3), 1),
        (spearman_estimate(x, -x), -1),
        (ks_similarity_estimate(equal, shares), 0.75),  # .5 against .75 on the first point
    ):
        assert estimate.value == pytest.approx(value)
        assert np.isnan([estimate.low, estimate.high]).all()


def test_ranks_that_no_pair_left_out_changes_are_not_known_exactly():
    # Ranks 1 2 3 4 and 3 4 1 2: rho = 1 - 6 * 16 / 60 = -.6, and -.5 whichever pair is left out.
    estimate = spearman_estimate(np.arange(4.0), np.array([3.0, 4.0, 1.0, 2.0]))
    assert estimate.value == pytest.approx(-0.6)
    assert np.isnan([estimate.low, estimate.high]).all()


@pytest.mark.parametrize("n", [4, 6, 9])
def test_ranks_of_few_pairs_cover_as_often_as_they_say(n):
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(500):
        estimate = spearman_estimate(rng.standard_normal(n), rng.standard_normal(n))
        hits += not (estimate.low > 0 or estimate.high < 0)  # no interval excludes nothing
    assert hits / 500 >= 0.93


@pytest.mark.parametrize("n", [4, 6, 9])
def test_correlations_of_few_pairs_cover_as_often_as_they_say(n):
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(500):
        x = rng.standard_normal(n)
        estimate = pearson_estimate(x, 0.8 * x + 0.6 * rng.standard_normal(n))
        hits += estimate.low <= 0.8 <= estimate.high
    assert hits / 500 >= 0.92


def test_correlations_of_fewer_than_50_pairs_have_the_jackknifes_interval():
    # Fisher's z of the values without each pair, their spread times 48 / 49, t with 48 degrees of freedom.
    rng = np.random.default_rng(0)
    x = rng.standard_normal(49)
    y = 0.8 * x + 0.6 * rng.standard_normal(49)
    z = np.arctanh([stats.pearsonr(np.delete(x, i), np.delete(y, i)).statistic for i in range(49)])
    half = stats.t.ppf(0.975, 48) * np.sqrt(48 / 49 * ((z - z.mean()) ** 2).sum())
    centre = np.arctanh(stats.pearsonr(x, y).statistic)
    ours = pearson_estimate(x, y)
    np.testing.assert_allclose([ours.low, ours.high], np.tanh([centre - half, centre + half]))
    x, y = np.append(x, 0.0), np.append(y, 0.0)
    assert pearson_estimate(x, y, seed=1) != pearson_estimate(x, y, seed=2)  # 50 pairs: a bootstrap's


@pytest.mark.parametrize("n", [2, 3, 5])
def test_ks_similarity_of_few_items_covers_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    p, q = np.array([2.0, 2, 2, 4, 6]), np.array([4.0, 4, 6, 2, 2])
    truth = 1 - np.abs(np.cumsum(p / p.sum() - q / q.sum())).max()
    hits = 0
    for _ in range(500):
        estimate = ks_similarity_estimate(rng.dirichlet(p, n), rng.dirichlet(q, n))
        hits += estimate.low <= truth <= estimate.high
    assert hits / 500 >= 0.91
