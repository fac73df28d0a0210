"""Clusters of directions, and whether they come back."""

import numpy as np
import pytest

from semscale.stats.clustering import (
    best_jaccard,
    of_length_1,
    principal_axes,
    recurring_directions,
    spherical_k_means,
)

RNG = np.random.default_rng(8)


def around(*centres, n=60, spread=0.1):
    return np.concatenate([RNG.normal(centre, spread, size=(n, len(centre))) for centre in centres])


def test_directions_are_those_of_the_sums_of_their_points():
    points = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 5.0], [0.0, 1.0]])
    directions = spherical_k_means(points, 2, np.random.default_rng(0))
    # (3, 0) + (1, 1) = (4, 1), (0, 5) + (0, 1) = (0, 6): (1, 1) is nearer to (4, 1) by neither, so both ways
    # of dividing are stable: with (1, 1) in the other half the sums are (3, 0) and (1, 7).
    found = sorted(directions.round(6).tolist())
    ways = ([[4, 1], [0, 1]], [[1, 0], [1, 7]])
    assert found in [sorted(of_length_1(np.array(way, float)).round(6).tolist()) for way in ways]


def test_a_long_point_decides_the_direction():
    points = np.array([[100.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    assert spherical_k_means(points, 1, np.random.default_rng(0)).tolist() == [
        pytest.approx([102 / np.hypot(102, 2), 2 / np.hypot(102, 2)])
    ]


def test_there_are_no_more_directions_than_distinct_ones():
    points = np.repeat(np.eye(3), 5, axis=0) * np.arange(1, 16)[:, None]
    directions = spherical_k_means(points, 8, np.random.default_rng(0))
    assert sorted(directions.tolist()) == sorted(np.eye(3).tolist())


def test_clusters_of_halves_join_where_they_come_back():
    points = around((1, 0, 0), (0, 1, 0), (0, 0, 1))
    found = recurring_directions(points, 6, np.random.default_rng(0))
    centres = found.recurring(0.5)
    assert np.abs(centres[np.abs(centres).argmax(axis=1).argsort()] - np.eye(3)).max() < 0.05
    directions, shares = found.groups(0.5)
    assert (len(directions), shares.tolist()) == (3, [1.0, 1.0, 1.0])


def test_what_few_halves_show_does_not_recur():
    # A fourth direction has 2 of 182 points: it is in both halves only now and then.
    points = np.concatenate(
        [around((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)), [[0, 0, 0, 3.0], [0, 0, 0, 3.0]]]
    )
    found = recurring_directions(points, 4, np.random.default_rng(0))
    _, shares = found.groups(0.5)
    assert shares.min() < 0.9
    assert len(found.recurring(0.5)) <= len(shares)


def test_a_lower_cosine_joins_more():
    points = around((1, 0, 0), (0.8, 0.6, 0), (0, 0, 1))
    found = recurring_directions(points, 6, np.random.default_rng(0))
    assert [len(found.recurring(cosine)) for cosine in (0.95, 0.5)] == [3, 2]


def test_the_same_generator_gives_the_same_directions():
    points = around((1, 0), (0, 1))
    first, second = (recurring_directions(points, 4, np.random.default_rng(5)) for _ in range(2))
    assert first.directions.tolist() == second.directions.tolist()


def test_a_set_without_a_point_has_no_similarity():
    sets = np.array([[True, False], [True, False], [False, False]])
    others = np.array([[True, True, False], [True, False, False], [True, False, True]])
    assert best_jaccard(sets, others) == pytest.approx([2 / 3, 0])


def test_main_directions_keep_distances_when_none_is_dropped():
    points = RNG.normal(size=(20, 3))
    middle, axes = principal_axes(points, 3)
    turned = (points - middle) @ axes
    assert np.linalg.norm(turned[3] - turned[7]) == pytest.approx(np.linalg.norm(points[3] - points[7]))
    assert turned.var(axis=0).tolist() == sorted(turned.var(axis=0).tolist(), reverse=True)
