"""Outputs find their partners: every way of pairing is tried as an oracle, ties go as they are documented."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.drift.alignment import align, align_by_position


def best_sum(similarity):
    """The greatest sum of similarities over all ways to give each row of the shorter side a column."""
    table = similarity if similarity.shape[0] <= similarity.shape[1] else similarity.T
    rows = range(table.shape[0])
    return max(
        sum(table[row, place[row]] for row in rows)
        for place in permutations(range(table.shape[1]), len(rows))
    )


@settings(deadline=None)  # the first call imports SciPy's optimisers
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_no_other_pairing_is_better(b, c, seed):
    similarity = np.random.default_rng(seed).random((b, c))
    pairs = align(similarity)
    assert len(pairs) == min(b, c)
    assert len(set(pairs[:, 0])) == len(set(pairs[:, 1])) == len(pairs)
    assert similarity[pairs[:, 0], pairs[:, 1]].sum() == pytest.approx(best_sum(similarity))


def test_the_best_sum_is_not_the_sum_of_the_best():
    # The highest single similarity, .9, leaves .1 for the other pair; .8 + .7 is more.
    assert align(np.array([[0.9, 0.8], [0.7, 0.1]])).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_equal_outputs_keep_their_places(n):
    assert align(np.ones((n, n))).tolist() == [[place, place] for place in range(n)]


def test_numbers_decide_between_equal_texts_and_never_beside_others():
    far = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert align(np.ones((2, 2)), far).tolist() == [[0, 1], [1, 0]]
    assert align(np.array([[0.51, 0.5], [0.5, 0.51]]), far).tolist() == [[0, 0], [1, 1]]


def test_more_on_one_side():
    assert align(np.array([[0.1], [0.9], [0.2]])).tolist() == [[1, 0]]
    assert align(np.array([[0.1, 0.9, 0.2]])).tolist() == [[0, 1]]


def test_by_position():
    assert align_by_position(2, 3).tolist() == [[0, 0], [1, 1]]
    assert align_by_position(0, 3).shape == (0, 2)
