"""Embeddings of distinct texts, repeated for all texts."""

import numpy as np

from semscale.embedding.embedder import Embeddings

TWO = Embeddings(np.array([[1, 0], [0, 1]], np.float32), np.array([1, 3]))


def test_embeddings_are_repeated_where_their_text_is():
    spread = TWO.spread(np.array([0, 1, 1, 0]))
    assert spread.vectors.tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert spread.windows.tolist() == [1, 3, 3, 1]
    assert (TWO.n_windowed, spread.n_windowed) == (1, 2)


def test_distinct_texts_need_no_copy():
    assert TWO.spread(np.array([0, 1])) is TWO
