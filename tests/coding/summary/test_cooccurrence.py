"""Pairs of codes."""

import numpy as np
import pytest

from semscale.coding.summary.cooccurrence import PairCounts


def test_lift_counts_only_answers_in_which_both_were_decided():
    # both decided in 4 of 5 answers: first 2, second 2, both 1: 4 * 1 / (2 * 2) = 1
    given = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, np.nan]])
    pairs = PairCounts(2)
    pairs.add(given[:3])
    pairs.add(given[3:])
    found = pairs.cooccurrence()
    assert found.counts.tolist() == [[3, 1], [1, 2]]
    assert found.lift[0, 1] == found.lift[1, 0] == pytest.approx(1)


def test_a_code_that_never_occurs_has_no_lift():
    pairs = PairCounts(2)
    pairs.add(np.array([[1.0, 0.0], [0.0, 0.0]]))
    found = pairs.cooccurrence()
    assert np.isnan(found.lift).all()
    assert found.counts.tolist() == [[1, 0], [0, 0]]
