"""Copying rows gives what NumPy's indexing gives, whatever the size."""

import numpy as np
import pytest

from semscale.embedding import embedder
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError


@pytest.mark.parametrize("threshold", [0, 10**9])
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_rows_are_those_of_indexing(n, threshold, monkeypatch):
    monkeypatch.setattr(embedder, "_WORTH_THREADS", threshold)
    monkeypatch.setattr(embedder, "processors", lambda: 3)
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((5, 4), dtype=np.float32)
    where = rng.integers(0, 5, n)
    np.testing.assert_array_equal(embedder.take_rows(rows, where), rows[where])


def test_a_variable_limits_the_processors(monkeypatch):
    monkeypatch.delenv("SEMSCALE_THREADS", raising=False)
    there = embedder.processors()
    for chosen, expected in {"": there, "1": 1, str(there + 5): there}.items():
        monkeypatch.setenv("SEMSCALE_THREADS", chosen)
        assert embedder.processors() == expected


@pytest.mark.parametrize("chosen", ["0", "-1", "two", "1.5"])
def test_no_number_of_processors_is_refused(chosen, monkeypatch):
    monkeypatch.setenv("SEMSCALE_THREADS", chosen)
    with pytest.raises(InputError, match=f"SEMSCALE_THREADS must be a whole number from 1, got '{chosen}'"):
        embedder.processors()


def test_embeddings_spread_to_the_texts_they_belong_to():
    distinct = Embeddings(np.eye(3, dtype=np.float32), np.array([1, 4, 1]))
    spread = distinct.spread(np.array([0, 1, 0, 2]))
    assert spread.vectors.argmax(axis=1).tolist() == [0, 1, 0, 2]
    assert spread.windows.tolist() == [1, 4, 1, 1]


def test_distinct_texts_are_not_copied():
    distinct = Embeddings(np.eye(3, dtype=np.float32), np.ones(3, dtype=np.int64))
    assert distinct.spread(np.arange(3)) is distinct
