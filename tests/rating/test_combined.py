"""The combined readout: the mean of the ordinal masses and a softmax of centred cosines."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from semscale.rating.readouts import SHARPNESS, WIDTH, combined_ratings, ordinal_ratings

PHI = NormalDist().cdf


def cosine(left, right):
    product = sum(a * b for a, b in zip(left, right, strict=True))
    return product / math.hypot(*left) / math.hypot(*right)


def slow_softmax(vector, sets):
    """The formula of the module's first lines, anchor by anchor."""
    everything = [anchor for anchors in sets for anchor in anchors]
    by_set = []
    for anchors in sets:
        centred = [
            cosine(vector, anchor) - sum(cosine(other, anchor) for other in everything) / len(everything)
            for anchor in anchors
        ]
        weights = [math.exp(value / SHARPNESS) for value in centred]
        by_set.append([weight / sum(weights) for weight in weights])
    return np.array(by_set)


def test_two_points_by_hand():
    # Cosines .60 and .61 with two anchors at right angles, whose centres are both (1 + 0) / 2. The softmax
    # differs by exp(.01 / .02) between the points; slope .01, position 1.5 + .01 / 2, threshold 1.5,
    # deviation .5.
    vector = [0.60, 0.61, (1 - 0.60**2 - 0.61**2) ** 0.5]
    softmax = 1 / (1 + math.exp(-0.01 / 0.02))
    ordinal = PHI(0.005 / (WIDTH * 0.5))
    upper = (softmax + ordinal) / 2
    rated = combined_ratings(vector, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], values=[0, 10])
    np.testing.assert_allclose(rated.pmf, [[1 - upper, upper]])
    np.testing.assert_allclose(rated.set_means, [[10 * upper]])
    np.testing.assert_allclose(rated.best_similarity, [0.61])


def test_an_anchor_that_is_near_all_anchors_does_not_win_by_that():
    # The second anchor lies between the others. Cosines of the text: .6, .99, .8; centres: .569, .805, .569.
    # Without centres the softmax gives the second point nearly all mass, as .99 - .8 is 9.5 times SHARPNESS;
    # with them the third one, by (.8 - .569) - (.99 - .805) = .045.
    middle = [2**-0.5, 2**-0.5]
    softmax = slow_softmax([0.6, 0.8], [[[1.0, 0.0], middle, [0.0, 1.0]]])[0]
    assert softmax.argmax() == 2
    ordinal = ordinal_ratings([0.6, 0.8], [[1.0, 0.0], middle, [0.0, 1.0]]).pmf[0]
    rated = combined_ratings([0.6, 0.8], [[1.0, 0.0], middle, [0.0, 1.0]])
    np.testing.assert_allclose(rated.pmf[0], (softmax + ordinal) / 2)


@pytest.mark.parametrize("n_sets", [1, 4])
def test_many_points_and_sets_against_the_slow_form(n_sets):
    rng = np.random.default_rng(n_sets)
    sets, vectors = rng.standard_normal((n_sets, 5, 12)), rng.standard_normal((7, 12))
    values = np.array([-2.0, -1.0, 0.0, 1.0, 4.0])
    rated = combined_ratings(vectors, sets, values=values)
    ordinal = ordinal_ratings(vectors, sets, values=values)
    for row, vector in enumerate(vectors):
        softmax = slow_softmax(vector.tolist(), sets.tolist())
        np.testing.assert_allclose(rated.pmf[row], (softmax.mean(axis=0) + ordinal.pmf[row]) / 2, atol=1e-12)
        np.testing.assert_allclose(
            rated.set_means[row], (softmax @ values + ordinal.set_means[row]) / 2, atol=1e-12
        )


def test_other_texts_do_not_change_a_rating():
    rng = np.random.default_rng(3)
    anchors, vectors = rng.standard_normal((2, 5, 8)), rng.standard_normal((20, 8))
    alone = combined_ratings(vectors[4], anchors)
    assert alone.pmf.tobytes() == combined_ratings(vectors, anchors).pmf[4:5].tobytes()


def test_equal_anchors_give_uniform_masses():
    rated = combined_ratings([[0.6, 0.8]], [[[1.0, 0.0]] * 4])
    np.testing.assert_allclose(rated.pmf, [[0.25] * 4])


def test_the_temperature_comes_before_epsilon():
    # At temperature 0 all mass is on the second point; epsilon 1 then adds as much, half to each point.
    rated = combined_ratings([3.0, 4.0], np.eye(2), temperature=0, epsilon=1)
    np.testing.assert_allclose(rated.pmf, [[0.25, 0.75]])
