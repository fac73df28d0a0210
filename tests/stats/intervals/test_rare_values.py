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


def test_two_nearly_equal_values_are_nearly_the_same():
    values = np.array([3.70] * 10 + [3.75] * 10)
    assert few_different(values, np.ones(20), 1e-6, near=0.08) == 0
    assert few_different(values, np.ones(20), 1e-6, near=0.04) is None
    # Of 10, 9 and 1 rows the last alone is far from the median.
    assert few_different(np.append(values[:19], 4.9), np.ones(20), 1e-6, near=0.08) == 1
    assert few_different(np.append(values[:15], [4.9] * 5), np.ones(20), 1e-6, near=0.08) is None


def test_weights_make_the_median():
    # 30 of 31 parts of the weight lie at 3.70 and 3.74. Kish's size is 31 ** 2 / (10 * 9 + 10 * .01) = 10.7,
    # of which 16 / 31 differ from the most frequent value, 5.5 rows, and 1 / 31 from the median, .3 rows.
    values, weights = np.repeat([3.70, 3.74, 4.9], [5, 5, 10]), np.repeat([3.0, 0.1], 10)
    assert few_different(values, weights, 1e-6, near=0.08) == 10
    assert few_different(values, np.ones(20), 1e-6, near=0.08) is None


def test_weights_make_a_frequent_value():
    # 10 rows of weight 100 and 10 of weight 1: 10 / 1010 of the weight differs; Kish's size is
    # 1010 ** 2 / (10 * 10000 + 10) = 10.2, so .1 effective rows do.
    values = np.repeat([3.7, 3.9], 10)
    weights = np.repeat([100.0, 1.0], 10)
    assert few_different(values, weights, 1e-6) == 10
    assert few_different(values, np.ones(20), 1e-6) is None
