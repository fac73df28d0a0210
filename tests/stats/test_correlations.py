"""Correlations and other coefficients, with resampled intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import norm, rankdata

from semscale.errors import InputError
from semscale.stats.correlations import (
    CORRELATION,
    RELIABILITY,
    SHARE,
    average_ranks,
    jackknife_interval,
    ks_similarity,
    ks_similarity_estimate,
    pearson,
    pearson_estimate,
    roc_area,
    spearman,
    spearman_brown,
    spearman_estimate,
    split_half_reliability,
    weighted_pearson,
    weighted_spearman,
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
        (weighted_pearson, lambda x, y: stats.pearsonr(x, y).statistic),
        (weighted_spearman, lambda x, y: stats.spearmanr(x, y).statistic),
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
    actual = estimate(x, y, seed=0)
    # Expanded percentiles at n = 200 differ from plain ones by 1 % of the width, seeds by 4 %.
    width = np.quantile(slow, 0.975) - np.quantile(slow, 0.025)
    np.testing.assert_allclose(
        [actual.low, actual.high], np.quantile(slow, [0.025, 0.975]), atol=0.08 * width
    )
    assert actual.low < actual.value < actual.high


def test_ks_interval_is_a_band_over_items():
    rng = np.random.default_rng(2)
    p, q = rng.dirichlet(np.ones(5), 300), rng.dirichlet(np.arange(1.0, 6.0), 300)
    gaps = np.cumsum((p - q).mean(axis=0))
    drawn = rng.integers(0, 300, size=(2000, 300))
    errors = np.array([np.cumsum((p - q)[rows].mean(axis=0)) - gaps for rows in drawn])
    scale = np.maximum(errors.std(axis=0), errors.std(axis=0).max() / 2)
    half = np.quantile(np.abs(errors / scale).max(axis=1), 0.95) * scale
    low, high = 1 - (np.abs(gaps) + half).max(), 1 - (np.abs(gaps) - half).max()
    actual = ks_similarity_estimate(p, q)
    assert actual.value == ks_similarity(p.mean(axis=0), q.mean(axis=0))
    np.testing.assert_allclose([actual.low, actual.high], [low, high], atol=0.05 * (high - low))


def test_ks_intervals_hold_their_value_and_the_truth_where_both_distributions_are_the_same():
    # Single answers drawn from the ratings: the true similarity is 1, which no percentile of it reaches.
    held = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(5), 50)
        q = np.eye(5)[[rng.choice(5, p=row) for row in p]]
        actual = ks_similarity_estimate(p, q)
        assert 0 <= actual.low <= actual.value <= actual.high <= 1
        held.append(actual.high == 1)
    assert np.mean(held) >= 0.9


def test_nothing_to_compare_is_nan():
    nothing = ks_similarity_estimate(np.empty((0, 3)), np.empty((0, 3)))
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()
    single = pearson_estimate(np.ones(1), np.ones(1))
    assert np.isnan([single.value, single.low, single.high]).all()


def panel(n, raters, noise, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1))
    return truth + noise * rng.normal(size=(n, raters))


def test_spearman_brown_by_hand():
    assert spearman_brown(0.5) == pytest.approx(2 / 3)
    assert np.isnan(spearman_brown(-1.0))
    assert np.isnan(spearman_brown(float("nan")))


def test_reliability_is_signal_over_signal_and_noise():
    # Variance 1 of the truth, 4 / 16 of the mean of 16 raters: 1 / 1.25 = .8
    result = split_half_reliability(panel(4000, 16, 2.0), splits=40)
    assert result.value == pytest.approx(0.8, abs=0.015)
    assert result.low < 0.8 < result.high


def test_absent_ratings_are_left_out_and_not_zero():
    complete = panel(2000, 8, 1.0, seed=1) + 100
    ragged = np.column_stack([complete, np.full((2000, 5), np.nan)])
    ragged[::2, [0, 1]] = ragged[::2, [9, 10]]
    # Six raters in half of the items: reliability between 1 / (1 + 1/6) = .857 and 1 / (1 + 1/8) = .889.
    assert 0.84 < split_half_reliability(ragged, splits=20).value < 0.91


def test_items_with_a_single_rating_are_left_out():
    ratings = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [99.0, np.nan], [np.nan, np.nan]])
    assert split_half_reliability(ratings, splits=5).value == pytest.approx(1)


def test_no_reliability_without_two_items():
    result = split_half_reliability(np.array([[1.0, 2.0], [1.0, np.nan]]))
    assert np.isnan([result.value, result.low, result.high]).all()


@pytest.mark.parametrize(("ratings", "splits"), [(np.ones(3), 5), (np.ones((3, 3)), 1)])
def test_bad_input_to_reliability_is_refused(ratings, splits):
    with pytest.raises(InputError):
        split_half_reliability(ratings, splits=splits)


def test_respondents_texts_are_drawn_together():
    """With every item four times over the interval is still that of 60 respondents."""
    single = panel(60, 4, 1.0, seed=2)
    people = np.repeat(np.arange(60), 4)
    repeated = np.repeat(single, 4, axis=0)
    alone, naive = split_half_reliability(single), split_half_reliability(repeated)
    honest = split_half_reliability(repeated, clusters=people)
    # sqrt(4) = 2 times as wide as items taken one by one. Splits still differ within a person, so it is no
    # exact copy of the interval of single items.
    assert (honest.high - honest.low) / (naive.high - naive.low) == pytest.approx(2, rel=0.2)
    assert honest.high - honest.low == pytest.approx(alone.high - alone.low, rel=0.2)


def test_the_interval_covers_what_was_asked_for():
    ratings = panel(200, 6, 1.0, seed=3)
    narrow, wide = (split_half_reliability(ratings, interval=interval) for interval in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_the_input_is_left_as_it_was():
    ratings = panel(20, 4, 1.0)
    before = ratings.copy()
    split_half_reliability(ratings, splits=3)
    np.testing.assert_array_equal(ratings, before)


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
@pytest.mark.exhaustive
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
    actual = pearson_estimate(x, y)
    np.testing.assert_allclose([actual.low, actual.high], np.tanh([centre - half, centre + half]))
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


def test_the_interval_by_hand():
    # Of 2 and 1, 3 exceeds both, 1.5 exceeds one, 0 none: shares 1, 1/2, 0, variance 1/4. 2 is exceeded by
    # one of three, 1 by two: the variance of 1/3 and 2/3 is 1/18. So the area is 1/2, and its variance
    # 1/4 / 3 + 1/18 / 2 = 1/9.
    result = roc_area(np.array([3.0, 1.5, 0.0]), np.array([2.0, 1.0]), interval=0.9)
    assert result.value == pytest.approx(0.5)
    # On the logit scale: 0 +- 1.6449 * (1/3) / (1/4) = +- 2.1931, and expit(2.1931) = .8996.
    assert result.high == pytest.approx(0.8996, abs=1e-4)
    assert result.low == pytest.approx(1 - 0.8996, abs=1e-4)


def test_the_area_is_the_share_of_pairs_with_ties_as_halves():
    rng = np.random.default_rng(0)
    above, below = rng.integers(0, 9, 41).astype(float), rng.integers(0, 6, 30).astype(float)
    wins = [(upper > other) + (upper == other) / 2 for upper in above for other in below]
    result = roc_area(above, below)
    assert result.value == pytest.approx(np.mean(wins))
    assert 0 < result.low < result.value < result.high < 1
    swapped = roc_area(below, above)
    assert (1 - swapped.value, 1 - swapped.high, 1 - swapped.low) == pytest.approx(
        (result.value, result.low, result.high)
    )


@pytest.mark.parametrize(
    ("above", "below", "value"),
    [
        ([], [0.5], np.nan),
        ([0.5], [], np.nan),
        ([0.9], [0.1, 0.2, 0.95], 2 / 3),  # one item of a kind
        ([0.8, 0.9], [0.1, 0.2], 1.0),  # nothing shows how far the area would vary
        ([0.1, 0.2], [0.8, 0.9], 0.0),
        ([0.5, 0.5], [0.5, 0.5, 0.5], 0.5),
    ],
)
def test_scores_that_show_no_spread_have_no_interval(above, below, value):
    result = roc_area(np.array(above), np.array(below))
    assert result.value == pytest.approx(value, nan_ok=True)
    assert np.isnan([result.low, result.high]).all()


@pytest.mark.parametrize("shift", [0.5, 1.2])
def test_the_interval_holds_as_often_as_it_says(shift):
    # Of normal scores that lie apart by a shift, the area is Phi(shift / sqrt(2)).
    area, rng = norm.cdf(shift / np.sqrt(2)), np.random.default_rng(1)
    held = [
        result.low <= area <= result.high
        for result in (roc_area(rng.normal(shift, 1, 40), rng.normal(0, 1, 60)) for _ in range(1000))
    ]
    assert 0.93 <= np.mean(held) <= 0.97


def test_the_coverage_must_be_a_share():
    with pytest.raises(InputError, match="interval"):
        roc_area(np.array([1.0]), np.array([0.0]), interval=95)


@given(
    st.lists(st.one_of(st.sampled_from([0.0, -0.0, 1.0]), st.floats(allow_nan=False, allow_infinity=False)))
)
def test_ranks_are_those_of_scipy(values):
    numbers = np.array(values, np.float64)
    np.testing.assert_array_equal(average_ranks(numbers), rankdata(numbers))


def test_equal_numbers_share_the_average_of_their_ranks():
    # 7 has the ranks 2, 3 and 4, so each has 3.
    assert average_ranks(np.array([7.0, 9.0, 7.0, 1.0, 7.0])).tolist() == [3, 5, 3, 1, 3]
