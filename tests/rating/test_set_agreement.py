"""Correlations of anchor sets, from sums."""

import numpy as np
import pytest

from semscale.rating.set_agreement import set_correlations, set_moments
from semscale.stats.intervals.moments import Moments


def test_correlations_from_sums_are_numpys():
    rng = np.random.default_rng(0)
    means = 3 + 0.1 * rng.standard_normal((500, 4)) @ rng.standard_normal((4, 4))
    moments = Moments.empty(4)
    for part in np.array_split(means, 7):
        moments = moments.merged(set_moments(part, np.arange(1, 6)))
    np.testing.assert_allclose(set_correlations(moments), np.corrcoef(means.T), atol=1e-12)


def test_correlations_that_do_not_exist_are_nan():
    assert np.isnan(set_correlations(Moments.empty(2))).all()
    assert np.isnan(set_correlations(set_moments(np.array([[1.0, 2.0]]), np.array([1.0, 2.0])))).all()
    constant = set_correlations(set_moments(np.array([[1.0, 2.0], [1.0, 3.0]]), np.arange(1, 4)))
    assert np.isnan(constant[0]).all()
    assert constant[1, 1] == pytest.approx(1)


def test_correlations_of_sets_by_hand():
    # Second set runs against the first, third does not vary.
    table = set_correlations(
        set_moments(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 2.0], [3.0, 1.0, 2.0]]), np.arange(1, 4))
    )
    np.testing.assert_allclose(table, [[1, -1, np.nan], [-1, 1, np.nan], [np.nan] * 3])


def test_rows_that_not_all_sets_rated_are_left_out():
    whole = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    with_gaps = np.vstack([whole, [[5.0, np.nan], [np.nan, 4.0]]])
    found, expected = (set_moments(means, np.arange(1, 6)) for means in (with_gaps, whole))
    assert found.n == expected.n == 3
    np.testing.assert_array_equal(set_correlations(found), set_correlations(expected))
