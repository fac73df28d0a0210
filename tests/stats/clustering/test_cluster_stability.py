"""Whether clusters come back."""

import numpy as np
import pytest

from semscale.stats.clustering.cluster_stability import (
    best_jaccard,
    main_axes,
    most_stable,
    stable_clusters,
)

RNG = np.random.default_rng(8)
HEAPS = np.concatenate([RNG.normal(centre, 0.3, size=(60, 2)) for centre in ((0, 0), (6, 0), (0, 6), (6, 6))])


def test_heaps_come_back_and_a_single_cloud_does_not():
    assert (stable_clusters(HEAPS, 4).jaccard > 0.99).all()
    cloud = np.random.default_rng(9).normal(size=(240, 6))
    assert stable_clusters(cloud, 6).n_stable == 0


def test_the_number_of_heaps_is_found():
    assert len(most_stable(HEAPS, range(2, 8)).jaccard) == 4


def test_a_cluster_without_a_point_has_no_similarity():
    found = best_jaccard(np.array([0, 0, 2]), np.array([0, 1, 1]), 3)
    assert found[[0, 2]] == pytest.approx([0.5, 0.5])
    assert np.isnan(found[1])


def test_the_same_seed_gives_the_same_clusters():
    first, second = (stable_clusters(HEAPS, 3, seed=5) for _ in range(2))
    assert first.clustering.labels.tolist() == second.clustering.labels.tolist()
    assert first.jaccard.tolist() == second.jaccard.tolist()


def test_main_directions_keep_distances_when_none_is_dropped():
    points = RNG.normal(size=(20, 3))
    middle, axes = main_axes(points, 3)
    turned = (points - middle) @ axes
    assert np.linalg.norm(turned[3] - turned[7]) == pytest.approx(np.linalg.norm(points[3] - points[7]))
    assert turned.var(axis=0).tolist() == sorted(turned.var(axis=0).tolist(), reverse=True)
