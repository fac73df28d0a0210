"""Pairs of codes."""

import numpy as np
import pytest

from semscale.coding.summary.cooccurrence import cooccurrence


def test_lift_counts_only_answers_in_which_both_were_decided():
    # both decided in 4 of 5 answers: first 2, second 2, both 1: 4 * 1 / (2 * 2) = 1
    given = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, np.nan]])
    found = cooccurrence(given)
    assert found.counts.tolist() == [[3, 1], [1, 2]]
    assert found.lift[0, 1] == found.lift[1, 0] == pytest.approx(1)


def test_a_code_that_never_occurs_has_no_lift():
    found = cooccurrence(np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert np.isnan(found.lift).all()
    assert found.counts.tolist() == [[1, 0], [0, 0]]
