"""Copying rows gives what NumPy's indexing gives, whatever the size."""

import numpy as np
import pytest

from semscale.embedding import parallel
from semscale.embedding.embedder import Embeddings


@pytest.mark.parametrize("threshold", [0, 10**9])
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_rows_are_those_of_indexing(n, threshold, monkeypatch):
    monkeypatch.setattr(parallel, "_WORTH_THREADS", threshold)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((5, 4), dtype=np.float32)
    where = rng.integers(0, 5, n)
    np.testing.assert_array_equal(parallel.take_rows(rows, where), rows[where])


def test_embeddings_spread_to_the_texts_they_belong_to():
    distinct = Embeddings(np.eye(3, dtype=np.float32), np.array([1, 4, 1]))
    spread = distinct.spread(np.array([0, 1, 0, 2]))
    assert spread.vectors.argmax(axis=1).tolist() == [0, 1, 0, 2]
    assert spread.windows.tolist() == [1, 4, 1, 1]


def test_distinct_texts_are_not_copied():
    distinct = Embeddings(np.eye(3, dtype=np.float32), np.ones(3, dtype=np.int64))
    assert distinct.spread(np.arange(3)) is distinct
