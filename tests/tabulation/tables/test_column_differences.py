"""Differences of columns, and the letters that follow from them."""

import numpy as np
import pytest

from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means
from semscale.tabulation.asked.question import Line
from semscale.tabulation.tables.column_differences import compared_columns

MEAN = (Line("mean", "mean"),)
GROUPS = np.repeat([0, 1, 2], 4)
ESTIMATES = survey_means(
    np.array([1.0, 1, 3, 3, 3, 3, 5, 5, 1, 1, 3, 3]), SurveyDesign(np.ones(12)), groups=GROUPS
)


def test_each_two_columns_are_compared():
    found, letters = compared_columns(ESTIMATES, MEAN, np.zeros((1, 3), bool), level=0.95, correction="holm")
    assert (found.first.tolist(), found.second.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert found.values.tolist() == [[-2.0, 0.0, 2.0]]
    # var = 12 / 11 * (4 + 4) / 16, t = 2 / .7385 = 2.708; df = 4 + 4 - 1 - 1 = 6, p = .0351; Holm: times 3.
    np.testing.assert_allclose(found.p_values, [[0.0351, 1.0, 0.0351]], atol=2e-4)
    np.testing.assert_allclose(found.adjusted, [[0.1054, 1.0, 0.1054]], atol=6e-4)
    # t of 6 degrees of freedom is 2.4469, whatever the number of pairs.
    assert found.high[0, 0] == pytest.approx(-2 + 2.4469 * 0.7385, abs=1e-3)
    assert letters.tolist() == [["", "", ""]]


def test_pairs_with_a_small_base_are_shown_and_not_tested():
    small = np.array([[False, False, True]])
    found, letters = compared_columns(ESTIMATES, MEAN, small, level=0.95, correction="holm")
    assert found.values[0, 2] == 2.0
    assert np.isnan(found.p_values).tolist() == [[False, True, True]]
    # One test is left, so that nothing is adjusted.
    assert found.adjusted[0, 0] == found.p_values[0, 0] < 0.05
    assert letters.tolist() == [["", "A", ""]]
