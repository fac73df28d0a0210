"""Windows of long texts, and the average of their vectors."""

import numpy as np
import pytest

from semscale.embedding.tokenizer import Windows, cut_windows, open_tokenizer, pool_windows
from semscale.errors import ModelError


def windows(owner, lengths):
    ids = [np.zeros(length, np.int32) for length in lengths]
    return Windows(ids, np.array(owner), np.array(lengths))


def test_windows_are_counted_by_text():
    assert windows([0, 1, 1, 3], [2, 9, 4, 5]).per_text(4).tolist() == [1, 2, 0, 1]


def test_vectors_of_windows_are_averaged_by_their_tokens_and_scaled():
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    pooled = pool_windows(vectors, windows([0, 1, 1], [5, 3, 4]), 2)
    # (3 * (1, 0) + 4 * (0, 1)) / 5 has length 1.
    assert pooled.tolist() == [[1, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


def test_one_window_keeps_its_vector_bit_for_bit():
    vector = np.array([[0.1, 0.7]], np.float32)  # no unit vector, to see that nothing is scaled
    assert (pool_windows(vector, windows([0], [3]), 1) == vector).all()


def test_a_tokenizer_that_cannot_be_read(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        open_tokenizer(tmp_path / "tokenizer.json")


def test_windows_share_their_overlap_and_the_tokens_around_the_text():
    # 10 own tokens between 2 and 1; 4 fit into a window, and each next one has 4 - 1 = 3 new ones.
    ids = [100, 101, *range(10), 200]
    found = [list(window) for window in cut_windows(ids, (2, 1), max_tokens=7, overlap=1)]
    assert found == [[100, 101, *range(start, start + 4), 200] for start in (0, 3, 6)]


def test_a_text_that_fits_or_a_model_without_a_limit_has_one_window():
    assert [list(window) for window in cut_windows([1, 5, 2], (1, 1), 3, 0)] == [[1, 5, 2]]
    assert [list(window) for window in cut_windows([1, *[5] * 99, 2], (1, 1), None, 0)] == [[1, *[5] * 99, 2]]


def test_a_prefix_that_leaves_no_room_is_refused():
    with pytest.raises(ModelError, match="tokens around a text are 6 of the 8 .* choose a shorter prefix"):
        list(cut_windows(range(20), (5, 1), max_tokens=8, overlap=2))
