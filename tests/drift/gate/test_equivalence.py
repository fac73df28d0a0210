"""Equivalence by a one-sided t-test, with the variance shrunk towards the noise between runs."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from semscale.drift.gate.equivalence import equivalence


def test_without_reruns_it_is_the_t_test():
    drifts = np.random.default_rng(0).normal(0.02, 0.1, 25)
    found = equivalence(drifts[:, None], 0.05, 0.05)
    against = ttest_1samp(drifts, 0.05, alternative="less")
    assert found.p_value == pytest.approx(against.pvalue)
    assert found.bound == pytest.approx(against.confidence_interval(0.95).high)
    assert found.sd == pytest.approx(drifts.std(ddof=1))


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
