import numpy as np
import pytest

from semscale.stats.testing.multiple_testing import adjusted, adjusted_discrete, benjamini_hochberg, holm

# Sorted: .005, .011, .02, .04, .13; m = 5.
P = np.array([0.02, 0.005, 0.13, 0.011, 0.04])


def test_holm_multiplies_by_the_tests_that_are_left():
    # .005 * 5 = .025, .011 * 4 = .044, .02 * 3 = .06, .04 * 2 = .08, .13 * 1 = .13
    np.testing.assert_allclose(holm(P), [0.06, 0.025, 0.13, 0.044, 0.08])


def test_holm_never_falls_and_never_exceeds_one():
    # .01 * 3 = .03, .011 * 2 = .022 but no less than .03, .9 * 1.
    # .6 * 2 is cut off at 1, and .7 * 1 is no less than that.
    np.testing.assert_allclose(holm(np.array([0.01, 0.011, 0.9])), [0.03, 0.03, 0.9])
    np.testing.assert_allclose(holm(np.array([0.7, 0.6])), [1, 1])


def test_benjamini_hochberg_divides_by_the_rank():
    # .005 * 5 / 1 = .025, .011 * 5 / 2 = .0275, .02 * 5 / 3 = .03333, .04 * 5 / 4 = .05, .13
    np.testing.assert_allclose(benjamini_hochberg(P), [0.1 / 3, 0.025, 0.13, 0.0275, 0.05])


def test_what_was_not_tested_does_not_count():
    np.testing.assert_allclose(adjusted(np.array([np.nan, 0.01, 0.02]), "holm"), [np.nan, 0.02, 0.02])
    np.testing.assert_allclose(
        adjusted(np.array([0.02, np.nan, 0.01]), "benjamini-hochberg"), [0.02, np.nan, 0.02]
    )


def test_the_short_name_is_as_good_as_the_long_one():
    # .01 * 2 / 1 = .02, .02 * 2 / 2 = .02
    np.testing.assert_allclose(adjusted(np.array([0.02, 0.01]), "bh"), [0.02, 0.02])


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg"])
def test_no_test_is_no_p_value(correction):
    assert adjusted(np.array([]), correction).shape == (0,)
    assert np.isnan(adjusted(np.array([np.nan]), correction)).all()


def test_tests_that_cannot_reject_do_not_count():
    # alpha / 1 = .05: four could, more than 1; alpha / 2 = .025: three; alpha / 3 = .0167: two, at most 3.
    least = np.array([0.001, 0.01, 0.02, 0.03, 0.4])
    p_values = np.array([0.01, 0.02, 0.02, 0.03, 0.4])
    assert adjusted_discrete(p_values, least, "holm", 0.05).tolist() == [0.02, 0.02, 1.0, 1.0, 1.0]


def test_what_has_no_p_value_is_no_test():
    found = adjusted_discrete(np.array([np.nan, 0.04]), np.array([np.nan, 0.001]), "holm", 0.05)
    assert np.isnan(found[0])
    assert found[1] == 0.04
