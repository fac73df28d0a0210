"""Semantic similarity rating and the temperature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semscale.errors import InputError
from semscale.rating.readouts import sharpen_pmf, similarity_pmf, ssr_ratings, unit_anchors
from semscale.rating.settings import DEFAULT_READOUT, RaterSettings

# Cosines 0.1 0.3 0.5 0.4 0.2: g - min(g) = 0 .1 .2 .15 .05, sum .5.
COSINES = [0.1, 0.3, 0.5, 0.4, 0.2]

PLAIN = [0.0, 0.2, 0.4, 0.3, 0.1]


def guide_form(responses, anchors, epsilon=0.0):
    """The guide's algorithm, row by row and point by point."""
    rows = []
    for response in responses:
        g = [(1 + a @ response / np.linalg.norm(a) / np.linalg.norm(response)) / 2 for a in anchors]
        least = g.index(min(g))
        top = [value - min(g) + (epsilon if r == least else 0) for r, value in enumerate(g)]
        rows.append([value / (sum(g) - len(g) * min(g) + epsilon) for value in top])
    return np.array(rows)


def test_follows_the_equation_by_hand():
    np.testing.assert_allclose(similarity_pmf(COSINES), PLAIN, atol=1e-15)
    np.testing.assert_allclose(similarity_pmf(COSINES, semantics="paper"), PLAIN, atol=1e-15)


@pytest.mark.parametrize(
    ("semantics", "expected"),
    [
        # epsilon = .1 goes to the least similar point: (.1 .1 .2 .15 .05) / .6
        ("paper", [1 / 6, 1 / 6, 1 / 3, 1 / 4, 1 / 12]),
        ("guide", [1 / 6, 1 / 6, 1 / 3, 1 / 4, 1 / 12]),
        # epsilon = .1 is .02 for each of five points: (.02 .12 .22 .17 .07) / .6
        ("safe", [0.02 / 0.6, 0.12 / 0.6, 0.22 / 0.6, 0.17 / 0.6, 0.07 / 0.6]),
    ],
)
def test_epsilon_goes_where_the_semantics_says(semantics, expected):
    np.testing.assert_allclose(similarity_pmf(COSINES, epsilon=0.1, semantics=semantics), expected)


def test_epsilon_of_the_paper_goes_to_the_first_of_several_least_similar_points():
    # g - min = 0 0 .1, epsilon = .1: (.1 0 .1) / .2
    pmf = similarity_pmf([0.2, 0.2, 0.4], epsilon=0.1, semantics="paper")
    np.testing.assert_allclose(pmf, [0.5, 0.0, 0.5])


class TestRowsWhereTheReferenceFails:
    """One test for each row of the table of the reference's defects, in its order."""

    @pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
    def test_unusable_response_is_named(self, bad):
        vectors = np.ones((4, 3))
        vectors[2] = bad
        with pytest.raises(InputError, match=r"vectors must be finite, .* 1 row \(counted from 1\): 3$"):
            ssr_ratings(vectors, np.eye(3))

    @pytest.mark.parametrize("bad", [0.0, np.nan])
    def test_unusable_anchor_is_named(self, bad):
        anchors = np.stack([np.eye(3), np.eye(3)])
        anchors[1, 2] = bad
        with pytest.raises(InputError, match="set 1, point 2"):
            ssr_ratings(np.ones((1, 3)), anchors)

    @pytest.mark.parametrize("semantics", ["safe", "guide"])
    @pytest.mark.parametrize("epsilon", [0.0, 0.01])
    def test_all_equal_is_uniform(self, semantics, epsilon):
        np.testing.assert_allclose(similarity_pmf([0.3] * 5, epsilon=epsilon, semantics=semantics), [0.2] * 5)

    def test_all_equal_without_epsilon_has_no_value_in_the_paper(self):
        with pytest.raises(InputError, match=r"0 by 0.*1 row \(counted from 1\): 2"):
            similarity_pmf([COSINES, [0.3] * 5], semantics="paper")

    def test_all_equal_with_epsilon_is_the_first_point_in_the_paper(self):
        pmf = similarity_pmf([0.3] * 5, epsilon=0.01, semantics="paper")
        np.testing.assert_allclose(pmf, [1, 0, 0, 0, 0])

    @pytest.mark.parametrize(
        ("semantics", "expected"),
        [
            ("safe", [0.1, 0.3, 0.1, 0.3, 0.2]),
            ("guide", [0.1, 0.3, 0.1, 0.3, 0.2]),
            # The limit of p ** (1 / T): (1/3) ** (1 / T) and (2/3) ** (1 / T) vanish, two ones remain.
            ("paper", [0, 0.5, 0, 0.5, 0]),
        ],
    )
    def test_zero_temperature_with_a_tie(self, semantics, expected):
        pmf = sharpen_pmf([0.1, 0.3, 0.1, 0.3, 0.2], temperature=0, semantics=semantics)
        np.testing.assert_allclose(pmf, expected)

    @pytest.mark.parametrize("semantics", ["safe", "guide", "paper"])
    def test_zero_temperature_without_a_tie_puts_all_mass_on_a_single_point(self, semantics):
        pmf = sharpen_pmf([0.1, 0.3, 0.2, 0.4], temperature=0, semantics=semantics)
        assert pmf.tolist() == [0, 0, 0, 1]

    def test_float32_tie_broken_by_rounding_still_counts_as_a_tie(self):
        pmf = np.array([0.4, 0.4 + 1e-7, 0.2], dtype=np.float32)
        np.testing.assert_allclose(sharpen_pmf(pmf, temperature=0), [0.4, 0.4, 0.2], atol=1e-6)

    @pytest.mark.parametrize("temperature", [-1.0, -1e-9, np.nan])
    def test_negative_temperature_is_refused(self, temperature):
        with pytest.raises(InputError, match=r"temperature must be 0 or more, got"):
            sharpen_pmf(PLAIN, temperature=temperature)

    @pytest.mark.parametrize("temperature", [1e-3, 1e-300, 5e-324])
    def test_tiny_temperature_neither_underflows_nor_overflows(self, temperature):
        # (.3 / .4) ** 1000 is 1e-125: nothing beside the largest mass is left at double precision.
        np.testing.assert_allclose(sharpen_pmf(PLAIN, temperature=temperature), [0, 0, 1, 0, 0], atol=1e-100)

    def test_lists_and_single_vectors_are_accepted(self):
        # cosines .6 and .8 with the axes: (0, .2) / .2
        assert ssr_ratings([0.6, 0.8], [[1, 0], [0, 1]]).pmf.tolist() == [[0.0, 1.0]]

    @pytest.mark.parametrize("k", range(2, 12))
    def test_two_to_eleven_points(self, k):
        # cosine of e_0 with e_0 is 1, with the others 0
        assert ssr_ratings(np.eye(k)[:1], np.eye(k)).pmf.tolist() == [[1.0] + [0.0] * (k - 1)]

    @pytest.mark.parametrize("k", [1, 12])
    def test_scales_of_1_and_12_points_are_refused(self, k):
        with pytest.raises(InputError, match="2 to 11 points"):
            ssr_ratings(np.eye(12), np.eye(12)[:k])
        with pytest.raises(InputError, match="2 to 11 points"):
            similarity_pmf(np.linspace(0, 1, k))

    def test_row_sums_of_float32_are_exact_to_1e_12(self):
        rng = np.random.default_rng(5)
        vectors = rng.normal(size=(5000, 48)).astype(np.float32)
        anchors = rng.normal(size=(6, 5, 48)).astype(np.float32)
        for settings in (
            {},
            {"temperature": 0.3},
            {"epsilon": 0.01},
            {"epsilon": 0.01, "semantics": "paper"},
        ):
            assert np.abs(ssr_ratings(vectors, anchors, **settings).pmf.sum(axis=1) - 1).max() <= 1e-12


def test_equal_anchors_are_equal_whatever_their_column():
    # Products with equal anchors may differ in the last bit; that must not become a rating.
    rng = np.random.default_rng(1)
    anchor = rng.normal(size=(1, 384)).astype(np.float32)
    vectors = rng.normal(size=(300, 384)).astype(np.float32)
    np.testing.assert_allclose(ssr_ratings(vectors, np.repeat(anchor, 7, axis=0)).pmf, 1 / 7, rtol=1e-12)


@pytest.mark.exhaustive
@pytest.mark.parametrize("semantics", ["paper", "guide"])
@pytest.mark.parametrize("epsilon", [0.0, 0.03])
@pytest.mark.parametrize(
    ("n", "k", "dtype", "close"), [(50, 5, np.float64, 1e-12), (9000, 3, np.float32, 1e-4)]
)
def test_agrees_with_the_slow_form_of_the_guide(semantics, epsilon, n, k, dtype, close):
    rng = np.random.default_rng(n)
    vectors = rng.normal(size=(n, 16)).astype(dtype)
    anchors = rng.normal(size=(2, k, 16))
    rated = ssr_ratings(vectors, anchors, epsilon=epsilon, semantics=semantics)
    expected = np.mean([guide_form(vectors, anchor_set, epsilon) for anchor_set in anchors], axis=0)
    np.testing.assert_allclose(rated.pmf, expected, atol=close)


def test_set_means_and_best_similarity():
    # Set 0: cosines 1, 0 with (1, 0): PMF 1, 0; set 1: cosines 0, 1: PMF 0, 1. Values -1 and 3.
    anchors = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 0.0]]])
    rated = ssr_ratings([[5.0, 0.0], [-3.0, -4.0]], anchors, values=[-1.0, 3.0], temperature=0.5)
    assert rated.set_means[0].tolist() == [-1.0, 3.0]
    # (-.6, -.8) has its best cosine, -.6, with the first axis.
    np.testing.assert_allclose(rated.best_similarity, [1.0, -0.6])
    np.testing.assert_allclose(rated.pmf[0], [0.5, 0.5])


def test_temperature_comes_after_the_average_over_sets():
    anchors = np.array([np.eye(3), [[0.3, 0.91**0.5, 0], [0.6, 0.8, 0], [0, 0, 1.0]]])
    # Second set: cosines .3, .6, 0, so 1/3, 2/3, 0.
    # First set: 1, 0, 0. Average: 2/3, 1/3, 0. Squared: 4/5, 1/5, 0.
    pmf = ssr_ratings([1.0, 0.0, 0.0], anchors, temperature=0.5).pmf
    np.testing.assert_allclose(pmf, [[0.8, 0.2, 0.0]])


@pytest.mark.parametrize("scale", [1e-14, 1e14])
def test_length_of_a_vector_does_not_matter_at_any_magnitude(scale):
    vectors = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]], dtype=np.float32)
    scaled = (vectors * scale).astype(np.float32)
    np.testing.assert_allclose(
        ssr_ratings(scaled, np.eye(3)).pmf, ssr_ratings(vectors, np.eye(3)).pmf, atol=1e-6
    )


def test_no_vectors_give_no_ratings():
    rated = ssr_ratings(np.empty((0, 4)), np.eye(4))
    assert rated.pmf.shape == (0, 4)
    assert rated.set_means.shape == (0, 1)
    assert similarity_pmf(np.empty((0, 5))).shape == (0, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ssr_ratings(np.ones((2, 3)), np.eye(4)), "3 dimensions but anchors 4"),
        (lambda: ssr_ratings(np.ones((2, 3, 1)), np.eye(3)), r"shape \(texts, dimensions\)"),
        (lambda: ssr_ratings("text", np.eye(3)), "vectors must be an array of numbers"),
        (lambda: ssr_ratings([[1, 2], [3]], np.eye(2)), "vectors must be an array of numbers"),
        (lambda: ssr_ratings(np.eye(3), np.eye(3), values=[1, 2]), "values must be 3 numbers"),
        (
            lambda: ssr_ratings(np.eye(3), np.eye(3), epsilon=-0.1),
            "epsilon must be a number from 0 to 1,000,000, got -0.1",
        ),
        (lambda: similarity_pmf([0.1, 0.2], epsilon=np.inf), "epsilon"),
        (lambda: similarity_pmf([0.1, 1.2]), "cosines"),
        (lambda: similarity_pmf([0.1, np.nan]), "cosines"),
        (lambda: similarity_pmf(0.5), "2 to 11"),
        (
            lambda: similarity_pmf([0.1, 0.2], semantics="papre"),
            "semantics must be safe, paper or guide, got 'papre'; did you mean 'paper'",
        ),
        (lambda: unit_anchors(np.ones(3), 3), "anchors must have shape"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


cosine_rows = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(2, 11)), elements=st.floats(-1, 1)
)


@given(cosine_rows, st.floats(0, 1), st.sampled_from(["safe", "guide"]))
def test_masses_are_a_distribution(cosines, epsilon, semantics):
    pmf = similarity_pmf(cosines, epsilon=epsilon, semantics=semantics)
    assert (pmf >= 0).all()
    np.testing.assert_allclose(pmf.sum(axis=-1), 1, atol=1e-12)


@given(cosine_rows)
def test_safe_follows_the_points_when_they_are_permuted(cosines):
    order = np.arange(cosines.shape[-1])[::-1]
    mirrored = similarity_pmf(cosines[..., order], epsilon=0.05)
    np.testing.assert_allclose(mirrored, similarity_pmf(cosines, epsilon=0.05)[..., order], atol=1e-12)


def test_infinite_temperature_makes_points_with_mass_alike():
    np.testing.assert_allclose(sharpen_pmf([0.0, 0.9, 0.1], temperature=np.inf), [0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sharpen_pmf([[0.5, 0.5], [0.0, 0.0]]), r"\(counted from 1\): 2"),
        (lambda: sharpen_pmf([-0.5, 1.5]), "masses >= 0"),
        (lambda: sharpen_pmf([np.nan, 1.0]), "masses >= 0"),
        (lambda: sharpen_pmf([]), "points on its last axis"),
    ],
)
def test_bad_masses_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


@given(cosine_rows, st.floats(0.05, 20))
def test_temperature_keeps_the_order_of_masses(cosines, temperature):
    pmf = similarity_pmf(cosines)
    sharpened = sharpen_pmf(pmf, temperature=temperature)
    np.testing.assert_allclose(sharpened.sum(axis=-1), 1, atol=1e-12)
    order = np.argsort(pmf, axis=-1)
    assert (np.diff(np.take_along_axis(sharpened, order, axis=-1), axis=-1) >= -1e-12).all()


@given(cosine_rows, st.floats(0.2, 5))
def test_temperatures_compose(cosines, temperature):
    pmf = similarity_pmf(cosines, epsilon=0.1)
    there_and_back = sharpen_pmf(sharpen_pmf(pmf, temperature=temperature), temperature=1 / temperature)
    np.testing.assert_allclose(there_and_back, pmf, atol=1e-9)


@pytest.mark.parametrize(
    ("readout", "semantics", "chosen"),
    [
        (None, "safe", DEFAULT_READOUT),
        ("ssr", "safe", "ssr"),
        ("ordinal", "safe", "ordinal"),
        # The published equation is SSR's, whatever the default is.
        (None, "paper", "ssr"),
        (None, "guide", "ssr"),
        ("ssr", "paper", "ssr"),
    ],
)
def test_the_semantics_of_the_paper_mean_ssr(readout, semantics, chosen):
    assert RaterSettings(readout=readout, semantics=semantics).applied_readout == chosen


@pytest.mark.parametrize("semantics", ["paper", "guide"])
def test_ordinal_does_not_follow_the_equation_of_the_paper(semantics):
    with pytest.raises(InputError, match=f"semantics='{semantics}' belongs to readout='ssr'"):
        RaterSettings(readout="ordinal", semantics=semantics)


@pytest.mark.parametrize("readout", ["ordnal", 3, ["ssr"], ""])
def test_an_unknown_readout_is_refused(readout):
    with pytest.raises(InputError, match="readout must be ssr, ordinal or combined, got "):
        RaterSettings(readout=readout)
