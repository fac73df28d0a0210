"""Rao and Scott's test where its answer is known."""

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats.survey.association import rao_scott
from semscale.stats.survey.design import SurveyDesign


def test_a_plain_sample_is_nearly_pearson_s_test():
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 3, 2000), rng.integers(0, 4, 2000)
    found = rao_scott(rows, columns, SurveyDesign(np.ones(2000)))
    table = np.zeros((3, 4))
    np.add.at(table, (rows, columns), 1)
    expected = stats.chi2_contingency(table, correction=False)
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.02)


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


def test_missing_answers_are_left_out_and_unused_ones_are_no_cells():
    rows, columns = [0, 0, 1, 1, 3, 3, -1], [0, 1, 0, 1, 0, 1, 0]
    found = rao_scott(rows, columns, SurveyDesign(np.ones(7)))
    assert found.n == 6
    assert found.chi_square == pytest.approx(0)


def test_one_answer_alone_gives_no_test():
    found = rao_scott([0, 0, 0], [0, 1, 1], SurveyDesign(np.ones(3)))
    assert np.isnan([found.f, found.p_value]).all()
    with pytest.raises(InputError, match="no row with both answers"):
        rao_scott([-1, 0], [0, -1], SurveyDesign(np.ones(2)))


def test_a_question_by_itself_has_too_many_empty_cells_to_test():
    answers = np.array([0, 1, 2] * 4)
    found = rao_scott(answers, answers, SurveyDesign(np.ones(12)))
    assert np.isnan(found.p_value)
    assert found.n == 12
