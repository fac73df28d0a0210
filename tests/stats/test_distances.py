"""Distances between PMFs, samples of PMFs, and their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance as scipy_wasserstein

from semscale.errors import InputError
from semscale.stats.distances import (
    DISTANCES,
    PmfSample,
    all_distances,
    jensen_shannon_divergence,
    kinked_estimate,
    ks_distance,
    noise_distances,
    signed_distances,
    total_variation,
    wasserstein_distance,
)

VALUES = np.array([1.0, 2.0, 4.0])

P, Q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])

MASSES = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda x: np.array(x) / np.sum(x))


def test_worked_by_hand():
    # Cumulative shares .5, .75, 1 and .25, .5, 1: both gaps are .25.
    assert ks_distance(P, Q) == pytest.approx(0.25)
    # .25 over the step of 1 and .25 over the step of 2, over the width of 3.
    assert wasserstein_distance(P, Q, VALUES) == pytest.approx(0.75 / 3)
    # (.25 + 0 + .25) / 2
    assert total_variation(P, Q) == pytest.approx(0.25)
    # m is .375, .25, .375; KL(p, m) is .5 log2(4/3) + .25 log2(2/3) in bits, KL(q, m) the same.
    assert jensen_shannon_divergence(P, Q) == pytest.approx(0.5 * np.log2(4 / 3) + 0.25 * np.log2(2 / 3))


@given(MASSES, MASSES)
def test_as_scipy_has_them(p, q):
    values = np.array([-2.0, 0.0, 1.0, 5.0])
    result = dict(zip(DISTANCES, all_distances(p, q, values), strict=True))
    assert result["wasserstein"] == pytest.approx(scipy_wasserstein(values, values, p, q) / 7, abs=1e-12)
    assert result["jensen_shannon"] == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9)
    assert (
        result["ks"] <= result["total_variation"] + 1e-12
    )  # cumulative sums are sums of a part of the points


@given(MASSES, MASSES)
def test_alike_is_0_and_order_of_the_two_is_no_matter(p, q):
    values = np.arange(4.0)
    assert all_distances(p, p, values) == pytest.approx(0, abs=1e-12)
    assert all_distances(p, q, values) == pytest.approx(all_distances(q, p, values), abs=1e-12)


def test_opposite_ends_are_1_apart():
    assert all_distances(np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), VALUES).tolist() == [1.0] * 4


def test_many_pairs_at_once_equal_single_pairs():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(3), size=(5, 2)), rng.dirichlet(np.ones(3), size=2)
    result = all_distances(p, q, VALUES)
    assert result.shape == (5, 2, 4)
    assert result[3, 1] == pytest.approx(all_distances(p[3, 1], q[1], VALUES))


def test_what_is_missing_stays_missing():
    result = all_distances(np.array([[np.nan] * 3, P]), Q, VALUES)
    assert np.isnan(result[0]).all()
    assert not np.isnan(result[1]).any()


EYE = np.eye(3)


def test_average_with_and_without_weights():
    masses = EYE[[0, 0, 2, 1]]
    assert PmfSample(masses).mean.tolist() == [0.5, 0.25, 0.25]
    weighted = PmfSample(masses, np.array([1.0, 1.0, 2.0, 4.0]))
    assert weighted.mean.tolist() == [0.25, 0.5, 0.25]
    # (1 + 1 + 2 + 4)^2 / (1 + 1 + 4 + 16) = 64 / 22
    assert weighted.effective_n == pytest.approx(64 / 22)


def test_halves_are_all_of_the_respondents():
    rng = np.random.default_rng(1)
    sample = PmfSample(rng.dirichlet(np.ones(3), size=7))
    first, second = sample.halves(50, rng)
    assert first.shape == second.shape == (50, 3)
    np.testing.assert_allclose((3 * first + 4 * second) / 7, np.tile(sample.mean, (50, 1)), atol=1e-12)
    assert len(np.unique(first.round(9), axis=0)) > 10


def _many_weighted(n, rng):
    return PmfSample(np.eye(4)[rng.choice(3, size=n, p=[0.5, 0.3, 0.2])], rng.uniform(0.5, 2, size=n))


def test_halves_of_many_weighted_answers_are_all_of_them_and_differ_as_halves_do():
    sample = _many_weighted(20_001, np.random.default_rng(4))
    first, second = sample.halves(20_000, np.random.default_rng(5))
    # Halves part what is there: they lie on both sides of the whole, and differ with four times its variance.
    assert min(first.min(), second.min()) == 0
    np.testing.assert_allclose((first + second) / 2, np.tile(sample.mean, (20_000, 1)), atol=2e-3)
    centred = sample.weights[:, None] * (sample.masses - sample.mean)
    expected = 4 * (centred**2).sum(axis=0) / sample.weights.sum() ** 2
    np.testing.assert_allclose((first - second).var(axis=0), expected, rtol=0.05, atol=1e-12)


def test_a_point_with_few_answers_is_drawn_answer_by_answer():
    rng = np.random.default_rng(6)
    points = np.zeros(5000, dtype=int)
    points[:3] = 1
    sample = PmfSample(np.eye(2)[points], rng.uniform(0.5, 2, size=5000))
    first, second = sample.halves(200, rng)
    assert (first[:, 1] == 0).any()
    assert min(first.min(), second.min()) >= 0


@pytest.mark.parametrize(
    ("masses", "weights", "message"),
    [
        (np.ones(3) / 3, None, "masses must have shape"),
        (np.full((2, 3), np.nan), None, "without gaps"),
        (np.ones((2, 3)), None, "sum to 1"),
        (EYE, np.array([1.0, 0.0, 1.0]), "weights must be 3 numbers above 0"),
        (EYE, np.ones(2), "weights must be 3 numbers above 0"),
    ],
)
def test_what_is_no_sample_is_refused(masses, weights, message):
    with pytest.raises(InputError, match=message):
        PmfSample(masses, weights)


def test_linear_parts_equal_the_distances_of_the_pair_that_was_seen():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(3), 2)
        assert signed_distances(p[None], q[None], p[None], q[None], VALUES)[0] == pytest.approx(
            all_distances(p, q, VALUES)
        )


def test_gaps_that_turned_round_count_below_0():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    # Cumulative gaps .3 and .3: KS .3; (.3 * 1 + .3 * 2) / 3 = .3; total variation (.3 + .3) / 2.
    assert signed_distances(p[None], q[None], p[None], q[None], VALUES)[0, :3] == pytest.approx(
        [0.3, 0.3, 0.3]
    )
    assert signed_distances(q[None], p[None], p[None], q[None], VALUES)[0, :3] == pytest.approx(
        [-0.3, -0.3, -0.3]
    )


def test_ends_by_hand():
    # Standard deviation of the linear part 1 / 10, bias .05; t of 4 degrees of freedom 2.7764, times the
    # root of 5 / 4: half a width of .31042.
    linear = np.array([0.1, 0.2, 0.3])
    result = kinked_estimate(0.5, np.array([0.5, 0.55, 0.6]), linear, 5, 0.95)
    assert (result.low, result.high) == pytest.approx((0.5 - 0.05 - 0.31042, 0.5 + 0.31042), abs=1e-4)
    below = kinked_estimate(0.5, np.array([0.4, 0.45, 0.5]), linear, 5, 0.95, least=-1)
    assert (below.low, below.high) == pytest.approx((0.5 - 0.31042, 0.5 + 0.05 + 0.31042), abs=1e-4)


def test_chance_alone_is_what_resamples_lie_off_what_was_seen():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    # The one side is drawn .1 to the last point, the other as it was seen: gaps of .1 at the ends.
    result = noise_distances(np.array([[0.4, 0.3, 0.3]]), q[None], p[None], q[None], VALUES)
    assert result[0, :3] == pytest.approx([0.1, 0.1, 0.1])
    assert np.isnan(result[0, 3])


def test_a_distance_that_chance_makes_may_be_0():
    linear, drawn = np.array([0.2, 0.21, 0.22]), np.array([0.2, 0.2, 0.2])
    held = {"n": 10, "interval": 0.95}
    assert kinked_estimate(0.2, drawn, linear, **held).low > 0
    # The noise's quantile is .3: chance makes a distance of .2. A noise of .05 does not.
    assert kinked_estimate(0.2, drawn, linear, **held, noise=np.full(9, 0.3)).low == 0
    far = kinked_estimate(0.2, drawn, linear, **held, noise=np.full(9, 0.05))
    assert far == kinked_estimate(0.2, drawn, linear, **held)
    # The divergence has no noise of this kind.
    assert kinked_estimate(0.2, drawn, linear, **held, noise=np.full(9, np.nan)) == far


def test_ends_stay_where_a_distance_can_be():
    drawn = np.array([0.0, 1.0, 0.5])
    result = kinked_estimate(0.4, drawn, drawn, 3, 0.95)
    assert (result.low, result.high) == (0.0, 1.0)


def test_single_respondent_or_missing_figure_has_no_interval():
    drawn = np.array([0.1, 0.2, np.nan])
    assert np.isnan(kinked_estimate(0.1, drawn, drawn, 1, 0.95).low)
    assert np.isnan(kinked_estimate(float("nan"), drawn, drawn, 9, 0.95).high)
    assert np.isfinite(kinked_estimate(0.1, drawn, drawn, 9, 0.95).low)


def test_draws_of_known_persons_hold_the_truth():
    # 30 persons of each side over two points, shares .6 and .5: all distances but the divergence are .1.
    rng = np.random.default_rng(3)
    truth, values, held = 0.1, np.array([0.0, 1.0]), []
    for _ in range(400):
        a, b = rng.binomial(30, 0.6) / 30, rng.binomial(30, 0.5) / 30
        p, q = np.array([a, 1 - a]), np.array([b, 1 - b])
        drawn_a, drawn_b = rng.binomial(30, a, 200) / 30, rng.binomial(30, b, 200) / 30
        sample_a, sample_b = np.column_stack([drawn_a, 1 - drawn_a]), np.column_stack([drawn_b, 1 - drawn_b])
        result = kinked_estimate(
            abs(a - b),
            np.abs(drawn_a - drawn_b),
            signed_distances(sample_a, sample_b, p[None], q[None], values)[:, 0],
            30,
            0.95,
        )
        held.append(result.low <= truth <= result.high)
    # 400 draws: a standard error of 1.1 points.
    assert np.mean(held) > 0.93
