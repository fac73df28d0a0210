"""Tests of codes between groups."""

import numpy as np
import pytest

from semscale.coding.coding_decisions import Thresholds, decide
from semscale.coding.summary.code_shares import HandSample
from semscale.coding.summary.group_tests import group_tests
from semscale.stats.calibration.corrected_groups import corrected_group_test
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.survey.association import rao_scott
from semscale.stats.survey.design import SurveyDesign
from semscale.types import Status


def decisions(values):
    values = np.asarray(values, dtype=float)[:, None]
    return decide(values, np.array([Status.SCORED] * len(values), dtype=object), [Thresholds()])


@pytest.fixture
def misled():
    """A coder who gives the code twice as often in the second of two groups, where people do not."""
    labels = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 40)
    group = np.repeat([0, 1], 100)
    scores = np.where(labels == 1, 0.9, 0.1)
    scores[(group == 1) & (np.arange(200) % 5 == 1)] = 0.9
    hand = np.where(np.arange(200) % 10 < 5, labels, np.nan)
    return decisions(scores), HandSample(scores[:, None], hand[:, None]), group


def test_corrected_shares_are_compared_where_people_coded(misled):
    coded, hand, groups = misled
    (test,) = group_tests(coded, ["price"], groups, hand)
    masks = [groups == 0, groups == 1]
    expected = corrected_group_test(hand.held_out[:, 0], hand.labels[:, 0], masks, bounds=(0, 1))
    assert (test.kind, test.tested) == ("corrected", (0, 1))
    assert test.p_value == expected.p_value
    assert test.p_value > 0.2
    (counted,) = group_tests(coded, ["price"], groups)
    assert counted.kind == "counted"
    assert counted.p_value < 0.005  # 20 and 40 of 100 each: chi-squared 9.52


def test_few_hand_coded_answers_leave_the_codes_that_were_given(misled):
    coded, hand, groups = misled
    few = HandSample(hand.held_out, np.where(np.arange(200)[:, None] < 109, hand.labels, np.nan))
    (test,) = group_tests(coded, ["price"], groups, few)
    assert test.kind == "counted"


def test_weighted_codes_are_compared_by_rao_and_scott(misled):
    coded, _, groups = misled
    design = SampleDesign(weights=np.tile([1.0, 3.0], 100), clusters=np.arange(200) // 2)
    (test,) = group_tests(coded, ["price"], groups, design=design)
    expected = rao_scott(
        coded.given[:, 0].astype(int),
        groups,
        SurveyDesign(design.weights, clusters=design.clusters),
    )
    assert (test.kind, test.p_value) == ("counted, weighted", expected.p_value)


def test_groups_are_tested_code_by_code_and_small_ones_left_out():
    # 20 of 50 and 30 of 50: chi-squared 4, p .0455; the third group has 10 answers only
    values = np.array([0.9] * 20 + [0.1] * 30 + [0.9] * 30 + [0.1] * 20 + [0.9] * 10)
    group = np.repeat([0, 1, 2], [50, 50, 10])
    (test,) = group_tests(decisions(values), ["price"], group)
    assert test.p_value == pytest.approx(0.0455, abs=1e-4)
    assert (test.adjusted, test.tested) == (test.p_value, (0, 1))


def test_one_group_that_is_large_enough_cannot_be_tested():
    (test,) = group_tests(decisions([0.9, 0.1] * 20), ["price"], (np.arange(40) >= 35).astype(int))
    assert np.isnan(test.p_value)
    assert np.isnan(test.adjusted)


def test_a_weighted_test_of_a_sample_leaves_out_groups_with_few_sampled_answers():
    # Each of three groups has 40 answers, but the sample has only five of the third.
    coded, group = decisions([0.9, 0.1, 0.1, 0.9, 0.1] * 24), np.repeat([0, 1, 2], 40)
    design = SampleDesign(weights=np.tile([1.0, 2.0, 3.0], 40))
    (whole,) = group_tests(coded, ["price"], group, design=design)
    assert whole.tested == (0, 1, 2)
    drawn = np.arange(120) < 85
    (test,) = group_tests(coded, ["price"], group, design=design, drawn=drawn)
    expected = rao_scott(
        coded.given[:80, 0].astype(int), group[:80], SurveyDesign(np.tile([1.0, 2.0, 3.0], 40)[:80])
    )
    assert test.tested == (0, 1)
    assert test.p_value == pytest.approx(expected.p_value, rel=0.01)
