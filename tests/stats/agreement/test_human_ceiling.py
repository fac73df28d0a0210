"""A judge beside people who rated the same items."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.agreement.human_ceiling import compare_with_humans
from semscale.stats.agreement.kappa import weighted_kappa

COEFFICIENTS = ("pearson", "spearman", "kappa")


def people(n, k, noise, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(np.round(3 + rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, k))), 1, 5)


def test_by_hand_with_two_people():
    # Each is the other's reference: the ceiling is their correlation, .5. The judge correlates 1 with the
    # first and .5 with the second: .75.
    human = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
    found = compare_with_humans(np.array([1.0, 2.0, 3.0]), human, coefficient="pearson")
    assert found.ceiling.value == pytest.approx(0.5)
    assert found.judge.value == pytest.approx(0.75)
    assert found.difference.value == pytest.approx(0.25)
    assert found.n_raters == 2


def test_kappa_is_the_mean_over_pairs_of_people():
    human = people(60, 3, 0.7)
    judge = people(60, 1, 0.7, seed=1)[:, 0]
    found = compare_with_humans(judge, human, coefficient="kappa")
    pairs = [weighted_kappa(human[:, i], human[:, j]).value for i, j in ((0, 1), (0, 2), (1, 2))]
    alone = [weighted_kappa(judge, human[:, i]).value for i in range(3)]
    assert found.ceiling.value == pytest.approx(np.mean(pairs))
    assert found.judge.value == pytest.approx(np.mean(alone))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_one_more_person_is_at_the_ceiling(coefficient):
    human = people(400, 5, 0.7, seed=2)
    found = compare_with_humans(human[:, 0], human[:, 1:], coefficient=coefficient)
    assert found.difference.low < 0 < found.difference.high
    assert found.difference.value == pytest.approx(found.judge.value - found.ceiling.value)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_noise_is_far_below(coefficient):
    human = people(300, 4, 0.7, seed=3)
    noise = np.random.default_rng(0).integers(1, 6, 300).astype(float)
    found = compare_with_humans(noise, human, coefficient=coefficient)
    assert found.difference.high < 0
    assert found.judge.low < 0 < found.judge.high


def test_only_kappa_sees_severity():
    human = people(300, 4, 0.5, seed=4)
    judge = human.mean(axis=1)
    for coefficient, alike in (("pearson", True), ("spearman", True), ("kappa", False)):
        plain = compare_with_humans(np.round(judge), human, coefficient=coefficient).judge.value
        severe = compare_with_humans(np.round(judge) - 2, human, coefficient=coefficient).judge.value
        assert (plain == pytest.approx(severe)) is alike


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_missing_ratings_are_left_out_and_never_0(coefficient):
    human = people(80, 4, 0.7, seed=5) + 100
    human[np.random.default_rng(0).random(human.shape) < 0.3] = np.nan
    human[:5, 1:] = np.nan
    judge = np.nanmean(human, axis=1)
    judge = np.round(np.where(np.isnan(judge), 100.0, judge))
    judge[5:8] = np.nan
    found = compare_with_humans(judge, human, coefficient=coefficient)
    usable = ((~np.isnan(human)).sum(axis=1) > 1) & ~np.isnan(judge)
    assert (found.judge.n, found.judge.n_left_out) == (usable.sum(), (~usable).sum())
    fewer = compare_with_humans(judge[usable], human[usable], coefficient=coefficient)
    assert found.judge.value == fewer.judge.value > 0.3


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_people_and_items_have_no_order(coefficient):
    human = people(40, 4, 0.7, seed=6)
    judge = people(40, 1, 0.7, seed=7)[:, 0]
    mixed = np.random.default_rng(0).permutation(40)
    one = compare_with_humans(judge, human, coefficient=coefficient)
    other = compare_with_humans(judge[mixed], human[mixed][:, [3, 1, 0, 2]], coefficient=coefficient)
    assert one.judge.value == pytest.approx(other.judge.value)
    assert one.ceiling.value == pytest.approx(other.ceiling.value)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_people_who_never_met_have_no_ceiling(coefficient):
    human = np.array([[1.0, np.nan], [np.nan, 2.0], [2.0, np.nan]])
    found = compare_with_humans(np.array([1.0, 2.0, 3.0]), human, coefficient=coefficient)
    assert np.isnan(found.ceiling.value)
    assert (found.judge.n, found.judge.n_left_out) == (0, 3)
    assert found.n_raters == 0
    assert found.ceiling.note == "no item has two ratings to compare"


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_constant_judge_is_undefined(coefficient):
    found = compare_with_humans(np.ones(12), np.ones((12, 3)), coefficient=coefficient)
    assert np.isnan(found.judge.value)
    assert "vary" in found.judge.note


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="judge must have 3"):
        compare_with_humans(np.ones(2), np.ones((3, 2)))
    with pytest.raises(InputError, match="human must have shape"):
        compare_with_humans(np.ones(3), np.ones((3, 1)))
    with pytest.raises(InputError, match="coefficient must be one of"):
        compare_with_humans(np.ones(3), np.ones((3, 2)), coefficient="tau")
