import numpy as np
import pytest

from semscale.drift.measure.roles import drifts_of_pairs
from semscale.drift.sizing.simulated_nights import NightNoise
from semscale.drift.sizing.simulated_runs import losses_with_reruns, pairs_with_reruns


def pairs_of(added, *, particular=0.0, seed=0):
    """Losses of .5 plus what each of k runs adds at n items, and what is particular to a pair."""
    n, k = added.shape
    own = np.random.default_rng(seed).normal(0, particular, (n, k, k))
    upper = np.triu(0.5 + added[:, :, None] + added[:, None, :] + own, 1)
    return upper + upper.transpose(0, 2, 1)


def test_present_runs_stay_as_they_are():
    pairs = pairs_of(np.random.default_rng(0).normal(0, 0.1, (7, 4)))
    for found in pairs_with_reruns(pairs, 2, 3, np.random.default_rng(0)):
        assert found.shape == (7, 6, 6)
        np.testing.assert_array_equal(found[:, :4, :4], pairs)
        np.testing.assert_array_equal(found, found.transpose(0, 2, 1))
        np.testing.assert_array_equal(np.einsum("nii->ni", found), np.zeros((7, 6)))


def test_runs_that_add_nothing_get_reruns_that_add_nothing():
    pairs = pairs_of(np.zeros((5, 3)))
    pairs[:, 0, 1:] += 0.2  # a drift, which is no noise
    pairs[:, 1:, 0] += 0.2
    (found,) = pairs_with_reruns(pairs, 2, 1, np.random.default_rng(0))
    np.testing.assert_allclose(found[:, 0, 1:], 0.7)
    np.testing.assert_allclose(found[:, 1:, 1:][:, ~np.eye(4, dtype=bool)], 0.5)


@pytest.mark.parametrize(("k", "particular"), [(3, 0.0), (5, 0.05)])
def test_more_reruns_take_the_noise_of_references_out_of_the_drift(k, particular):
    # What runs add has the variance .01, and what is particular to a pair h. With r references the drift is
    # c - mean of x, plus the mean of r pairs less that of r (r - 1) / 2.
    def variance(r):
        return 0.01 * (1 + 1 / r) + particular**2 * (1 / r + 2 / (r * (r - 1)))

    added = np.random.default_rng(2).normal(0, 0.1, (2_000, k))
    pairs = pairs_of(added, particular=particular)
    (found,) = pairs_with_reruns(pairs, 8, 1, np.random.default_rng(0))
    assert drifts_of_pairs(pairs)[:, 0].var() == pytest.approx(variance(k - 1), rel=0.08)
    # What is particular to pairs counts as added by runs in part, so that the simulation is cautious by 11 %.
    assert variance(k + 7) * 0.92 < drifts_of_pairs(found)[:, 0].var() < variance(k + 7) * 1.15


def test_a_drift_stays_with_more_reruns():
    pairs = pairs_of(np.random.default_rng(2).normal(0, 0.1, (2_000, 3)))
    pairs[:, 0, 1:] += 0.2
    pairs[:, 1:, 0] += 0.2
    (found,) = pairs_with_reruns(pairs, 8, 1, np.random.default_rng(0))
    assert drifts_of_pairs(found)[:, 0].mean() == pytest.approx(0.2, abs=0.01)


def test_losses_against_the_baseline_have_the_mean_and_spread_of_reruns():
    losses = np.random.default_rng(3).normal(0.3, 0.1, (500, 3)) + np.array([0.2, 0.0, 0.0])
    draws = list(losses_with_reruns(losses, 2, 4, np.random.default_rng(0)))
    together = np.concatenate(draws)
    np.testing.assert_array_equal(together[:500, :3], losses)
    assert together[:, 3:].mean() == pytest.approx(0.3, abs=0.01)  # the drift of .2 is none of theirs
    # A run's own .1, and what the mean of three may be off, .1 / sqrt(3), which all further runs share.
    inside = together[:, 3:] - np.tile((losses - [0.2, 0, 0]).mean(axis=1), 4)[:, None]
    assert inside.std() == pytest.approx(0.1 * np.sqrt(1 + 1 / 3), rel=0.07)


def test_further_runs_scatter_as_those_of_nights():
    # The present runs add nothing, and half of what is drawn is of nights, .1 or -.1: variance .005, and a
    # third of it for what three runs' mean may be off.
    pairs = pairs_of(np.zeros((2_000, 3)))
    of_nights = NightNoise(np.tile([0.1, -0.1], 2_000), 0.5)
    (found,) = pairs_with_reruns(pairs, 1, 1, np.random.default_rng(0), of_nights=of_nights)
    assert (found[:, 3, 0] - 0.5).var() == pytest.approx(0.005 * (1 + 1 / 3), rel=0.07)
    losses = np.full((2_000, 2), 0.3)
    (found,) = losses_with_reruns(losses, 1, 1, np.random.default_rng(0), of_nights=of_nights)
    # Here two runs' mean may be off: half of it more.
    assert found[:, 2].var() == pytest.approx(0.005 * (1 + 1 / 2), rel=0.07)


def test_nights_that_weigh_nothing_add_nothing():
    noise = NightNoise(np.tile([0.1, -0.1], 50), 0.0)
    (found,) = losses_with_reruns(np.full((100, 2), 0.3), 2, 1, np.random.default_rng(0), of_nights=noise)
    np.testing.assert_allclose(found, 0.3)
