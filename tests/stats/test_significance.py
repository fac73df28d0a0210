"""Differences, independence, letters of crosstabs, and corrections for many tests."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import chi2_contingency, fisher_exact

from semscale.errors import InputError
from semscale.stats.significance import (
    adjust_p_values,
    benjamini_hochberg,
    column_letters,
    group_differences,
    holm,
    independence_p_value,
    rao_scott,
)
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import survey_means


def test_pairs_of_groups_stand_once():
    y = np.array([1.0, 2, 4, 5, 9, 8])
    result = group_differences(survey_means(y, SurveyDesign(np.ones(6)), groups=[0, 0, 1, 1, 2, 2]))
    assert list(zip(result.first.tolist(), result.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert result.values.tolist() == [[-3.0, -7.0, -4.0]]


def test_adjustment_counts_only_the_tests_of_the_table():
    y = np.array([1.0, 2, 4, 5, 9, 8])
    result = group_differences(survey_means(y, SurveyDesign(np.ones(6)), groups=[0, 0, 1, 1, 2, 2]))
    p = result.p_values[0]
    tested = np.array([[True, False, True]])
    holm = result.adjusted_p_values("holm", tested)[0]
    assert np.isnan(holm[1])
    least = min(p[0], p[2])
    assert np.nanmin(holm) == pytest.approx(min(1.0, 2 * least))
    assert result.adjusted_p_values(None).tolist() == result.p_values.tolist()


def test_what_does_not_vary_or_is_not_there_is_not_tested():
    same = group_differences(survey_means(np.ones(4), SurveyDesign(np.ones(4)), groups=[0, 0, 1, 1]))
    assert same.values.tolist() == [[0.0]]
    assert np.isnan(same.p_values).all()
    absent = group_differences(survey_means([1.0, 2.0], SurveyDesign(np.ones(2)), groups=[0, 0], n_groups=2))
    assert np.isnan(absent.values).all()
    assert np.isnan(absent.standard_errors).all()


def differences():
    """Two rows of a crosstab by three columns: the first rises from A to C, the second is the same in all."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 50)
    rising = groups + rng.normal(0, 0.3, 150)
    level = np.tile([1.0, 2.0], 75)
    return group_differences(
        survey_means(np.column_stack([rising, level]), SurveyDesign(np.ones(150)), groups=groups)
    )


def test_a_column_has_the_letters_of_those_below_it():
    letters = column_letters(differences(), tested=np.ones((2, 3), dtype=bool))
    assert letters.tolist() == [["", "A", "A B"], ["", "", ""]]


def test_a_suppressed_column_has_no_letters_and_gives_none():
    tested = np.ones((2, 3), dtype=bool)
    tested[:, 1] = False
    assert column_letters(differences(), tested=tested).tolist() == [["", "", "A"], ["", "", ""]]


def test_a_correction_makes_letters_rarer():
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(60, 40))
    result = group_differences(survey_means(columns, SurveyDesign(np.ones(60)), groups=np.repeat([0, 1], 30)))
    tested = np.ones((40, 2), dtype=bool)
    plain, holm = (
        sum(bool(item) for item in column_letters(result, tested=tested, correction=name).ravel())
        for name in (None, "holm")
    )
    # Nothing differs: 5 % of 40 plain tests are expected to say so, and almost no corrected one.
    assert 0 < plain <= 8
    assert holm == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tested": np.ones((2, 2), dtype=bool)}, r"tested must have shape \(2, 3\)"),
        ({"tested": np.ones((2, 3), dtype=bool), "alpha": 5}, "alpha must be between 0 and 1, got 5"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        column_letters(differences(), **settings)


def test_a_plain_sample_is_nearly_pearson_s_test():
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 3, 2000), rng.integers(0, 4, 2000)
    result = rao_scott(rows, columns, SurveyDesign(np.ones(2000)))
    table = np.zeros((3, 4))
    np.add.at(table, (rows, columns), 1)
    expected = stats.chi2_contingency(table, correction=False)
    assert result.chi_square == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue, abs=0.02)


def test_doubling_every_person_in_a_cluster_does_not_make_a_test_stronger():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, 300)
    columns = np.where(rng.random(300) < 0.6, rows, 1 - rows)
    once = rao_scott(rows, columns, SurveyDesign(np.ones(300)))
    twice = rao_scott(
        np.tile(rows, 2), np.tile(columns, 2), SurveyDesign(np.ones(600), clusters=np.tile(np.arange(300), 2))
    )
    assert twice.chi_square == pytest.approx(2 * once.chi_square)
    assert twice.p_value == pytest.approx(once.p_value)


def test_missing_answers_are_left_out_and_unused_codes_are_no_cells():
    rows, columns = [0, 0, 1, 1, 3, 3, -1], [0, 1, 0, 1, 0, 1, 0]
    result = rao_scott(rows, columns, SurveyDesign(np.ones(7)))
    assert result.n == 6
    assert result.chi_square == pytest.approx(0)


def test_single_answer_gives_no_test():
    result = rao_scott([0, 0, 0], [0, 1, 1], SurveyDesign(np.ones(3)))
    assert np.isnan([result.f, result.p_value]).all()
    assert result.reason == "all answers are the same"
    assert rao_scott([0, 1, 1], [0, 0, 0], SurveyDesign(np.ones(3))).reason == "only one group has answers"
    with pytest.raises(InputError, match="no row with both answers"):
        rao_scott([-1, 0], [0, -1], SurveyDesign(np.ones(2)))


def test_a_question_by_itself_has_too_many_empty_cells_to_test():
    answers = np.array([0, 1, 2] * 4)
    result = rao_scott(answers, answers, SurveyDesign(np.ones(12)))
    assert np.isnan(result.p_value)
    assert result.reason == "too many cells are empty"
    assert result.n == 12


def test_large_counts_are_pearsons_chi_squared():
    table = np.array([[30, 45, 20], [70, 55, 80]])
    assert independence_p_value(table) == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_small_counts_are_close_to_the_exact_test():
    # with equal margins Fisher's and Pearson's statistics order the tables alike
    table = np.array([[8, 2], [2, 8]])
    assert independence_p_value(table) == pytest.approx(fisher_exact(table).pvalue, abs=0.005)


def test_the_same_seed_gives_the_same_p_value_and_it_is_never_0():
    table = np.array([[9, 0], [0, 9]])
    assert independence_p_value(table, seed=4) == independence_p_value(table, seed=4) > 0


@pytest.mark.parametrize("table", [[[5], [5]], [[0, 0], [5, 7]], [[5, 0], [5, 0]], np.zeros((2, 0))])
def test_what_cannot_be_tested_has_no_p_value(table):
    assert np.isnan(independence_p_value(np.array(table, dtype=np.int64)))


# Sorted: .005, .011, .02, .04, .13; m = 5.
P = np.array([0.02, 0.005, 0.13, 0.011, 0.04])


def test_holm_multiplies_by_the_tests_that_are_left():
    # .005 * 5 = .025, .011 * 4 = .044, .02 * 3 = .06, .04 * 2 = .08, .13 * 1 = .13
    np.testing.assert_allclose(holm(P), [0.06, 0.025, 0.13, 0.044, 0.08])


def test_holm_never_decreases_and_never_exceeds_1():
    # .01 * 3 = .03, .011 * 2 = .022 but no less than .03, .9 * 1.
    # .6 * 2 is cut off at 1, and .7 * 1 is no less than that.
    np.testing.assert_allclose(holm(np.array([0.01, 0.011, 0.9])), [0.03, 0.03, 0.9])
    np.testing.assert_allclose(holm(np.array([0.7, 0.6])), [1, 1])


def test_benjamini_hochberg_divides_by_the_rank():
    # .005 * 5 / 1 = .025, .011 * 5 / 2 = .0275, .02 * 5 / 3 = .03333, .04 * 5 / 4 = .05, .13
    np.testing.assert_allclose(benjamini_hochberg(P), [0.1 / 3, 0.025, 0.13, 0.0275, 0.05])


def test_what_was_not_tested_does_not_count():
    np.testing.assert_allclose(adjust_p_values(np.array([np.nan, 0.01, 0.02]), "holm"), [np.nan, 0.02, 0.02])
    np.testing.assert_allclose(
        adjust_p_values(np.array([0.02, np.nan, 0.01]), "benjamini-hochberg"), [0.02, np.nan, 0.02]
    )


def test_short_correction_name_equals_the_long_name():
    # .01 * 2 / 1 = .02, .02 * 2 / 2 = .02
    np.testing.assert_allclose(adjust_p_values(np.array([0.02, 0.01]), "bh"), [0.02, 0.02])


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg"])
def test_no_test_is_no_p_value(correction):
    assert adjust_p_values(np.array([]), correction).shape == (0,)
    assert np.isnan(adjust_p_values(np.array([np.nan]), correction)).all()
