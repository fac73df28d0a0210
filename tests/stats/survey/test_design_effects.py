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
    assert mean_design_effects(np.tile(y, 3), copies).overall[0, 0] == pytest.approx(expected)


def test_a_column_that_does_not_vary_has_none():
    effects = mean_design_effects(np.ones(4), SurveyDesign(np.ones(4)))
    assert np.isnan(effects.overall).all()
    assert np.isnan(effects.effective_n).all()


def test_stacked_columns_in_groups_have_both_effects_beside():
    y = np.array([1.0, 3, 2, 5, 4, np.nan])
    weights = np.array([1.0, 3, 1, 1, 2, 2])
    made = SurveyDesign(weights, clusters=[0, 0, 1, 1, 2, 2])
    effects = mean_design_effects(np.column_stack([y, 2 * y]), made, groups=[0, 0, 1, 1, 1, 1], n_groups=3)
    # Kish: 2 * (1 + 9) / 16 in the first group, 3 * (1 + 1 + 4) / 16 of the rows with a value in the second.
    assert effects.weighting[:, :2] == pytest.approx(np.array([[20 / 16, 18 / 16]] * 2))
    assert np.isnan(effects.weighting[:, 2]).all()
    # Second group: mean 15 / 4; influence in its clusters (2 + 5 - 7.5) / 4 and (8 - 7.5) / 4, so that the
    # variance is 3 / 2 * 2 / 64; the plain one is (3.0625 + 1.5625 + 2 / 16) / 4 / 2.
    expected = 3 / 64 / (4.75 / 8)
    assert effects.overall[:, 1] == pytest.approx([expected, expected])
    assert effects.rest[0, 1] == pytest.approx(expected / (18 / 16))
    assert effects.effective_n[0, 1] == pytest.approx(3 / expected)
    # The first group lies in one cluster, which leaves nothing to compare.
    assert np.isnan(effects.overall[:, [0, 2]]).all()
