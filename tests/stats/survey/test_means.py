"""Means, totals and ratios: by hand, with missing values and without weight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.survey import means as means_module
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import indicators, survey_means, survey_ratios, survey_totals
from semscale.stats.survey.replication import jackknife_replicates


def test_a_plain_mean_has_the_standard_error_of_a_textbook():
    y = np.array([2.0, 4, 4, 6])
    found = survey_means(y, SurveyDesign(np.ones(4)))
    # s ** 2 is 8 / 3, over n.
    assert found.standard_errors[0, 0] == pytest.approx(np.sqrt(8 / 3 / 4))
    low, high = found.interval()
    half = 3.182446305284263 * np.sqrt(8 / 3 / 4)  # t with 3 degrees of freedom
    assert [low[0, 0], high[0, 0]] == pytest.approx([4 - half, 4 + half])


def test_missing_values_leave_the_base_and_are_counted():
    y = np.array([[1.0, np.nan], [3.0, 5.0], [np.nan, 7.0]])
    found = survey_means(y, SurveyDesign(np.array([1.0, 3.0, 2.0])))
    assert found.values[:, 0].tolist() == [2.5, 5.8]
    assert found.n.tolist() == [[2], [2]]
    assert found.n_missing.tolist() == [[1], [1]]
    assert found.weight.tolist() == [[4.0], [5.0]]
    assert found.effective_n[:, 0] == pytest.approx([16 / 10, 25 / 13])


def test_rows_without_weight_are_in_no_base():
    found = survey_means([1.0, 2.0, 9.0], SurveyDesign(np.array([1.0, 1.0, 0.0])))
    assert (found.values[0, 0], found.n[0, 0], found.n_missing[0, 0]) == (1.5, 2, 0)


def test_a_group_without_rows_has_no_figures():
    found = survey_means([1.0, 2.0, 3.0], SurveyDesign(np.ones(3)), groups=[0, 0, 2], n_groups=4)
    assert np.isnan(found.values[0]).tolist() == [False, True, False, True]
    assert np.isnan(found.standard_errors[0]).tolist() == [False, True, True, True]
    assert np.isnan(found.interval()[0][0]).tolist() == [False, True, True, True]
    assert np.isnan(
        survey_totals([1.0, 2.0], SurveyDesign(np.ones(2)), groups=[-1, -1], n_groups=1).values
    ).all()


def test_blocks_of_columns_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.normal(size=(50, 7))
    y[rng.random(y.shape) < 0.2] = np.nan
    design = SurveyDesign(rng.uniform(1, 2, 50), clusters=np.arange(50) // 5)
    groups = rng.integers(0, 3, 50)
    whole = survey_means(y, design, groups=groups)
    monkeypatch.setattr(means_module, "_NUMBERS_AT_ONCE", 100)
    blocks = survey_means(y, design, groups=groups)
    for name in ("values", "covariance", "pair_df", "n", "n_missing", "weight", "effective_n"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name), atol=1e-12)


@given(st.integers(0, 10_000))
def test_order_of_rows_and_scale_of_weights_change_no_mean(seed):
    rng = np.random.default_rng(seed)
    y, weights, clusters = rng.normal(size=30), rng.uniform(1, 5, 30), np.arange(30) // 3
    groups, order = rng.integers(0, 2, 30), rng.permutation(30)
    one = survey_means(y, SurveyDesign(weights, clusters=clusters), groups=groups, n_groups=2)
    other = survey_means(
        y[order], SurveyDesign(7 * weights[order], clusters=clusters[order]), groups=groups[order], n_groups=2
    )
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-12)


def test_a_ratio_of_columns_that_are_alike_is_certain():
    x = np.array([1.0, 2.0, 5.0])
    found = survey_ratios(2 * x, x, SurveyDesign(np.ones(3)))
    assert (found.values[0, 0], found.standard_errors[0, 0]) == (2.0, 0.0)


def test_replicates_without_weight_in_a_group_do_not_count():
    # Group 1 is the last cluster alone: without it there is no estimate, and the others do not differ.
    design = jackknife_replicates(SurveyDesign(np.ones(3)))
    found = survey_means([1.0, 2.0, 3.0], design, groups=[0, 0, 1])
    assert found.values.tolist() == [[1.5, 3.0]]
    assert found.covariance[0, 1, 1] == pytest.approx(0)
    assert np.isnan(found.standard_errors[0, 1])


@pytest.mark.parametrize(
    ("columns", "settings", "message"),
    [
        ([1.0, 2.0], {}, r"columns must have 3 rows as the design has, got shape \(2, 1\)"),
        (["a", "b", "c"], {}, "columns must be numbers"),
        ([1.0, np.inf, 2.0], {}, r"row 2 has an infinite value"),
        ([1.0, 2.0, 3.0], {"groups": [0, 1]}, "groups must be 3 whole numbers"),
        ([1.0, 2.0, 3.0], {"groups": [0.0, 1.0, 1.0]}, "groups must be 3 whole numbers"),
        ([1.0, 2.0, 3.0], {"groups": [0, 1, 2], "n_groups": 2}, r"got 2 in row 3"),
        ([1.0, 2.0, 3.0], {"groups": [0, 0, 1]}, r"the weights of group 1 sum to 0 over 1 rows"),
    ],
)
def test_what_does_not_fit_is_refused(columns, settings, message):
    with pytest.raises(InputError, match=message):
        survey_means(columns, SurveyDesign(np.array([1.0, 1.0, 0.0])), **settings)


def test_numerators_and_denominators_must_fit():
    with pytest.raises(InputError, match="the same shape"):
        survey_ratios(np.ones(3), np.ones((3, 2)), SurveyDesign(np.ones(3)))


def test_an_unknown_answer_is_refused():
    with pytest.raises(InputError, match="from 0 to 1, or -1 for none, got 2 in row 1"):
        indicators([2], 2)


def test_a_level_must_be_a_share():
    with pytest.raises(InputError, match="interval must lie between 0 and 1"):
        survey_means([1.0, 2.0], SurveyDesign(np.ones(2))).interval(95)
