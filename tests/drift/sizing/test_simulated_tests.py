"""The simulated tests say of one comparison what the gate's own tests say of it."""

import numpy as np
import pytest

from semscale.drift.gate.equivalence import equivalence
from semscale.drift.measure.roles import drifts_of_losses
from semscale.drift.sizing.simulated_tests import (
    GateLevel,
    decided,
    exchange_p_values,
    moments_of_drawn,
    moments_of_runs,
)
from semscale.stats.drift_tests import exchange_test

# 400 items, so that the exchange test itself is normal: three reruns beside a candidate that lost a little.
ROLES = drifts_of_losses(np.random.default_rng(0).exponential(0.2, (400, 4)) + np.array([0.01, 0, 0, 0]))
ONCE = np.ones((1, 400), dtype=np.int64)


def test_the_p_value_is_that_of_the_exchange_test():
    found = exchange_p_values(moments_of_drawn(ROLES, ONCE))
    assert found == pytest.approx(exchange_test(ROLES).p_value, rel=1e-9)


def test_it_passes_where_the_bound_of_equivalence_lies_below_the_tolerance():
    bound = equivalence(ROLES, 0.1, 0.05).bound
    for tolerance, passes in ((bound + 1e-9, True), (bound - 1e-9, False)):
        level = GateLevel(margin=1.0, tolerance=tolerance, alpha=0.05, strictest=0.0)
        assert decided(moments_of_drawn(ROLES, ONCE), level)[1].tolist() == [passes]


def test_it_fails_where_it_is_significant_and_reaches_the_margin():
    p_value, mean = exchange_test(ROLES).p_value, float(ROLES[:, 0].mean())
    for margin, strictest, fails in (
        (mean - 1e-9, p_value * 1.01, True),
        (mean + 1e-9, p_value * 1.01, False),
        (mean - 1e-9, p_value * 0.99, False),
    ):
        level = GateLevel(margin=margin, tolerance=0.0, alpha=0.05, strictest=strictest)
        assert decided(moments_of_drawn(ROLES, ONCE), level)[0].tolist() == [fails]


def test_an_item_that_is_drawn_twice_counts_twice():
    few = ROLES[:12]
    counts = np.array([[2, *[1] * 11], [1] * 12])
    twice, once = moments_of_drawn(few, counts), moments_of_runs([few[[0, *range(12)]], few])
    for name in ("drift", "squares", "cubes", "variance", "third"):
        np.testing.assert_allclose(getattr(twice, name), getattr(once, name))
    assert twice.n.tolist() == once.n.tolist() == [13, 12]


def test_items_without_a_drift_do_not_count():
    gap = np.vstack([ROLES[:12], np.full((1, 4), np.nan)])
    assert moments_of_drawn(gap, np.ones((1, 13), dtype=np.int64)).n.tolist() == [12]


def test_fewer_than_10_items_never_pass():
    level = GateLevel(margin=1.0, tolerance=10.0, alpha=0.05, strictest=0.0)
    for n, passes in ((9, False), (10, True)):
        found = decided(moments_of_drawn(ROLES[:n], np.ones((1, n), dtype=np.int64)), level)
        assert found[1].tolist() == [passes]


def test_runs_that_are_alike_are_never_significant():
    still = np.zeros((20, 4))
    assert exchange_p_values(moments_of_runs([still])).tolist() == [1.0]
