"""Conformal p-values: exact ones by hand and by counting, and whether they err as often as they say."""

from itertools import product

import numpy as np
import pytest

from semscale.stats.drift_tests import conformal_p_values


def counted(runs):
    """P(sum >= observed) over all draws of one of the values so far at each item."""
    sums = [sum(values) for values in product(*runs.T)]
    return np.mean([one >= runs[-1].sum() - 1e-9 for one in sums])


def test_exact_by_counting():
    runs = np.array([[0.1, 0.5, 0.2], [0.3, 0.1, 0.2], [0.2, 0.4, 0.7], [0.3, 0.3, 0.3]])
    # In tenths that differ by 5 at most, so that rounding to 200 steps keeps ties.
    assert conformal_p_values(runs) == pytest.approx([1.0, *(counted(runs[:t]) for t in (2, 3, 4))])


def test_the_worst_of_t_runs_at_each_of_n_items():
    runs = np.vstack([np.random.default_rng(0).uniform(0, 0.5, (4, 6)), np.ones(6)])
    assert conformal_p_values(runs)[-1] == pytest.approx(5.0**-6)


def test_runs_that_are_alike_say_nothing():
    assert conformal_p_values(np.full((4, 3), 0.2)).tolist() == [1.0] * 4


def test_what_was_not_observed_is_left_out():
    known = np.array([[0.1, 0.5], [0.3, 0.1], [0.2, 0.4]])
    with_gaps = np.column_stack([known, [0.9, 0.1, np.nan]])  # not observed in the latest run
    assert conformal_p_values(with_gaps)[-1] == pytest.approx(conformal_p_values(known)[-1])
    earlier = np.array([[np.nan], [0.2], [0.3]])  # two values: the worse of two
    assert conformal_p_values(earlier).tolist() == pytest.approx([1.0, 1.0, 0.5])
    assert conformal_p_values(np.full((2, 2), np.nan)).tolist() == [1.0, 1.0]


def test_a_far_run_has_the_least_p_value():
    runs = np.vstack([np.zeros((9, 40)), np.ones(40)])  # 10 ** -40 is cut
    assert conformal_p_values(runs)[-1] == 1e-10


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [20, 400])  # exact, and normal
def test_unchanged_runs_err_as_often_as_they_say_or_less(n):
    rng = np.random.default_rng(n)
    series = rng.exponential(size=(150, 8, n)) * rng.uniform(0, 1, n)
    found = np.concatenate([conformal_p_values(one)[1:] for one in series])  # 1,050 p-values
    for level, most in ((0.05, 76), (0.2, 250)):  # mean 52.5 and 210, and 3.3 standard deviations
        assert (found <= level).sum() < most
    assert (found <= 0.5).mean() == pytest.approx(0.5, abs=0.06)


def test_normal_and_exact_agree_at_their_border():
    runs = np.random.default_rng(3).exponential(size=(6, 301))
    runs[-1] += 0.1
    normal = conformal_p_values(runs)[-1]
    exact = conformal_p_values(runs[:, :300])[-1]
    assert normal == pytest.approx(exact, rel=0.25)
