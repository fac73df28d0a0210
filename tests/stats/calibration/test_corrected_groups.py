"""Tests of corrected means between groups."""

import numpy as np
import pytest
from scipy import stats

from semscale.stats.calibration.corrected_groups import corrected_group_test
from semscale.stats.calibration.sample_design import SampleDesign

RNG = np.random.default_rng(3)


def masks(group):
    return [group == one for one in np.unique(group)]


def test_without_a_telling_score_two_groups_are_compared_by_welchs_t_test():
    labels = RNG.uniform(size=45)
    group = np.repeat([0, 1], [15, 30])
    found = corrected_group_test(np.full(45, 0.5), labels, masks(group), bounds=(0, 1))
    expected = stats.ttest_ind(labels[:15], labels[15:], equal_var=False)
    assert found.f == pytest.approx(expected.statistic**2)
    assert found.df_below == pytest.approx(expected.df)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_three_groups_are_compared_by_welchs_analysis_of_variance():
    # Welch's formula with w = n / s^2, written out for three groups
    labels, group = RNG.uniform(size=60), np.repeat([0, 1, 2], [10, 20, 30])
    found = corrected_group_test(np.full(60, 0.5), labels, masks(group), bounds=(0, 1))
    n = np.array([10, 20, 30])
    mean = np.array([labels[rows].mean() for rows in masks(group)])
    w = n / np.array([labels[rows].var(ddof=1) for rows in masks(group)])
    lost = ((1 - w / w.sum()) ** 2 / (n - 1)).sum()
    between = (w * (mean - (w * mean).sum() / w.sum()) ** 2).sum() / 2
    assert found.f == pytest.approx(between / (1 + 2 / 8 * lost))
    assert (found.df, found.df_below) == (2, pytest.approx(8 / 3 / lost))


def test_answers_of_the_same_people_in_both_groups_are_paired():
    first = RNG.uniform(0.2, 0.8, size=20)
    second = first + RNG.uniform(-0.1, 0.15, size=20)
    people = np.tile(np.arange(20), 2)
    found = corrected_group_test(
        np.full(40, 0.5),
        np.concatenate([first, second]),
        masks(np.repeat([0, 1], 20)),
        bounds=(0, 1),
        design=SampleDesign(clusters=people),
    )
    assert found.f == pytest.approx(stats.ttest_rel(first, second).statistic ** 2)


def test_equal_strata_take_out_the_differences_between_them():
    # each stratum has one mean in each group, so that nothing varies within it but a little noise
    stratum = np.tile(np.repeat([0, 1], 10), 2)
    labels = np.where(stratum == 1, 0.8, 0.2) + RNG.uniform(-0.01, 0.01, size=40)
    labels[20:] += 0.05
    groups = masks(np.repeat([0, 1], 20))
    plain = corrected_group_test(np.full(40, 0.5), labels, groups, bounds=(0, 1))
    stratified = corrected_group_test(
        np.full(40, 0.5), labels, groups, bounds=(0, 1), design=SampleDesign(strata=stratum)
    )
    # means differ by about .05; se is about .1 over both strata, and about .002 within them
    assert plain.p_value > 0.5
    assert stratified.p_value < 1e-6


def test_a_coder_who_errs_in_one_group_makes_no_difference():
    # people give the code to 30 of 100 in each group; the coder scores the second group higher throughout
    labels = np.tile([1.0] * 3 + [0.0] * 7, 20)
    group = np.repeat([0, 1], 100)
    scores = labels * 0.6 + group * 0.4
    labels[np.arange(200) % 10 >= 5] = np.nan
    labels[np.arange(200) % 10 == 4] = np.nan
    found = corrected_group_test(scores, labels, masks(group), bounds=(0, 1))
    assert found.p_value == pytest.approx(1.0)


def test_groups_with_fewer_than_ten_labels_are_left_out():
    labels = RNG.uniform(size=50)
    group = np.repeat([0, 1, 2], [9, 20, 21])
    found = corrected_group_test(np.full(50, 0.5), labels, masks(group), bounds=(0, 1))
    assert found.tested == (1, 2)
    alone = corrected_group_test(np.full(50, 0.5), labels, masks(group)[:2], bounds=(0, 1))
    assert alone.tested == (1,)
    assert np.isnan(alone.p_value)


def test_equal_shares_are_rejected_no_more_often_than_they_may_be():
    # 300 draws at a level of 5 %: more than 8.8 % has a chance of .2 % if the level holds
    rng = np.random.default_rng(11)
    groups, rejected = masks(np.repeat([0, 1], 200)), 0
    for _ in range(300):
        has = rng.uniform(size=400) < 0.1
        scores = 1 / (1 + np.exp(-2 * has - rng.normal(size=400) - np.repeat([0.0, 0.7], 200)))
        labels = np.full(400, np.nan)
        labels[rng.permutation(200)[:60]] = 0.0
        labels[200 + rng.permutation(200)[:60]] = 0.0
        labels = np.where(np.isnan(labels), np.nan, has.astype(float))
        rejected += corrected_group_test(scores, labels, groups, bounds=(0, 1)).p_value < 0.05
    assert rejected <= 26
