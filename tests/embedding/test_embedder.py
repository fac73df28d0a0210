"""Embeddings spread over texts, vectors of the user's, and the number of processors."""

import numpy as np
import pytest

from semscale.embedding import embedder
from semscale.embedding.embedder import ArrayEmbedder, Embedder, Embeddings, unit_rows
from semscale.errors import InputError

TWO = Embeddings(np.array([[1, 0], [0, 1]], np.float32), np.array([1, 3]))


def test_embeddings_are_repeated_where_their_text_is():
    spread = TWO.spread(np.array([0, 1, 1, 0]))
    assert spread.vectors.tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert spread.windows.tolist() == [1, 3, 3, 1]
    assert (TWO.n_windowed, spread.n_windowed) == (1, 2)


def test_distinct_texts_need_no_copy():
    assert TWO.spread(np.array([0, 1])) is TWO


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


def test_array_embedder_looks_up_in_order_and_scales_to_unit_length():
    embedder: Embedder = ArrayEmbedder(["a", "b"], [[3, 4], [0, -2]])
    result = embedder.embed(["b", "a", "b"])
    np.testing.assert_allclose(result.vectors, [[0, -1], [0.6, 0.8], [0, -1]], rtol=1e-7)
    assert result.vectors.dtype == np.float32
    assert result.windows.tolist() == [1, 1, 1]
    assert embedder.dimensions == 2


def test_array_embedder_does_not_change_its_input_arrays():
    vectors = np.array([[3.0, 4.0]])
    ArrayEmbedder(["a"], vectors).embed(["a"]).vectors[:] = 0
    assert vectors.tolist() == [[3, 4]]


def test_signature_tells_vectors_and_texts_apart():
    signature = ArrayEmbedder(["a", "b"], [[1, 2], [3, 4]], name="mine").signature
    assert (
        signature == ArrayEmbedder(["a", "b"], [[2, 4], [6, 8]], name="mine").signature
    )  # the same unit vectors
    assert signature != ArrayEmbedder(["a", "b"], [[1, 2], [3, 5]], name="mine").signature
    assert signature != ArrayEmbedder(["a", "c"], [[1, 2], [3, 4]], name="mine").signature
    assert signature != ArrayEmbedder(["ab", ""], [[1, 2], [3, 4]], name="mine").signature
    assert str(signature).split("|")[1:] == [
        "embed",
        f"model:mine#{signature.fields[0][1][-8:]}",
        "engine:arrays",
    ]


def test_progress_ends_at_the_number_of_texts():
    seen = []
    ArrayEmbedder(["a"], [[1.0]]).embed(["a", "a"], progress=lambda *step: seen.append(step))
    assert seen == [("embedding", 2, 2)]


def test_same_text_twice_with_the_same_direction():
    assert ArrayEmbedder(["a", "a"], [[1, 1], [1, 1]]).embed(["a"]).vectors.shape == (1, 2)


@pytest.mark.parametrize(
    ("texts", "vectors", "message"),
    [
        (["a"], [[1.0], [2.0]], "one row a text, got 2 for 1 texts"),
        (["a"], [1.0, 2.0], r"shape \(texts, dimensions\), got \(2,\)"),
        (["a"], [[]], r"got \(1, 0\)"),
        (["a", "b"], [[1.0, 2.0], [1.0]], "rows of one width"),
        (["a"], [["x"]], "table of numbers"),
        (["a", "b"], [[1.0], [np.nan]], r"vectors\[1\] has a value that is NaN or infinite"),
        (["a", "b"], [[1.0], [-np.inf]], r"vectors\[1\] has a value that is NaN or infinite"),
        (["a", "b"], [[1.0, 0.0], [0.0, -0.0]], r"vectors\[1\] is zero"),
        (["a", "a"], [[1.0, 2.0], [2.0, 1.0]], r"texts\[1\] equals texts\[0\], but their vectors differ"),
        (["a", 3], [[1.0], [2.0]], r"texts\[1\] must be a string, got int"),
        ("ab", [[1.0], [2.0]], "list of strings"),
    ],
)
def test_what_cannot_be_used(texts, vectors, message):
    with pytest.raises(InputError, match=message):
        ArrayEmbedder(texts, vectors)


def test_text_without_a_vector_is_named():
    with pytest.raises(InputError, match=r"texts\[1\] has no vector, nor have 1 more: 'b'"):
        ArrayEmbedder(["a"], [[1.0]]).embed(["a", "b", "c"])


def test_huge_and_tiny_numbers_keep_their_direction():
    np.testing.assert_allclose(unit_rows([[3e300, 4e300], [3e-300, 4e-300]]), [[0.6, 0.8]] * 2, rtol=1e-7)


def test_no_rows():
    assert unit_rows(np.empty((0, 3))).shape == (0, 3)
