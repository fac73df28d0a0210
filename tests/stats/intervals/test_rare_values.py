"""Few clusters apart from the most frequent value."""

import numpy as np
import pytest

from semscale.stats.intervals.rare_values import few_different


@pytest.mark.parametrize(("different", "found"), [(0, None), (1, 1), (4, 4), (5, None), (10, None)])
def test_fewer_than_five_that_differ_are_counted(different, found):
    values = np.array([3.7] * (20 - different) + [3.9] * different)
    assert few_different(values, np.ones(20), 1e-6) == found


def test_values_that_differ_by_rounding_are_the_same():
    assert few_different(np.array([1.0] * 15 + [1.0 + 1e-12] * 5), np.ones(20), 1e-6) is None


def test_all_values_different_are_no_rare_ones():
    assert few_different(np.linspace(1, 5, 20), np.ones(20), 1e-6) is None


def test_weights_make_a_frequent_value():
    # 10 rows of weight 100 and 10 of weight 1: 10 / 1010 of the weight differs; Kish's size is
    # 1010 ** 2 / (10 * 10000 + 10) = 10.2, so .1 effective rows do.
    values = np.repeat([3.7, 3.9], 10)
    weights = np.repeat([100.0, 1.0], 10)
    assert few_different(values, weights, 1e-6) == 10
    assert few_different(values, np.ones(20), 1e-6) is None
