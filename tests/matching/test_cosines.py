import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching.cosines import Cosines, row_cosines


def test_cosines_of_rows():
    # (1, 1) with (1, 0): 1 / sqrt 2; opposite directions: -1
    result = row_cosines(np.array([[1.0, 1.0], [2.0, 0.0]]), np.array([[1.0, 0.0], [-3.0, 0.0]]))
    assert result == pytest.approx([0.5**0.5, -1.0], abs=1e-15)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40).filter(any))
def test_equal_rows_give_exactly_1(row):
    same = np.array([row])
    assert row_cosines(same, same).tolist() == [1.0]


@pytest.mark.parametrize("dimensions", [1, 3, 8, 31, 384])
def test_equal_rows_in_other_memory_give_exactly_1(dimensions):
    left = np.random.default_rng(dimensions).normal(size=(500, dimensions)).astype(np.float32)
    shifted = np.empty(left.size + 1)[1:].reshape(left.shape)  # begins where no vector register does
    shifted[:] = left
    assert row_cosines(left.astype(np.float64), shifted).tolist() == [1.0] * 500


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_a_row_does_not_depend_on_its_company(n):
    left, right = np.random.default_rng(n).normal(size=(2, n, 384))
    together = row_cosines(left, right)
    alone = [row_cosines(left[row : row + 1], right[row : row + 1])[0] for row in range(n)]
    assert together.tolist() == alone


def test_texts_are_embedded_once(toy_embedder):
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    result = Cosines(toy_embedder).of(["a b", "b", "c"], first, second)
    assert toy_embedder.embedded == ["a b", "b", "c"]
    # Toy vectors count words, over a floor of .001 that moves cosines by less than .1.
    assert result.values == pytest.approx([0.5**0.5, 0.0, 0.0], abs=0.1)
    assert result.windows.tolist() == [1, 1, 1]
    assert not result.unread.any()
