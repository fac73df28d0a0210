"""Resamples of persons with all their answers."""

import numpy as np
import pytest

from semscale.stats.distances.joint_resamples import JointSample, joint_resamples

MISSING = [np.nan, np.nan]


def test_persons_who_answer_alike_twice_err_alike_in_both_surveys():
    masses = np.repeat(np.eye(2), 20, axis=0)
    first, second = JointSample([masses, masses[:, ::-1]]).resampled(50, np.random.default_rng(0))
    # Whoever picks the first point in one survey picks the second one in the other.
    np.testing.assert_allclose(first[:, 0], second[:, 1])
    assert np.ptp(first[:, 0]) > 0


def test_a_person_without_an_answer_does_not_count_and_nobody_gives_nan():
    masses = np.array([[1.0, 0.0], MISSING, MISSING])
    (found,) = JointSample([masses]).resampled(100, np.random.default_rng(0))
    assert {tuple(row) for row in found[~np.isnan(found).any(axis=1)]} == {(1.0, 0.0)}
    # The one who answered is missing in (2/3)^3 of all draws.
    assert 0.1 < np.isnan(found[:, 0]).mean() < 0.5


def test_weights_by_hand():
    masses = np.array([[1.0, 0.0], [0.0, 1.0]])
    (found,) = JointSample([masses], np.array([3.0, 1.0])).resampled(100, np.random.default_rng(0))
    # One of each, twice the first, or twice the second.
    assert set(found[:, 0].tolist()) == {0.75, 1.0, 0.0}


def test_halves_are_of_the_same_persons_in_every_survey():
    masses = np.repeat(np.eye(2), 5, axis=0)
    people = JointSample([masses, masses])
    drawn = joint_resamples(people, people, 100, np.random.default_rng(0))
    (one, other), (again, again_other) = drawn.halves
    np.testing.assert_allclose(one, again)
    np.testing.assert_allclose(other, again_other)
    assert one.shape == (200, 20, 2)
    # Halves of ten hold five each, so both average to the resample's share of ten.
    assert (one + other)[..., 0] * 5 == pytest.approx(np.round((one + other)[..., 0] * 5))
