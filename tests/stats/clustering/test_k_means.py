"""Clusters by k-means."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.clustering.k_means import k_means


def test_three_heaps_are_found_with_their_means():
    heaps = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.repeat(heaps, 4, axis=0) + np.tile([[0.1, 0], [-0.1, 0], [0, 0.1], [0, -0.1]], (3, 1))
    found = k_means(points, 3, np.random.default_rng(0))
    assert np.bincount(found.labels).tolist() == [4, 4, 4]
    assert sorted(found.centres.round(9).tolist()) == sorted(heaps.tolist())
    assert found.inertia == pytest.approx(12 * 0.01)


def test_every_cluster_has_a_point():
    points = np.random.default_rng(1).normal(size=(30, 2))
    found = k_means(points, 25, np.random.default_rng(2))
    assert (np.bincount(found.labels, minlength=25) > 0).all()


@pytest.mark.parametrize("k", [0, 4])
def test_numbers_of_clusters_out_of_range_are_refused(k):
    with pytest.raises(InputError, match="clusters must be"):
        k_means(np.arange(3.0)[:, None], k, np.random.default_rng(0))


def test_more_clusters_than_distinct_points_are_refused():
    with pytest.raises(InputError, match="at most the 1 distinct points"):
        k_means(np.ones((5, 2)), 2, np.random.default_rng(0))
