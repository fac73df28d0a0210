"""Vectors the user has: found by their text, and refused where they cannot be used."""

import numpy as np
import pytest

from semscale.embedding.embedder import ArrayEmbedder, Embedder, unit_rows
from semscale.errors import InputError


def test_looks_up_in_order_and_scales_to_length_one():
    embedder: Embedder = ArrayEmbedder(["a", "b"], [[3, 4], [0, -2]])
    result = embedder.embed(["b", "a", "b"])
    np.testing.assert_allclose(result.vectors, [[0, -1], [0.6, 0.8], [0, -1]], rtol=1e-7)
    assert result.vectors.dtype == np.float32
    assert result.windows.tolist() == [1, 1, 1]
    assert embedder.dimensions == 2


def test_given_arrays_are_not_changed():
    vectors = np.array([[3.0, 4.0]])
    ArrayEmbedder(["a"], vectors).embed(["a"]).vectors[:] = 0
    assert vectors.tolist() == [[3, 4]]


def test_signature_tells_vectors_and_texts_apart():
    one = ArrayEmbedder(["a", "b"], [[1, 2], [3, 4]], name="mine").signature
    assert one == ArrayEmbedder(["a", "b"], [[2, 4], [6, 8]], name="mine").signature  # the same unit vectors
    assert one != ArrayEmbedder(["a", "b"], [[1, 2], [3, 5]], name="mine").signature
    assert one != ArrayEmbedder(["a", "c"], [[1, 2], [3, 4]], name="mine").signature
    assert one != ArrayEmbedder(["ab", ""], [[1, 2], [3, 4]], name="mine").signature
    assert str(one).split("|")[1:] == ["embed", f"model:mine#{one.fields[0][1][-8:]}", "engine:arrays"]


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
