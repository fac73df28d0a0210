"""Distances between PMFs: worked by hand, and beside SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance as scipy_wasserstein

from semscale.errors import InputError
from semscale.stats.distances.distances import (
    DISTANCES,
    distances,
    jensen_shannon_divergence,
    ks_distance,
    total_variation,
    wasserstein_distance,
)

VALUES = np.array([1.0, 2.0, 4.0])
P, Q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
MASSES = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda x: np.array(x) / np.sum(x))


def test_worked_by_hand():
    # Cumulative shares .5, .75, 1 and .25, .5, 1: both gaps are .25.
    assert ks_distance(P, Q) == pytest.approx(0.25)
    # .25 over the step of 1 and .25 over the step of 2, over the width of 3.
    assert wasserstein_distance(P, Q, VALUES) == pytest.approx(0.75 / 3)
    # (.25 + 0 + .25) / 2
    assert total_variation(P, Q) == pytest.approx(0.25)
    # m is .375, .25, .375; KL(p, m) is .5 log2(4/3) + .25 log2(2/3) in bits, KL(q, m) the same.
    assert jensen_shannon_divergence(P, Q) == pytest.approx(0.5 * np.log2(4 / 3) + 0.25 * np.log2(2 / 3))


@given(MASSES, MASSES)
def test_as_scipy_has_them(p, q):
    values = np.array([-2.0, 0.0, 1.0, 5.0])
    found = dict(zip(DISTANCES, distances(p, q, values), strict=True))
    assert found["wasserstein"] == pytest.approx(scipy_wasserstein(values, values, p, q) / 7, abs=1e-12)
    assert found["jensen_shannon"] == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9)
    assert found["ks"] <= found["total_variation"] + 1e-12  # cumulative sums are sums of a part of the points


@given(MASSES, MASSES)
def test_alike_is_0_and_order_of_the_two_is_no_matter(p, q):
    values = np.arange(4.0)
    assert distances(p, p, values) == pytest.approx(0, abs=1e-12)
    assert distances(p, q, values) == pytest.approx(distances(q, p, values), abs=1e-12)


def test_opposite_ends_are_1_apart():
    assert distances(np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), VALUES).tolist() == [1.0] * 4


def test_many_pairs_at_once_are_as_one_by_one():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(3), size=(5, 2)), rng.dirichlet(np.ones(3), size=2)
    found = distances(p, q, VALUES)
    assert found.shape == (5, 2, 4)
    assert found[3, 1] == pytest.approx(distances(p[3, 1], q[1], VALUES))


def test_what_is_missing_stays_missing():
    found = distances(np.array([[np.nan] * 3, P]), Q, VALUES)
    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


@pytest.mark.parametrize(
    ("p", "q", "values", "message"),
    [
        (P, Q[:2], VALUES, "q must have 3 masses"),
        (P * 2, Q, VALUES, "p must have masses >= 0 that sum to 1"),
        (np.array([1.5, -0.5, 0.0]), Q, VALUES, "p must have masses >= 0"),
        (np.array([0.5, np.nan, 0.5]), Q, VALUES, "p must have masses >= 0"),
        (P, Q, VALUES[::-1], "values must be two numbers or more"),
    ],
)
def test_what_is_no_pmf_is_refused(p, q, values, message):
    with pytest.raises(InputError, match=message):
        distances(p, q, values)
