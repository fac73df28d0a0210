"""The exchange test: against all exchanges counted one by one, the sign test, and its own promise."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from semscale.stats.testing.exchange import exchange_test

pytestmark = pytest.mark.exhaustive


def counted(by_role):
    """Mid-p-value over every choice of one value an item."""
    sums = np.array([sum(choice) for choice in product(*by_role.tolist())])
    observed = by_role[:, 0].sum()
    is_equal = np.isclose(sums, observed)
    return ((sums > observed) & ~is_equal).mean() + is_equal.mean() / 2


@settings(max_examples=40)
@given(st.integers(0, 9999), st.integers(1, 6), st.integers(2, 4))
def test_equals_all_exchanges_of_whole_numbers(seed, n, k):
    # Whole numbers up to 4 fall on the steps exactly, as 400 is a multiple of 1, 2 and 4 (and 3 is scaled).
    by_role = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 4.0], size=(n, k))
    by_role[0, :2] = [4.0, 0.0]
    assert exchange_test(by_role).p_value == pytest.approx(counted(by_role), abs=1e-9)


def test_is_the_sign_test_where_all_differences_are_alike():
    # 7 of 10 up: P(more than 7) + P(7) / 2 of Binomial(10, 1 / 2).
    signs = np.array([1.0] * 7 + [-1.0] * 3)
    found = exchange_test(np.column_stack([signs, -signs]))
    assert found.p_value == pytest.approx(binom.sf(7, 10, 0.5) + binom.pmf(7, 10, 0.5) / 2)
    assert found.least == pytest.approx(0.5**10 / 2)


def test_items_that_do_not_differ_or_are_unknown_say_nothing():
    some = np.array([[1.0, 0.0, 0.0]] * 3)
    with_others = np.r_[some, np.full((50, 3), 0.4), np.full((2, 3), np.nan)]
    assert exchange_test(with_others) == exchange_test(some)
    assert exchange_test(np.zeros((5, 3))).p_value == exchange_test(np.zeros((5, 3))).least == 1.0
    assert np.isnan(exchange_test(np.full((5, 3), np.nan)).p_value)


def test_large_samples_agree_with_the_exact_distribution():
    # 1,000 signs, 540 of them up: the binomial mid-p-value.
    signs = np.where(np.arange(1000) < 540, 1.0, -1.0)
    found = exchange_test(np.column_stack([signs, -signs]))
    exact = binom.sf(540, 1000, 0.5) + binom.pmf(540, 1000, 0.5) / 2
    assert found.p_value == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("rate", [0.08, 1.0])
@pytest.mark.parametrize("k", [2, 5])
def test_it_errs_no_more_often_than_it_says(rate, k):
    # 2,000 sets of 30 items: .05 has a standard error of .005, .01 one of .0022.
    rng = np.random.default_rng(0)
    losses = rng.random((2000, 30, k)) * (rng.random((2000, 30, k)) < rate)
    p_values = np.array([exchange_test(one).p_value for one in losses])
    assert (p_values < 0.05).mean() < 0.05 + 3 * 0.005
    assert (p_values < 0.01).mean() < 0.01 + 3 * 0.0022
