"""Pearson's test of independence."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from semscale.stats.testing.independence import independence_p_value


def test_large_counts_are_pearsons_chi_squared():
    table = np.array([[30, 45, 20], [70, 55, 80]])
    assert independence_p_value(table) == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_small_counts_are_close_to_the_exact_test():
    # with equal margins Fisher's and Pearson's statistics order the tables alike
    table = np.array([[8, 2], [2, 8]])
    assert independence_p_value(table) == pytest.approx(fisher_exact(table).pvalue, abs=0.005)


def test_the_same_seed_gives_the_same_p_value_and_it_is_never_0():
    table = np.array([[9, 0], [0, 9]])
    assert independence_p_value(table, seed=4) == independence_p_value(table, seed=4) > 0


@pytest.mark.parametrize("table", [[[5], [5]], [[0, 0], [5, 7]], [[5, 0], [5, 0]], np.zeros((2, 0))])
def test_what_cannot_be_tested_has_no_p_value(table):
    assert np.isnan(independence_p_value(np.array(table, dtype=np.int64)))
