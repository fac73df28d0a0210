"""The ordinal readout."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semscale.errors import InputError
from semscale.rating.readouts import WIDTH, anchor_line, ordinal_masses, ordinal_ratings

PHI = NormalDist().cdf


def slow_form(vector, sets, width):
    """The model of the module's first lines, with lines fitted by ``numpy.polyfit``."""
    points = np.arange(1, len(sets[0]) + 1)

    def slope(item):
        cosines = [[a @ item / np.linalg.norm(a) / np.linalg.norm(item) for a in anchors] for anchors in sets]
        return np.mean([np.polyfit(points, of_set, 1)[0] for of_set in cosines])

    grid = [point for _ in sets for point in points]
    rise, start = np.polyfit(grid, [slope(anchor) for anchors in sets for anchor in anchors], 1)
    position = (slope(vector) - start) / rise
    below = [PHI((point + 0.5 - position) / (width * points.std())) for point in points[:-1]]
    return np.diff([0, *below, 1])


def on_the_axis(k, angles):
    """Vectors between a direction that no anchor has and the axis of k anchors at right angles."""
    axis = np.arange(k) - (k - 1) / 2
    beside = np.zeros(k + 1)
    beside[-1] = 1.0
    return np.outer(np.cos(angles), beside) + np.outer(
        np.sin(angles), np.append(axis / np.linalg.norm(axis), 0)
    )


class TestByHand:
    def test_two_points(self):
        # Slopes of the anchors: -1 and 1, so a = 0 and b = 2. Cosines of (3, 4): .6 and .8, slope .2,
        # position 1.5 + .1. The only threshold is 1.5; the points 1 and 2 have a standard deviation of .5.
        below = PHI(-0.1 / (WIDTH * 0.5))
        rated = ordinal_ratings([3.0, 4.0], np.eye(2))
        np.testing.assert_allclose(rated.pmf, [[below, 1 - below]])
        np.testing.assert_allclose(rated.set_means, [[2 - below]])
        np.testing.assert_allclose(rated.best_similarity, [0.8])

    def test_three_points_of_a_bipolar_scale(self):
        # Weights -.5 0 .5: slopes of the anchors -.5, 0, .5, so a = 0 and b = .5. Cosines of (1, 2, 2): 1/3,
        # 2/3, 2/3, slope 1/6, position 2 + 1/3. Thresholds 1.5 and 2.5; 1, 2, 3 deviate by sqrt(2/3).
        deviation = WIDTH * (2 / 3) ** 0.5
        item, two = PHI((1.5 - 7 / 3) / deviation), PHI((2.5 - 7 / 3) / deviation)
        rated = ordinal_ratings([1.0, 2.0, 2.0], np.eye(3), values=[-1, 0, 1])
        np.testing.assert_allclose(rated.pmf, [[item, two - item, 1 - two]])
        np.testing.assert_allclose(rated.set_means, [[(1 - two) - item]])

    def test_text_equal_to_an_anchor_lies_at_the_anchor_position(self):
        # Anchors at right angles lie on the line exactly: the second of three is as far from both thresholds.
        pmf = ordinal_ratings([0.0, 5.0, 0.0], np.eye(3)).pmf[0]
        half = 0.5 / (WIDTH * (2 / 3) ** 0.5)
        np.testing.assert_allclose(pmf, [PHI(-half), 1 - 2 * PHI(-half), PHI(-half)])

    def test_anchor_on_the_wrong_side_leaves_thresholds_in_order(self):
        # The middle anchor is the upper one again. Weights -.5 0 .5: slopes of the anchors -.5, .5, .5; the
        # line has b = .5 and a = 1/6. (1, 1): slope 0, position 2 - 1/3.
        anchors = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
        deviation = WIDTH * (2 / 3) ** 0.5
        item, two = PHI((1.5 - 5 / 3) / deviation), PHI((2.5 - 5 / 3) / deviation)
        np.testing.assert_allclose(ordinal_ratings([1.0, 1.0], anchors).pmf, [[item, two - item, 1 - two]])

    def test_temperature_first_and_then_epsilon(self):
        below = PHI(-0.1 / (WIDTH * 0.5))
        sharp = below**2 / (below**2 + (1 - below) ** 2)
        rated = ordinal_ratings([3.0, 4.0], np.eye(2), temperature=0.5, epsilon=1.0)
        # The mass 1 of the rating and the mass 1 of epsilon, a half of it on each point.
        np.testing.assert_allclose(rated.pmf, [[(sharp + 0.5) / 2, (1.5 - sharp) / 2]])
        # The mean under a set alone has no temperature: 2 minus the mass of the first point.
        np.testing.assert_allclose(rated.set_means, [[2 - (below + 0.5) / 2]])

    def test_zero_temperature_takes_the_likeliest_point(self):
        assert ordinal_ratings([1.0, 2.0, 2.0], np.eye(3), temperature=0).pmf.tolist() == [[0.0, 1.0, 0.0]]

    def test_both_tails_are_exact(self):
        # Ten standard deviations from the only threshold, the further point has Phi(-10), not rounding.
        deviation, tail = WIDTH * 0.5, 7.619853024160526e-24
        pmf = ordinal_masses(np.array([1.5 - 10 * deviation, 1.5 + 10 * deviation]), 2).T
        np.testing.assert_allclose([pmf[0, 1], pmf[1, 0]], [tail, tail], rtol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_sets", "k"), [(1, 2), (1, 5), (6, 5), (4, 11), (2, 3)])
@pytest.mark.parametrize("width", [WIDTH, 1.3])
def test_agrees_with_the_slow_form(n_sets, k, width):
    rng = np.random.default_rng(10 * k + n_sets)
    vectors, sets = rng.normal(size=(20, 24)), rng.normal(size=(n_sets, k, 24))
    rated = ordinal_ratings(vectors, sets, width=width)
    expected = [slow_form(vector, sets, width) for vector in vectors]
    np.testing.assert_allclose(rated.pmf, expected, atol=1e-12)
    alone = [[slow_form(vector, [item], width) @ np.arange(1, k + 1) for item in sets] for vector in vectors]
    np.testing.assert_allclose(rated.set_means, alone, atol=1e-11)


def test_row_sums_of_float32_are_exact_to_1e_12():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(5000, 48)).astype(np.float32)
    anchors = rng.normal(size=(6, 5, 48)).astype(np.float32)
    for settings in ({}, {"temperature": 0.3}, {"epsilon": 0.01}, {"temperature": 7, "epsilon": 2.0}):
        pmf = ordinal_ratings(vectors, anchors, **settings).pmf
        assert np.abs(pmf.sum(axis=1) - 1).max() <= 1e-12
        assert pmf.min() >= 0


def test_equal_anchors_show_no_direction():
    anchor = np.random.default_rng(1).normal(size=(1, 384)).astype(np.float32)
    vectors = np.random.default_rng(2).normal(size=(300, 384)).astype(np.float32)
    rated = ordinal_ratings(vectors, np.repeat(anchor, 7, axis=0))
    assert (rated.pmf == 1 / 7).all()
    np.testing.assert_allclose(rated.set_means, 4)


def test_sets_that_point_opposite_ways_show_no_direction_together():
    rated = ordinal_ratings(np.eye(3), np.array([np.eye(3), np.eye(3)[::-1]]))
    assert (rated.pmf == 1 / 3).all()
    np.testing.assert_allclose(rated.set_means.sum(axis=1), 4)


@pytest.mark.parametrize("length", [1e-14, 1e14])
def test_length_of_a_vector_does_not_matter_at_any_magnitude(length):
    vectors = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]], dtype=np.float32)
    scaled = (vectors * length).astype(np.float32)
    pmf = ordinal_ratings(vectors, np.eye(3)).pmf
    np.testing.assert_allclose(ordinal_ratings(scaled, np.eye(3)).pmf, pmf, atol=1e-5)


def test_no_vectors_give_no_ratings():
    rated = ordinal_ratings(np.empty((0, 4)), np.eye(4))
    assert rated.pmf.shape == (0, 4)
    assert rated.set_means.shape == (0, 1)


def test_no_position_is_uniform():
    masses = ordinal_masses(np.array([np.nan, 1e9]), 4)
    np.testing.assert_allclose(masses.T, [[0.25] * 4, [0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordinal_ratings(np.ones((2, 3)), np.eye(4)), "3 dimensions but anchors 4"),
        (lambda: ordinal_ratings("text", np.eye(3)), "vectors must be an array of numbers"),
        (
            lambda: ordinal_ratings(np.zeros((2, 3)), np.eye(3)),
            r"1e15: invalid in 2 rows \(counted from 1\): 1, 2",
        ),
        (lambda: ordinal_ratings([[1.0, np.nan]], np.eye(2)), "vectors must be finite"),
        (lambda: ordinal_ratings(np.eye(12), np.eye(12)), "2 to 11 points"),
        (lambda: ordinal_ratings(np.eye(3), np.eye(3), values=[1, 2]), "values must be 3 numbers"),
        (lambda: ordinal_ratings(np.eye(3), np.eye(3), temperature=-1), "temperature must be 0 or more"),
        (lambda: ordinal_ratings(np.eye(3), np.eye(3), epsilon=-0.1), "epsilon must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


settings = st.fixed_dictionaries(
    {
        "temperature": st.floats(0.05, 20),
        "epsilon": st.sampled_from([0.0, 0.01, 1.0]),
        "width": st.floats(0.1, 3),
    }
)


@given(
    st.integers(2, 11),
    hnp.arrays(np.float64, st.integers(2, 30), elements=st.floats(-np.pi / 2, np.pi / 2)),
    settings,
)
def test_higher_position_on_the_axis_never_lowers_the_mean(k, angles, chosen):
    angles.sort()
    rated = ordinal_ratings(on_the_axis(k, angles), np.hstack([np.eye(k), np.zeros((k, 1))]), **chosen)
    means = rated.pmf @ np.arange(1, k + 1)
    assert (np.diff(means) >= -1e-9).all()
    assert (np.diff(rated.set_means[:, 0]) >= -1e-9).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 11), settings)
def test_whatever_the_anchors_a_steeper_text_has_no_lower_mean(seed, n_sets, k, chosen):
    rng = np.random.default_rng(seed)
    vectors, sets = rng.normal(size=(25, 8)), rng.normal(size=(n_sets, k, 8))
    units = sets / np.linalg.norm(sets, axis=2, keepdims=True)
    cosines = np.einsum("nd,skd->nsk", vectors / np.linalg.norm(vectors, axis=1)[:, None], units).mean(axis=1)
    slopes = [np.polyfit(np.arange(k), of_text, 1)[0] for of_text in cosines]
    assert anchor_line(units)[1] >= 0
    means = ordinal_ratings(vectors, sets, **chosen).pmf @ np.arange(1, k + 1)
    assert (np.diff(means[np.argsort(slopes)]) >= -1e-6).all()


@given(
    hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-50, 50)),
    st.integers(2, 11),
    st.floats(0.05, 5),
)
def test_masses_are_a_distribution_and_follow_the_points_when_they_are_turned_round(positions, k, width):
    pmf = ordinal_masses(positions, k, width=width).T
    assert (pmf >= 0).all()
    np.testing.assert_allclose(pmf.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(ordinal_masses(k + 1 - positions, k, width=width).T, pmf[:, ::-1], atol=1e-9)
