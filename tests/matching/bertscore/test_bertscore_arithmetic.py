"""BERTScore's arithmetic: values by hand, a slow loop, and what no batch may change."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching.cosines import unit_rows
from semscale.matching.token_scores import cosine_matrix, f_measure, greedy_score


def slow_score(prediction, reference, weights, other_weights):
    """BERTScore as the paper writes it: a loop over tokens."""

    def cosine(first, other):
        return sum(map(float, first * other)) / math.sqrt(
            sum(map(float, first**2)) * sum(map(float, other**2))
        )

    precision = sum(
        weight * max(cosine(token, other) for other in reference)
        for token, weight in zip(prediction, weights, strict=True)
    ) / sum(weights)
    recall = sum(
        weight * max(cosine(token, other) for other in prediction)
        for token, weight in zip(reference, other_weights, strict=True)
    ) / sum(other_weights)
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_a_pair_by_hand():
    # Rows are the prediction's tokens. Their best cosines are .9, .4 and .8, the reference's .9 and .8.
    cosines = np.array([[0.9, 0.1], [0.4, 0.2], [-0.5, 0.8]], np.float32)
    score = greedy_score(cosines, np.array([1.0, 1.0, 2.0]), np.array([3.0, 1.0]))
    # P = (.9 + .4 + 1.6) / 4 = .725; R = (2.7 + .8) / 4 = .875; F = 2 * .725 * .875 / 1.6
    np.testing.assert_allclose(score, [0.725, 0.875, 0.79296875], atol=1e-7)


def test_a_token_without_weight_can_still_be_matched():
    cosines = np.array([[0.3, 0.9]], np.float32)
    assert greedy_score(cosines, np.array([1.0]), np.array([1.0, 0.0])).precision == pytest.approx(0.9)


def test_without_weights_there_is_no_score():
    score = greedy_score(np.ones((2, 1), np.float32), np.zeros(2), np.ones(1))
    assert math.isnan(score.precision)
    assert math.isnan(score.f1)
    assert score.recall == 1


def test_f1_of_nothing_in_common_is_0():
    assert f_measure(0.0, 0.0) == 0
    assert f_measure(0.5, -0.5) == 0


def test_equal_vectors_never_score_above_1():
    rng = np.random.default_rng(0)
    units = unit_rows(rng.standard_normal((200, 384)).astype(np.float32))
    assert greedy_score(cosine_matrix(units, units.copy()), np.ones(200), np.ones(200)).f1 <= 1


def test_a_state_of_zeros_is_like_nothing():
    units = unit_rows(np.array([[0, 0], [1, 0]], np.float32))
    assert cosine_matrix(units, units).tolist() == [[0, 0], [0, 1]]


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 40), st.integers(0, 99))
def test_the_score_is_that_of_the_slow_loop(tokens, other_tokens, width, seed):
    rng = np.random.default_rng(seed)
    prediction = rng.standard_normal((tokens, width)).astype(np.float32) + 1
    reference = rng.standard_normal((other_tokens, width)).astype(np.float32) + 1
    weights, other_weights = rng.uniform(0.1, 3, tokens), rng.uniform(0.1, 3, other_tokens)
    expected = slow_score(prediction.astype(float), reference.astype(float), weights, other_weights)
    cosines = cosine_matrix(unit_rows(prediction), unit_rows(reference))
    np.testing.assert_allclose(greedy_score(cosines, weights, other_weights)[:2], expected[:2], atol=1e-5)


def test_tiles_cover_shapes_of_every_size():
    rng = np.random.default_rng(1)
    for tokens, other_tokens in ((1, 1), (26, 27), (53, 10), (130, 75)):
        first, other = (
            unit_rows(rng.standard_normal((n, 384)).astype(np.float32)) for n in (tokens, other_tokens)
        )
        np.testing.assert_allclose(cosine_matrix(first, other), first.astype(float) @ other.T, atol=1e-6)
