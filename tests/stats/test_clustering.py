"""Clusters, and whether they come back."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.clustering import best_jaccard, k_means, most_stable, principal_axes, stable_clusters


def test_three_clusters_are_recovered_with_their_means():
    heaps = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.repeat(heaps, 4, axis=0) + np.tile([[0.1, 0], [-0.1, 0], [0, 0.1], [0, -0.1]], (3, 1))
    result = k_means(points, 3, np.random.default_rng(0))
    assert np.bincount(result.labels).tolist() == [4, 4, 4]
    assert sorted(result.centres.round(9).tolist()) == sorted(heaps.tolist())
    assert result.inertia == pytest.approx(12 * 0.01)


def test_every_cluster_has_a_point():
    points = np.random.default_rng(1).normal(size=(30, 2))
    result = k_means(points, 25, np.random.default_rng(2))
    assert (np.bincount(result.labels, minlength=25) > 0).all()


@pytest.mark.parametrize("k", [0, 4])
def test_numbers_of_clusters_out_of_range_are_refused(k):
    with pytest.raises(InputError, match="clusters must be"):
        k_means(np.arange(3.0)[:, None], k, np.random.default_rng(0))


def test_more_clusters_than_distinct_points_are_refused():
    with pytest.raises(InputError, match="at most the 1 distinct points"):
        k_means(np.ones((5, 2)), 2, np.random.default_rng(0))


RNG = np.random.default_rng(8)

HEAPS = np.concatenate([RNG.normal(centre, 0.3, size=(60, 2)) for centre in ((0, 0), (6, 0), (0, 6), (6, 6))])


def test_heaps_come_back_and_a_single_cloud_does_not():
    assert (stable_clusters(HEAPS, 4).jaccard > 0.99).all()
    cloud = np.random.default_rng(9).normal(size=(240, 6))
    assert stable_clusters(cloud, 6).n_stable == 0


def test_number_of_clusters_is_recovered():
    assert len(most_stable(HEAPS, range(2, 8)).jaccard) == 4


def test_a_cluster_without_a_point_has_no_similarity():
    result = best_jaccard(np.array([0, 0, 2]), np.array([0, 1, 1]), 3)
    assert result[[0, 2]] == pytest.approx([0.5, 0.5])
    assert np.isnan(result[1])


def test_the_same_seed_gives_the_same_clusters():
    first, second = (stable_clusters(HEAPS, 3, seed=5) for _ in range(2))
    assert first.clustering.labels.tolist() == second.clustering.labels.tolist()
    assert first.jaccard.tolist() == second.jaccard.tolist()


def test_main_directions_keep_distances_when_none_is_dropped():
    points = RNG.normal(size=(20, 3))
    middle, axes = principal_axes(points, 3)
    turned = (points - middle) @ axes
    assert np.linalg.norm(turned[3] - turned[7]) == pytest.approx(np.linalg.norm(points[3] - points[7]))
    assert turned.var(axis=0).tolist() == sorted(turned.var(axis=0).tolist(), reverse=True)
