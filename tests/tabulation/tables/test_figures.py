"""Figures that are cut out of estimates, and what tests take in the place of no spread."""

import numpy as np
import pytest

from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.means import survey_means
from semscale.tabulation.asked.question import Line
from semscale.tabulation.tables.figures import (
    cell_figures,
    changes_between,
    columns_of,
    lines_of,
    standard_deviations,
    with_spread_at_the_ends,
)

SHARE, MEAN = Line("yes", "share"), Line("mean", "mean")


def estimates():
    columns = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 3.0], [1.0, 5.0]])
    return survey_means(columns, SurveyDesign(np.ones(4)), groups=[0, 0, 1, 1])


def test_a_cut_has_the_figures_of_the_whole():
    whole = estimates()
    cut = columns_of(lines_of(whole, slice(1, 2)), np.array([1]))
    assert cut.values.tolist() == [[4.0]]
    assert cut.standard_errors[0, 0] == whole.standard_errors[1, 1]
    assert cut.covariance.shape == (1, 1, 1)


def test_shares_have_intervals_within_0_and_1_and_means_have_t_intervals():
    found = cell_figures(estimates(), (SHARE, MEAN), 0.95)
    # Nobody of two: Clopper and Pearson's upper end is 1 - .025 ** (1 / 2).
    assert (found.low[0, 0], found.high[0, 0]) == (0.0, pytest.approx(1 - 0.025**0.5))
    assert found.high[0, 1] <= 1
    assert found.low[1, 0] + found.high[1, 0] == pytest.approx(2 * 2.0)
    assert found.beside(found).values.shape == (2, 4)


def test_a_share_without_spread_has_that_of_one_more_answer_of_each_kind():
    found = with_spread_at_the_ends(estimates(), (SHARE, MEAN))
    # Nobody of 2: p = 1 / 4, and p (1 - p) / 4 = 3 / 64.
    assert found.covariance[0, 0, 0] == pytest.approx(3 / 64)
    np.testing.assert_array_equal(found.covariance[1], estimates().covariance[1])
    assert found.covariance[0, 1, 1] == estimates().covariance[0, 1, 1] > 0


def test_changes_are_later_less_earlier():
    found = changes_between(estimates(), np.array([1]), np.array([0]))
    assert found.values.tolist() == [[0.5], [2.0]]


def test_standard_deviations_with_weights():
    columns, weights = np.array([[1.0], [3.0], [np.nan], [2.0]]), np.array([1.0, 1.0, 1.0, 4.0])
    domains = Domains(np.array([0, 0, 0, 1]), 2)
    found = standard_deviations(columns, np.array([[2.0, 2.0]]), weights, domains)
    # 1 and 3: sum of squares 2, over weight 2, times n / (n - 1) = 2; one respondent has none.
    np.testing.assert_allclose(found, [[2**0.5, np.nan]])
