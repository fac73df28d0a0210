"""Intervals of distances."""

import numpy as np
import pytest

from semscale.stats.distances.distance_intervals import kinked_estimate, noise_distances, signed_distances
from semscale.stats.distances.distances import all_distances

VALUES = np.array([1.0, 2.0, 4.0])


def test_linear_parts_equal_the_distances_of_the_pair_that_was_seen():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(3), 2)
        assert signed_distances(p[None], q[None], (p, q), VALUES)[0] == pytest.approx(
            all_distances(p, q, VALUES)
        )


def test_gaps_that_turned_round_count_below_0():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    # Cumulative gaps .3 and .3: KS .3; (.3 * 1 + .3 * 2) / 3 = .3; total variation (.3 + .3) / 2.
    assert signed_distances(p[None], q[None], (p, q), VALUES)[0, :3] == pytest.approx([0.3, 0.3, 0.3])
    assert signed_distances(q[None], p[None], (p, q), VALUES)[0, :3] == pytest.approx([-0.3, -0.3, -0.3])


def test_ends_by_hand():
    # Standard deviation of the linear part 1 / 10, bias .05; t of 4 degrees of freedom 2.7764, times the
    # root of 5 / 4: half a width of .31042.
    linear = np.array([0.1, 0.2, 0.3])
    found = kinked_estimate(0.5, np.array([0.5, 0.55, 0.6]), linear, 5, 0.95)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.05 - 0.31042, 0.5 + 0.31042), abs=1e-4)
    below = kinked_estimate(0.5, np.array([0.4, 0.45, 0.5]), linear, 5, 0.95, least=-1)
    assert (below.low, below.high) == pytest.approx((0.5 - 0.31042, 0.5 + 0.05 + 0.31042), abs=1e-4)


def test_chance_alone_is_what_resamples_lie_off_what_was_seen():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    # The one side is drawn .1 to the last point, the other as it was seen: gaps of .1 at the ends.
    found = noise_distances(np.array([[0.4, 0.3, 0.3]]), q[None], (p, q), VALUES)
    assert found[0, :3] == pytest.approx([0.1, 0.1, 0.1])
    assert np.isnan(found[0, 3])


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
    found = kinked_estimate(0.4, drawn, drawn, 3, 0.95)
    assert (found.low, found.high) == (0.0, 1.0)


def test_one_person_and_missing_figures_have_no_interval():
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
        own, others = np.column_stack([drawn_a, 1 - drawn_a]), np.column_stack([drawn_b, 1 - drawn_b])
        found = kinked_estimate(
            abs(a - b),
            np.abs(drawn_a - drawn_b),
            signed_distances(own, others, (p, q), values)[:, 0],
            30,
            0.95,
        )
        held.append(found.low <= truth <= found.high)
    # 400 draws: a standard error of 1.1 points.
    assert np.mean(held) > 0.93
