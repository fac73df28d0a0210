"""Codes and a rating."""

import numpy as np
import pytest

from semscale.coding.code_shares import find_drivers
from semscale.errors import InputError

RNG = np.random.default_rng(5)
CODES = (RNG.uniform(size=(4000, 2)) < 0.4).astype(float)
RATINGS = 3 + 1.5 * CODES[:, 0] - 0.5 * CODES[:, 1] + RNG.normal(size=4000)


def test_the_difference_is_that_of_the_means():
    ratings = np.array([5.0, 4, 5, 4, 5, 1, 2, 1, 2, 1, np.nan])
    assigned = np.array([1.0] * 5 + [0.0] * 5 + [1.0])[:, None]
    (result,) = find_drivers(ratings, assigned, ["price"], rating="stars").drivers
    assert (result.n_with, result.n_without) == (5, 5)
    assert result.difference.value == pytest.approx(4.6 - 1.4)
    # HC3 of two groups: the sum of e^2 / (n - 1)^2 over both; 1.2 a group, so sqrt(2.4 / 16)
    # t of 8 degrees: 2.306
    half = 2.306004 * np.sqrt(2.4 / 16)
    assert result.difference.high - result.difference.value == pytest.approx(half, rel=1e-6)
    assert result.joint is None


def test_four_answers_with_a_code_give_no_difference():
    ratings, assigned = np.arange(12.0), np.array([1.0] * 4 + [0.0] * 8)[:, None]
    (result,) = find_drivers(ratings, assigned, ["price"], rating="stars").drivers
    assert np.isnan(result.difference.value)
    assert np.isnan(result.p_value)
    assert result.mean_with == 1.5


def test_the_joint_model_recovers_the_simulated_effects():
    result = find_drivers(RATINGS, CODES, ["a", "b"], rating="stars")
    for driver, true in zip(result.drivers, (1.5, -0.5), strict=True):
        assert driver.joint.low < true < driver.joint.high
    assert result.n == 4000
    assert all(driver.joint_p_value < 1e-6 for driver in result.drivers)


def test_probabilities_keep_coefficients_from_being_too_small():
    # an answer has the code with its probability; decisions at .5 are wrong in many of them
    probability = RNG.uniform(size=(4000, 2))
    truth = (RNG.uniform(size=(4000, 2)) < probability).astype(float)
    ratings = 2.0 * truth[:, 0] + RNG.normal(size=4000)
    assigned = (probability > 0.5).astype(float)
    by_decision = find_drivers(ratings, assigned, ["a", "b"], rating="stars")
    by_probability = find_drivers(ratings, assigned, ["a", "b"], rating="stars", probability=probability)
    assert by_decision.drivers[0].joint.high < 1.5
    assert by_probability.drivers[0].joint.low < 2 < by_probability.drivers[0].joint.high
    assert by_probability.by_probability


def test_a_code_implied_by_a_different_code_is_left_out_of_the_joint_model():
    both = np.column_stack([CODES, CODES[:, 0]])
    result = find_drivers(RATINGS, both, ["a", "b", "again"], rating="stars")
    assert result.drivers[2].joint is None
    assert np.isnan(result.drivers[2].joint_p_value)
    assert result.drivers[0].joint is not None


@pytest.mark.parametrize("by_probability", [False, True])
@pytest.mark.parametrize("extra_share", [0.0, 0.1])
def test_a_net_changes_no_effect_of_its_codes(extra_share, by_probability):
    # own: share of answers that have the net by its own examples, without a code below it
    net = np.maximum(CODES.max(axis=1), RNG.uniform(size=4000) < extra_share)
    decisions = np.column_stack([net, CODES])
    alone = find_drivers(
        RATINGS, CODES, ["a", "b"], rating="stars", probability=0.1 + 0.8 * CODES if by_probability else None
    )
    # The net's probability is unknown, as it has no examples to calibrate.
    probability = np.column_stack([np.full(4000, np.nan), 0.1 + 0.8 * CODES]) if by_probability else None
    beside_net = find_drivers(
        RATINGS, decisions, ["any", "a", "b"], rating="stars", nets={"any"}, probability=probability
    )
    wide, *members = beside_net.drivers
    assert [driver.joint for driver in members] == [driver.joint for driver in alone.drivers]
    assert [driver.joint_p_value for driver in members] == [d.joint_p_value for d in alone.drivers]
    assert [driver.difference for driver in members] == [driver.difference for driver in alone.drivers]
    assert (beside_net.n, beside_net.r_squared) == (alone.n, alone.r_squared)
    assert wide.joint is None
    assert np.isnan(wide.joint_p_value)
    assert wide.difference.value == pytest.approx(RATINGS[net == 1].mean() - RATINGS[net == 0].mean())


def test_no_rating_at_all_is_refused():
    with pytest.raises(InputError, match="rating: 'stars' has no number"):
        find_drivers(np.full(3, np.nan), np.ones((3, 1)), ["a"], rating="stars")


def test_repeated_answers_of_a_person_widen_the_interval():
    people, ratings = np.repeat(np.arange(12), 5), np.repeat(np.arange(12) % 5 + 1.0, 5)
    assigned = (people < 6).astype(float)[:, None]
    once = find_drivers(ratings[::5], assigned[::5], ["a"], rating="stars", clusters=np.arange(12))
    five = find_drivers(ratings, assigned, ["a"], rating="stars", clusters=people)
    rows = find_drivers(ratings, assigned, ["a"], rating="stars")
    (driver, same, narrow) = (result.drivers[0].difference for result in (once, five, rows))
    assert (same.low, same.high) == pytest.approx((driver.low, driver.high))
    assert narrow.high - narrow.low < 0.6 * (driver.high - driver.low)
    assert (once.standard_errors, rows.standard_errors) == ("CR2", "HC3")


def test_a_code_of_four_people_is_too_rare_despite_many_answers():
    people = np.repeat(np.arange(12), 5)
    assigned = (people < 4).astype(float)[:, None]
    (result,) = find_drivers(RATINGS[:60], assigned, ["a"], rating="stars", clusters=people).drivers
    assert (result.n_with, result.n_without) == (20, 40)
    assert np.isnan(result.difference.value)
    assert np.isnan(result.p_value)
