"""Design effects by hand."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.design_effects import kish_design_effect, mean_design_effects


def test_equal_weights_cost_nothing_and_rows_without_weight_do_not_count():
    assert kish_design_effect(np.full(7, 3.0)) == pytest.approx(1)
    assert kish_design_effect([2.0, 2.0, 0.0]) == pytest.approx(1)
    with pytest.raises(InputError, match="weights sum to 0"):
        kish_design_effect([0.0, 0.0])


def test_clusters_of_copies_have_their_size_as_design_effect():
    y = np.random.default_rng(0).normal(size=50)
    copies = SurveyDesign(np.ones(150), clusters=np.tile(np.arange(50), 3))
    # The variance is s ** 2 / 50 and the plain one s ** 2 (49 * 3 / 149) / 150.
    expected = 3 * 149 / (49 * 3)
    assert mean_design_effects(np.tile(y, 3), copies)[0, 0] == pytest.approx(expected)


def test_a_column_that_does_not_vary_has_none():
    assert np.isnan(mean_design_effects(np.ones(4), SurveyDesign(np.ones(4)))).all()
