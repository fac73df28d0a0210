"""Items and noise of earlier nights, as simulated comparisons draw them."""

import numpy as np
import pytest

from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs
from semscale.drift.sizing.simulated_nights import added_by_nights, drawn_items, items_of_nights

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("drifts_of", [drifts_of_losses, drifts_of_pairs])
def test_an_item_of_a_night_has_the_drifts_of_a_candidate_that_lost_so_much(drifts_of):
    # The same candidate with .1 more in each of its losses: drifts in all roles are those of that candidate.
    if drifts_of is drifts_of_losses:
        before = RNG.random((6, 4))
        after = before + np.array([0.1, 0, 0, 0])
    else:
        upper = np.triu(RNG.random((6, 4, 4)), 1)
        before = upper + upper.transpose(0, 2, 1)
        after = before.copy()
        after[:, 0, 1:] += 0.1
        after[:, 1:, 0] += 0.1
    roles, expected = drifts_of(before), drifts_of(after)
    # .1 more at three items and .1 less at the others keeps the mean.
    sign = np.array([1.0, 1, 1, -1, -1, -1])
    found = items_of_nights(roles, (roles[:, 0] + 0.1 * sign)[None])[6:]
    np.testing.assert_allclose(found[:3], expected[:3])
    assert found[:, 0].mean() == pytest.approx(roles[:, 0].mean())


def test_a_night_s_own_mean_drift_does_not_count():
    roles = np.column_stack([RNG.random(5), -RNG.random(5)])
    np.testing.assert_allclose(items_of_nights(roles, roles[:, 0][None] + 7.0)[5:], roles)


def test_an_item_that_a_night_lacks_stays():
    roles = np.array([[0.1, -0.1], [0.3, -0.3], [np.nan, np.nan]])
    found = items_of_nights(roles, np.array([[np.nan, 0.9, 0.5]]))[3:]
    np.testing.assert_allclose(found, roles)  # of one item left, the mean is its own


def test_of_many_items_the_latest_nights_count():
    roles = np.zeros((9_000, 2))
    nights = np.repeat([[0.0], [1.0], [2.0]], 9_000, axis=1)
    nights[2, 0] = 9_002.0  # 9,000 beyond the others: the mean is 1 more, and each other item 1 below it
    found = items_of_nights(roles, nights)
    assert found.shape == (18_000, 2)
    assert found[9_001, 0] == pytest.approx(-1.0)


def test_what_nights_add_has_the_variance_of_their_runs():
    luck = RNG.normal(0.0, 1.0, 4_000)
    nights = luck + RNG.normal(0.0, 0.1, (5, 4_000)) + np.arange(5)[:, None]
    added = added_by_nights(nights)
    assert added.shape == (20_000,)
    assert added.std() == pytest.approx(0.1, rel=0.03)


def test_one_night_has_nothing_to_be_compared_with():
    assert added_by_nights(np.ones((1, 4))).shape == (0,)


def test_further_items_come_from_nights_as_often_as_they_weigh():
    # 5 items and 3 nights. Of 1,000 further items half come from nights in the first test, and a tenth in the
    # second: the others of that half come out as tonight, at the same item.
    first, second, without = drawn_items(5, 20, 1_000, 400, [0.5, 0.1, 0.0], RNG)
    for counts in (first, second, without):
        assert (counts.sum(axis=1) == 1_005).all()
        assert (counts[:, :5] >= 1).all()
    of_item = [counts.reshape(400, 4, 5).sum(axis=1) for counts in (first, second, without)]
    np.testing.assert_array_equal(of_item[0], of_item[1])
    np.testing.assert_array_equal(of_item[0], of_item[2])
    assert first[:, 5:].sum(axis=1).mean() == pytest.approx(500, abs=5)  # standard error 16 / 20
    assert second[:, 5:].sum(axis=1).mean() == pytest.approx(100, abs=5)
    assert without[:, 5:].sum() == 0


def test_without_nights_all_further_items_are_tonight_s():
    (counts,) = drawn_items(5, 5, 10, 3, [0.5], RNG)
    assert counts.shape == (3, 5)
    assert (counts.sum(axis=1) == 15).all()
