"""Correlations and differences of persons who count as often as is said."""

import numpy as np
import pytest

from semscale.study.comparing.counted_sums import group_differences, question_correlations

NAN = np.nan


def test_a_correlation_within_concepts_by_hand():
    # Within concept 1: 0, 2, 4 and 0, 4, 2 (tenths): products of deviations 4 + 0 + 0, squares 8 and 8: r .5.
    # Concept 2 is the same but higher in both questions, which would raise r if means were not taken off.
    first = np.array([[0.0, 0.5], [0.2, 0.7], [0.4, 0.9]])
    second = np.array([[0.0, 0.5], [0.4, 0.9], [0.2, 0.7]])
    correlations = question_correlations(np.stack([first, second], axis=-1), np.ones(3))
    assert correlations(np.ones((1, 3)))[0, 0] == pytest.approx(0.5)


def test_counts_are_as_repeated_persons_and_as_weights():
    rng = np.random.default_rng(0)
    positions = rng.random((8, 2, 3))
    positions[1, 0, 1] = positions[5, 1, 2] = NAN
    counts = np.array([[2.0, 1, 0, 3, 1, 1, 1, 1]])
    rows = np.repeat(np.arange(8), counts[0].astype(int))
    found = question_correlations(positions, np.ones(8))(counts)
    repeated = question_correlations(positions[rows], np.ones(len(rows)))(np.ones((1, len(rows))))
    np.testing.assert_allclose(found, repeated)
    kept = counts[0] > 0
    weighted = question_correlations(positions[kept], counts[0, kept])(np.ones((1, int(kept.sum()))))
    np.testing.assert_allclose(found, weighted)


def test_one_concept_is_as_numpy_has_it():
    positions = np.random.default_rng(1).random((30, 1, 3))
    found = question_correlations(positions, np.ones(30))(np.ones((1, 30)))[0]
    expected = np.corrcoef(positions[:, 0].T)
    np.testing.assert_allclose(found, [expected[0, 1], expected[0, 2], expected[1, 2]])


def test_answers_that_do_not_vary_have_no_correlation():
    positions = np.stack([np.full((4, 2), 0.3), np.random.default_rng(2).random((4, 2))], axis=-1)
    assert np.isnan(question_correlations(positions, np.ones(4))(np.ones((1, 4))))


def test_a_difference_of_groups_by_hand():
    # Concept 1: means of .2, .6 (weights 1, 3) are .5, and .1; concept 2 has one group alone.
    positions = np.array([[[0.2], [0.9]], [[0.6], [0.8]], [[0.1], [NAN]]])
    old, young = np.array([True, True, False]), np.array([False, False, True])
    differences = group_differences(positions, np.array([1.0, 3.0, 1.0]), [(0, old, young)])
    assert differences(np.ones((1, 3)))[0, 0] == pytest.approx(0.4)
    # Without the second person: .2 - .1. Without the third nothing is left to compare.
    found = differences(np.array([[1.0, 0, 1], [1.0, 1, 0]]))[:, 0]
    assert found[0] == pytest.approx(0.1)
    assert np.isnan(found[1])
