"""Drift of every role, against sums written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs


def written_out(pairs, candidate):
    others = [run for run in range(len(pairs)) if run != candidate]
    return np.mean([pairs[candidate, run] for run in others]) - np.mean(
        [pairs[one, two] for one, two in combinations(others, 2)]
    )


@given(st.integers(3, 6), st.integers(0, 9999))
def test_drift_is_loss_against_the_others_less_loss_among_them(k, seed):
    raw = np.random.default_rng(seed).random((4, k, k))
    pairs = raw + raw.transpose(0, 2, 1)
    found = drifts_of_pairs(pairs)
    for item in range(4):
        expected = [written_out(pairs[item], candidate) for candidate in range(k)]
        np.testing.assert_allclose(found[item], expected, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-12)


def test_the_diagonal_does_not_count():
    pairs = np.full((1, 3, 3), 0.5)
    pairs[0, range(3), range(3)] = np.nan
    assert drifts_of_pairs(pairs).tolist() == [[0.0, 0.0, 0.0]]


def test_against_the_baseline_alone_each_loss_is_held_against_the_others():
    assert drifts_of_losses(np.array([[0.9, 0.1]])).tolist() == [[pytest.approx(0.8), pytest.approx(-0.8)]]
