"""Equivalence by a one-sided t-test, with the variance shrunk towards the noise between runs."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from semscale.drift.gate.equivalence import equivalence

pytestmark = pytest.mark.exhaustive


def test_without_reruns_and_skewness_it_is_the_t_test():
    half = np.random.default_rng(0).normal(0.0, 0.1, 13)
    drifts = 0.02 + np.concatenate([half, -half])
    found = equivalence(drifts[:, None], 0.05, 0.05)
    against = ttest_1samp(drifts, 0.05, alternative="less")
    assert found.p_value == pytest.approx(against.pvalue)
    assert found.bound == pytest.approx(against.confidence_interval(0.95).high)
    assert found.sd == pytest.approx(drifts.std(ddof=1))


def test_rare_losses_have_the_bound_of_johnsons_t():
    # 4 of 20 items lose 1: mean .2, variance .16 * 20 / 19 = .168421, s = .410391, s / sqrt(20) = .0917663.
    # Third moment p q (q - p) = .2 * .8 * .6 = .096; g = .096 / .410391 ** 3 = 1.38893.
    # t(19, .95) = 1.729133; 1 + 2 t ** 2 = 6.979800; g * 6.9798 / (6 sqrt(20)) = .361293.
    drifts = np.array([1.0] * 4 + [0.0] * 16)
    found = equivalence(drifts[:, None], 0.3, 0.05)
    assert found.skewness == pytest.approx(1.38893, rel=1e-5)
    assert found.bound == pytest.approx(0.2 + (1.729133 + 0.361293) * 0.0917663, rel=1e-5)
    mirrored = equivalence(-drifts[:, None], 0.3, 0.05)  # losses that are common: the t-test as it is
    assert (mirrored.skewness, mirrored.bound) == (0.0, pytest.approx(-0.2 + 1.729133 * 0.0917663, rel=1e-5))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_the_p_value_is_alpha_where_the_bound_is_tolerated(alpha):
    drifts = np.random.default_rng(1).exponential(0.1, (40, 1))
    bound = equivalence(drifts, 1.0, alpha).bound
    assert equivalence(drifts, bound, alpha).p_value == pytest.approx(alpha)


def test_a_drift_far_beyond_what_is_tolerated_has_no_small_p_value():
    drifts = np.array([1.0] + [0.0] * 11)[:, None]
    assert equivalence(drifts, -10.0, 0.05).p_value > 0.5


@pytest.mark.parametrize(
    ("drawn", "mean", "n"),
    [
        (lambda rng, shape: rng.random(shape) < 0.05, 0.05, 60),
        (lambda rng, shape: rng.random(shape) < 0.05, 0.05, 200),
        (lambda rng, shape: rng.random(shape) < 0.1, 0.1, 30),
        (lambda rng, shape: rng.exponential(1.0, shape), 1.0, 30),
        (lambda rng, shape: rng.normal(0.0, 1.0, shape), 0.0, 30),
    ],
)
def test_a_drift_at_the_tolerance_passes_in_about_5_percent(drawn, mean, n):
    # The plain t-test passes 19 %, 12 %, 18 % and 10 % of the first four.
    rng = np.random.default_rng(2)
    bounds = [equivalence(drawn(rng, (n, 1)).astype(float), mean, 0.05).bound for _ in range(3000)]
    assert 0.02 < np.mean(np.array(bounds) < mean) < 0.085


def test_the_variance_is_shrunk_towards_the_noise():
    # Drifts 0 and .2 by turns: variance .01 * 20 / 19. All roles: each item's variance is that of (d, -d),
    # d ** 2, .02 on average. (19 * .0105263 + 10 * .02) / 29.
    drifts = np.where(np.arange(20) % 2, 0.2, 0.0)
    found = equivalence(np.column_stack([drifts, -drifts]), 0.5, 0.05)
    assert found.sd**2 == pytest.approx((19 * 0.01 * 20 / 19 + 10 * 0.02) / 29)


def test_items_that_are_all_alike_have_no_spread_to_test_with():
    found = equivalence(np.zeros((30, 3)), 0.05, 0.05)
    assert (found.sd, found.bound) == (0.0, 0.0)
    assert np.isnan(found.p_value)


def test_noise_of_reruns_counts_though_the_candidate_is_still():
    by_role = np.zeros((30, 3))
    by_role[:5, 1], by_role[:5, 2] = 0.6, -0.6
    assert equivalence(by_role, 0.05, 0.05).bound > 0


@pytest.mark.parametrize("n", [0, 1])
def test_one_item_says_nothing(n):
    assert np.isnan(equivalence(np.zeros((n, 2)), 0.05, 0.05).bound)


def test_nights_that_agree_add_degrees_of_freedom():
    # The nights differ by nothing, so that they are worth as much as they may: the 39 degrees of freedom of
    # tonight, as far as its variance agrees with theirs.
    drifts = np.where(np.arange(30) % 2, 0.1, -0.1)
    by_role = np.column_stack([drifts, -drifts])
    nights = np.tile(drifts, (6, 1))
    found = equivalence(by_role, 0.5, 0.05, nights)
    assert 0 < found.of_nights <= 39
    assert found.further_freedom == pytest.approx(10 + found.of_nights)
    assert found.bound < equivalence(by_role, 0.5, 0.05).bound


@pytest.mark.parametrize("spread", [0.2, 5.0])
def test_nights_with_another_noise_do_not_count(spread):
    rng = np.random.default_rng(3)
    tonight = rng.normal(0.0, 1.0, (30, 1))
    plain, found = (
        equivalence(tonight, 0.5, 0.05, nights) for nights in (None, rng.normal(0.0, spread, (14, 30)))
    )
    assert found.of_nights < 0.01
    assert found.bound == pytest.approx(plain.bound, rel=1e-3)


@pytest.mark.parametrize("ratio", [1.0, 0.75, 0.5, 0.1])
def test_quiet_nights_do_not_let_a_drift_at_the_tolerance_pass(ratio):
    """A drift of just the tolerance passes in 5 %, though the nights' variance is less than tonight's."""
    rng = np.random.default_rng(4)
    passed = []
    for _ in range(4000):
        tonight = rng.normal(0.0, 1.0, (30, 1))
        nights = rng.normal(0.0, np.sqrt(ratio), (14, 30))
        passed.append(equivalence(tonight, 0.0, 0.05, nights).bound < 0)
    assert np.mean(passed) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)
