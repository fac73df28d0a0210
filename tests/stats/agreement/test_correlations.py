"""Coefficients against hand-worked values, SciPy and slow loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from semscale.errors import InputError
from semscale.stats.agreement import correlations
from semscale.stats.correlations import (
    ks_similarity,
    ks_similarity_estimate,
    pearson,
    pearson_estimate,
    spearman,
    spearman_estimate,
)


def sample(n=60, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 0.6 * x + rng.normal(size=n)
    return (np.round(x), np.round(y)) if ties else (x, y)


def test_pearson_by_hand():
    # Deviations -1 0 1 and -1 1 0: covariance sum 1, both sums of squares 2.
    assert pearson(np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 6.0])) == pytest.approx(0.5)


def test_spearman_by_hand_with_a_tie():
    # Ranks 1.5 1.5 3 and 1 2 3: deviations -.5 -.5 1 and -1 0 1: 1.5 / sqrt(1.5 * 2)
    assert spearman(np.array([4.0, 4.0, 9.0]), np.array([1.0, 2.0, 8.0])) == pytest.approx(1.5 / 3**0.5)


@pytest.mark.parametrize("ties", [False, True])
def test_agree_with_scipy(ties):
    x, y = sample(ties=ties)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)


def test_a_large_common_mean_costs_no_precision():
    x, y = sample()
    assert pearson(x + 1e9, y - 1e9) == pytest.approx(pearson(x, y), abs=1e-6)


@pytest.mark.parametrize("coefficient", [pearson, spearman])
@pytest.mark.parametrize("x", [[], [1.0], [0.3, 0.3, 0.3]])
def test_undefined_is_nan(coefficient, x):
    assert np.isnan(coefficient(np.array(x), np.arange(float(len(x)))))


@pytest.mark.parametrize("coefficient", [pearson, spearman])
def test_bad_pairs_are_refused(coefficient):
    with pytest.raises(InputError, match="one length"):
        coefficient(np.ones(3), np.ones(2))
    with pytest.raises(InputError, match="finite"):
        coefficient(np.array([1.0, np.nan]), np.ones(2))


def test_ks_similarity_by_hand():
    # Cumulated .5 .7 1 and .2 .8 1: the largest gap is .3
    assert ks_similarity(np.array([0.5, 0.2, 0.3]), np.array([0.2, 0.6, 0.2])) == pytest.approx(0.7)
    with pytest.raises(InputError, match="same points"):
        ks_similarity(np.ones(2), np.ones(3))


masses = st.lists(st.floats(0.01, 1), min_size=5, max_size=5).map(lambda m: np.array(m) / sum(m))


@given(masses, masses)
def test_ks_similarity_is_symmetric_and_bounded(p, q):
    assert ks_similarity(p, q) == pytest.approx(ks_similarity(q, p))
    assert 0 <= ks_similarity(p, q) <= 1
    assert ks_similarity(p, p) == 1


@pytest.mark.parametrize(
    ("weighted", "plain"),
    [
        (correlations.weighted_pearson, lambda x, y: stats.pearsonr(x, y).statistic),
        (correlations.weighted_spearman, lambda x, y: stats.spearmanr(x, y).statistic),
    ],
)
def test_counting_an_item_several_times_is_repeating_it(weighted, plain):
    x, y = sample(12, ties=True)
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 4, size=(20, 12)).astype(float)
    expected = [plain(np.repeat(x, c.astype(int)), np.repeat(y, c.astype(int))) for c in counts]
    np.testing.assert_allclose(weighted(x, y, counts), expected, atol=1e-12)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("estimate", "plain"),
    [
        (pearson_estimate, lambda x, y: stats.pearsonr(x, y).statistic),
        (spearman_estimate, lambda x, y: stats.spearmanr(x, y).statistic),
    ],
)
def test_interval_is_that_of_a_slow_bootstrap(estimate, plain):
    x, y = sample(200)
    rng = np.random.default_rng(9)
    slow = [plain(x[rows], y[rows]) for rows in rng.integers(0, 200, size=(2000, 200))]
    ours = estimate(x, y, seed=0)
    # Expanded percentiles at n = 200 differ from plain ones by 1 % of the width, seeds by 4 %.
    width = np.quantile(slow, 0.975) - np.quantile(slow, 0.025)
    np.testing.assert_allclose([ours.low, ours.high], np.quantile(slow, [0.025, 0.975]), atol=0.08 * width)
    assert ours.low < ours.value < ours.high


def test_ks_interval_is_a_band_over_items():
    rng = np.random.default_rng(2)
    p, q = rng.dirichlet(np.ones(5), 300), rng.dirichlet(np.arange(1.0, 6.0), 300)
    gaps = np.cumsum((p - q).mean(axis=0))
    drawn = rng.integers(0, 300, size=(2000, 300))
    errors = np.array([np.cumsum((p - q)[rows].mean(axis=0)) - gaps for rows in drawn])
    scale = np.maximum(errors.std(axis=0), errors.std(axis=0).max() / 2)
    half = np.quantile(np.abs(errors / scale).max(axis=1), 0.95) * scale
    low, high = 1 - (np.abs(gaps) + half).max(), 1 - (np.abs(gaps) - half).max()
    ours = ks_similarity_estimate(p, q)
    assert ours.value == ks_similarity(p.mean(axis=0), q.mean(axis=0))
    np.testing.assert_allclose([ours.low, ours.high], [low, high], atol=0.05 * (high - low))


def test_ks_intervals_hold_their_value_and_the_truth_where_both_distributions_are_the_same():
    # Single answers drawn from the ratings: the true similarity is 1, which no percentile of it reaches.
    held = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(5), 50)
        q = np.eye(5)[[rng.choice(5, p=row) for row in p]]
        ours = ks_similarity_estimate(p, q)
        assert 0 <= ours.low <= ours.value <= ours.high <= 1
        held.append(ours.high == 1)
    assert np.mean(held) >= 0.9


def test_nothing_to_compare_is_nan():
    nothing = ks_similarity_estimate(np.empty((0, 3)), np.empty((0, 3)))
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()
    single = pearson_estimate(np.ones(1), np.ones(1))
    assert np.isnan([single.value, single.low, single.high]).all()
