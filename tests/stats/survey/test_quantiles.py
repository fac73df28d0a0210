"""Weighted quantiles by hand."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.quantiles import survey_quantiles


@pytest.mark.parametrize(("rule", "median"), [("math", 2.0), ("school", 3.0)])
def test_the_median_of_an_even_number_depends_on_the_rule(rule, median):
    found = survey_quantiles([4.0, 1.0, 2.0, 9.0], SurveyDesign(np.ones(4)), [0.5], rule=rule)
    assert found.values.tolist() == [[[median]]]


def test_groups_and_columns_have_quantiles_of_their_own_and_missing_values_count_nowhere():
    y = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0], [8.0, np.nan]])
    found = survey_quantiles(y, SurveyDesign(np.array([1.0, 1, 3, 1])), [0.25, 0.5], groups=[0, 0, 0, 1])
    assert found.values[0].tolist() == [[1.0, 3.0], [8.0, 8.0]]
    assert found.values[1, 0].tolist() == [6.0, 7.0]
    assert np.isnan(found.values[1, 1]).all()


def test_an_end_that_no_value_can_have_is_missing():
    found = survey_quantiles(np.arange(10.0), SurveyDesign(np.ones(10)), [0.05, 0.5, 0.95])
    # At .95 the quantile is the greatest value, at or below which are all rows.
    assert np.isnan(found.low[0, 0]).tolist() == [True, False, True]
    assert np.isnan(found.high[0, 0]).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"probabilities": [0, 0.5]}, "probabilities must be between 0 and 1"),
        ({"probabilities": [0.5], "rule": "median"}, "rule must be 'math' or 'school'"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        survey_quantiles(np.arange(3.0), SurveyDesign(np.ones(3)), **settings)
