"""Cosines and ratings are the same to the last bit in every batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.rating.readouts import (
    best_similarities,
    combined_ratings,
    cosines_of,
    ordinal_ratings,
    sharpen_pmf,
    similarity_pmf,
    ssr_ratings,
    sum_in_order,
)

N = 4400  # more than one block of rows

FIELDS = ("pmf", "set_means", "best_similarity")

ALL = pytest.mark.parametrize("readout", [ssr_ratings, ordinal_ratings, combined_ratings])

SHAPES = [(384, 6, 5), (384, 1, 5), (7, 1, 2), (33, 3, 11), (1, 1, 2), (48, 2, 8)]


def sample(d, s, k, dtype):
    """Vectors of which some are long or short, and anchors."""
    rng = np.random.default_rng(d)
    vectors = rng.standard_normal((N, d)).astype(dtype)
    vectors[::97] *= 1e10
    vectors[5::101] *= 1e-10
    return vectors, rng.standard_normal((s, k, d))


def assert_same_bits(got, expected, rows):
    for name in FIELDS:
        assert getattr(got, name).tobytes() == getattr(expected, name)[rows].tobytes(), name


@ALL
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.exhaustive
def test_no_company_changes_a_bit(readout, shape, dtype):
    vectors, anchors = sample(*shape, dtype)
    rng = np.random.default_rng(1)
    guide = {"semantics": "guide"} if readout is ssr_ratings else {}
    for settings in ({}, {"temperature": 0.3}, {"epsilon": 0.1, **guide}):
        whole = readout(vectors, anchors, **settings)
        for n in (1, 1, 1, 2, 7, 255, 1000, 4096, 4097):
            rows = rng.choice(N, n, replace=False)
            assert_same_bits(readout(vectors[rows], anchors, **settings), whole, rows)


@pytest.mark.exhaustive
@ALL
@given(rows=st.lists(st.integers(0, N - 1), min_size=1, max_size=40))
def test_any_selection_in_any_order_has_the_same_bits(readout, rows):
    vectors, anchors = sample(48, 2, 8, "float32")
    whole = readout(vectors, anchors, temperature=0.7)
    assert_same_bits(readout(vectors[rows], anchors, temperature=0.7), whole, rows)


@ALL
def test_how_the_vectors_lie_in_memory_changes_no_bit(readout):
    vectors, anchors = sample(33, 3, 11, "float32")
    whole = readout(vectors, anchors)
    for laid in (np.asfortranarray(vectors), np.repeat(vectors, 2, axis=0)[::2]):
        assert_same_bits(readout(laid, anchors), whole, slice(None))


@pytest.mark.parametrize("k", [2, 5, 8, 11])
def test_masses_from_cosines_have_the_same_bits_alone(k):
    cosines = np.random.default_rng(k).uniform(-1, 1, (300, k))
    masses = similarity_pmf(cosines, epsilon=0.1)
    sharp = sharpen_pmf(masses, temperature=0.7)
    for row in range(300):
        assert similarity_pmf(cosines[row], epsilon=0.1).tobytes() == masses[row].tobytes()
        assert sharpen_pmf(masses[row], temperature=0.7).tobytes() == sharp[row].tobytes()


@pytest.mark.parametrize("scale", [1.0, 1e-14, 1e14])
def test_cosines_by_hand_at_any_length(scale):
    # (3, 4) against the axes: .6 and .8, however long.
    rows = (np.array([[0.6, 0.8], [1.0, 0.0]]) * scale).astype(np.float32)
    cosines, unusable = cosines_of(rows, np.eye(2, dtype=np.float32)[None])
    np.testing.assert_allclose(cosines[0], [[0.6, 1.0], [0.8, 0.0]], rtol=2e-5)
    assert not unusable.any()


def test_rows_without_a_direction_are_marked_and_the_rest_unchanged():
    rows = np.array([[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [1e-16, 0.0], [0.0, 1e16], [0.0, 2.0]])
    cosines, unusable = cosines_of(rows, np.eye(2)[None])
    assert unusable.tolist() == [True] * 5 + [False]
    assert cosines[0, :, 5].tolist() == [0.0, 1.0]


def test_sums_in_order():
    # 1e16 + 1 rounds to 1e16 twice in order; in another order 2 would be added at once.
    assert sum_in_order(np.array([[1e16], [1.0], [1.0]])).tolist() == [1e16]


@ALL
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_best_similarity_is_that_of_the_readouts_to_the_last_bit(readout, kind):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((5000, 6)).astype(kind)  # more rows than a block has
    anchors = rng.standard_normal((3, 5, 6))
    np.testing.assert_array_equal(
        best_similarities(vectors, anchors), readout(vectors, anchors).best_similarity
    )
