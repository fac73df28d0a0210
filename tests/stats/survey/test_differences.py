"""Differences between groups, columns and samples."""

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.differences import (
    group_differences,
    independent_differences,
    paired_differences,
)
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.replication import jackknife_replicates


def two_waves(seed=0, n=40, missing=0.2):
    """Answers of the same people in two waves, with gaps, and their weights."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=n)
    second = first + 0.5 + rng.normal(0, 0.3, n)
    for wave in (first, second):
        wave[rng.random(n) < missing] = np.nan
    return first, second, rng.uniform(1, 3, n)


def test_columns_of_the_same_people_equal_stacked_waves_with_people_as_clusters():
    first, second, weights = two_waves()
    columns = paired_differences(first, second, SurveyDesign(weights))
    people = np.tile(np.arange(len(first)), 2)
    stacked = survey_means(
        np.concatenate([first, second]),
        SurveyDesign(np.tile(weights, 2), clusters=people),
        groups=np.repeat([0, 1], len(first)),
    )
    waves = group_differences(stacked)
    assert waves.values == pytest.approx(columns.values)
    assert waves.standard_errors == pytest.approx(columns.standard_errors)
    assert waves.df == columns.df
    assert waves.p_values == pytest.approx(columns.p_values)


def test_a_paired_difference_without_gaps_is_the_mean_of_differences():
    first, second, weights = two_waves(missing=0)
    pairs = survey_means(second - first, SurveyDesign(weights))
    for design in (SurveyDesign(weights), jackknife_replicates(SurveyDesign(weights))):
        columns = paired_differences(second, first, design)
        assert columns.values == pytest.approx(pairs.values)
    assert paired_differences(second, first, SurveyDesign(weights)).standard_errors == pytest.approx(
        pairs.standard_errors
    )


def test_columns_are_compared_in_blocks(monkeypatch):
    pairs = [two_waves(seed) for seed in range(3)]
    first, second = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
    made, groups = SurveyDesign(pairs[0][2]), np.arange(40) % 2
    whole = paired_differences(first, second, made, groups=groups)
    monkeypatch.setattr("semscale.stats.survey.means._NUMBERS_AT_ONCE", 80)  # two columns of 40 rows
    blocks = paired_differences(first, second, made, groups=groups)
    for name in ("values", "standard_errors", "df"):
        np.testing.assert_array_equal(getattr(blocks, name), getattr(whole, name))


def test_independent_samples_are_welch_s_test():
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1, 12), rng.normal(0.8, 2, 20)
    found = independent_differences(
        *(survey_means(sample, SurveyDesign(np.ones(len(sample)))) for sample in (first, second))
    )
    welch = stats.ttest_ind(first, second, equal_var=False)
    assert found.p_values[0, 0] == pytest.approx(welch.pvalue)
    assert found.df[0, 0] == pytest.approx(welch.df)
    low, high = found.interval(0.9)
    expected = welch.confidence_interval(0.9)
    assert [low[0, 0], high[0, 0]] == pytest.approx([expected.low, expected.high])


def test_pairs_of_groups_stand_once():
    y = np.array([1.0, 2, 4, 5, 9, 8])
    found = group_differences(survey_means(y, SurveyDesign(np.ones(6)), groups=[0, 0, 1, 1, 2, 2]))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert found.values.tolist() == [[-3.0, -7.0, -4.0]]


def test_adjustment_counts_the_tests_of_the_table_that_are_made():
    y = np.array([1.0, 2, 4, 5, 9, 8])
    found = group_differences(survey_means(y, SurveyDesign(np.ones(6)), groups=[0, 0, 1, 1, 2, 2]))
    p = found.p_values[0]
    tested = np.array([[True, False, True]])
    holm = found.adjusted_p_values("holm", tested)[0]
    assert np.isnan(holm[1])
    least = min(p[0], p[2])
    assert np.nanmin(holm) == pytest.approx(min(1.0, 2 * least))
    assert found.adjusted_p_values(None).tolist() == found.p_values.tolist()


def test_what_does_not_vary_or_is_not_there_is_not_tested():
    same = group_differences(survey_means(np.ones(4), SurveyDesign(np.ones(4)), groups=[0, 0, 1, 1]))
    assert same.values.tolist() == [[0.0]]
    assert np.isnan(same.p_values).all()
    absent = group_differences(survey_means([1.0, 2.0], SurveyDesign(np.ones(2)), groups=[0, 0], n_groups=2))
    assert np.isnan(absent.values).all()
    assert np.isnan(absent.standard_errors).all()


def test_samples_and_columns_must_fit():
    one = survey_means(np.ones((3, 2)), SurveyDesign(np.ones(3)))
    other = survey_means(np.ones(3), SurveyDesign(np.ones(3)))
    with pytest.raises(InputError, match="the same columns and groups"):
        independent_differences(one, other)
    with pytest.raises(InputError, match="the same shape"):
        paired_differences(np.ones((3, 2)), np.ones(3), SurveyDesign(np.ones(3)))
