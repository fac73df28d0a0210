"""Hadamard matrices."""

import numpy as np
import pytest

from semscale.stats.survey.hadamard import hadamard_matrix


@pytest.mark.parametrize("least", range(1, 130))
def test_rows_are_orthogonal_signs_and_the_first_is_constant(least):
    matrix = hadamard_matrix(least)
    order = len(matrix)
    np.testing.assert_array_equal(matrix @ matrix.T, order * np.eye(order))
    np.testing.assert_array_equal(np.abs(matrix), np.ones((order, order)))
    np.testing.assert_array_equal(matrix[0], np.ones(order))


@pytest.mark.parametrize(
    ("least", "order"), [(1, 1), (2, 2), (3, 4), (5, 8), (9, 12), (25, 28), (45, 48), (49, 56)]
)
def test_orders_are_the_next_that_is_known_here(least, order):
    # 28 = 2 (13 + 1) by Paley's second construction; 52 = 2 (25 + 1) would need a field of 25 elements.
    assert len(hadamard_matrix(least)) == order
