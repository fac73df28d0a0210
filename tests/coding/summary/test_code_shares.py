"""Counted and corrected shares, and tests between groups."""

import numpy as np
import pytest

from semscale.coding.coding_decisions import Thresholds, decide
from semscale.coding.summary.code_shares import HandSample, code_shares, weighted_shares
from semscale.stats.calibration.prediction_powered import prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.intervals.shares import wilson_interval
from semscale.types import Status


def decisions(values, status=None):
    values = np.asarray(values, dtype=float)[:, None]
    read = [Status.SCORED] * len(values) if status is None else status
    return decide(values, np.array(read, dtype=object), [Thresholds()])


def test_unsure_answers_count_for_no_share_and_unread_ones_for_nothing():
    found = decisions([0.9, 0.8, 0.1, 0.4, np.nan], [Status.SCORED] * 4 + [Status.EMPTY])
    (share,) = code_shares(found, ["price"], np.ones(5, dtype=bool), None)
    assert (share.n, share.n_given, share.n_unsure) == (3, 2, 1)
    assert share.counted == wilson_interval(2, 3)
    assert share.corrected is None
    assert share.has_small_base
    (enough,) = code_shares(found, ["price"], np.ones(5, dtype=bool), None, min_base=3)
    assert not enough.has_small_base


def test_the_corrected_share_is_the_prediction_powered_mean_of_readable_answers():
    rng = np.random.default_rng(1)
    scores, labels = rng.uniform(size=200), np.full(200, np.nan)
    labels[:60] = rng.uniform(size=60) < scores[:60]
    found = decisions(scores)
    rows = np.arange(200) < 150
    (share,) = code_shares(found, ["price"], rows, HandSample(scores[:, None], labels[:, None]))
    expected = prediction_powered_mean(scores[:150], labels[:150], bounds=(0, 1))
    assert share.corrected.value == expected.value
    assert (share.corrected.low, share.corrected.high) == (expected.low, expected.high)


def test_rare_draws_count_more():
    # all have the same score: Hajek's mean of the labels, 5 * 1 / .5 over 5 / .5 + 5 / .1
    labels = np.array([1.0] * 5 + [0.0] * 5)
    inclusion = np.array([0.5] * 5 + [0.1] * 5)
    found = decisions(np.full(10, 0.6))
    sample = HandSample(np.full((10, 1), 0.6), labels[:, None], inclusion)
    (share,) = code_shares(found, ["price"], np.ones(10, dtype=bool), sample)
    assert share.corrected.value == pytest.approx(10 / 60)


def test_a_group_without_a_label_has_no_corrected_share():
    sample = HandSample(np.full((4, 1), 0.6), np.array([[1.0], [0], [np.nan], [np.nan]]))
    (share,) = code_shares(decisions([0.6] * 4), ["price"], np.arange(4) > 1, sample)
    assert share.corrected is None


def test_weights_count_in_shares_and_rows_without_one_do_not():
    # decided answers weigh 1, 3 and 4; the code is given to the second: 3 / 8. The last one has no weight
    found = decisions([0.1, 0.9, 0.1, 0.9])
    design = SampleDesign(weights=np.array([1.0, 3, 4, np.nan]))
    (share,) = code_shares(found, ["price"], np.ones(4, dtype=bool), None, design=design)
    assert share.counted.value == pytest.approx(3 / 8)
    assert (share.n, share.n_given) == (3, 1)


def test_answers_of_one_person_say_less_than_answers_of_many():
    found = decisions([0.9] * 20 + [0.1] * 20)
    rows = np.ones(40, dtype=bool)
    (many,) = code_shares(found, ["price"], rows, None, design=SampleDesign(clusters=np.arange(40)))
    (few,) = code_shares(found, ["price"], rows, None, design=SampleDesign(clusters=np.arange(40) // 4))
    assert many.counted.value == few.counted.value == 0.5
    assert few.counted.high - few.counted.low > 1.5 * (many.counted.high - many.counted.low)


def test_weights_count_in_corrected_shares():
    # one score for all: Hajek's mean of the labels, 5 * 4 over 5 * 4 + 5 * 1
    sample = HandSample(np.full((10, 1), 0.6), np.array([1.0] * 5 + [0.0] * 5)[:, None])
    design = SampleDesign(weights=np.array([4.0] * 5 + [1.0] * 5))
    (share,) = code_shares(decisions([0.6] * 10), ["price"], np.ones(10, dtype=bool), sample, design=design)
    assert share.corrected.value == pytest.approx(20 / 25)


@pytest.mark.parametrize("at_once", [1, 500])
def test_weighted_shares_of_groups_together_are_those_of_each_group_alone(monkeypatch, at_once):
    monkeypatch.setattr("semscale.coding.summary.code_shares._AT_ONCE", at_once)
    # 60 answers of 30 people in four groups: nobody decided in the third, and the last has no weight.
    values = np.tile([0.9, 0.1, 0.4, 0.7, 0.2], 12)
    groups = np.repeat([0, 1, 2, 3, -1], [25, 20, 5, 5, 5])
    values[45:50] = 0.4
    weights = np.tile([1.0, 2.0, np.nan], 20)
    weights[50:55] = 0.0
    design = SampleDesign(weights=weights, clusters=np.arange(60) // 2)
    found, drawn = decisions(values), np.arange(60) % 7 > 0
    for sampled in (None, drawn):
        together = weighted_shares(found, groups, 4, design, drawn=sampled)
        for group in (0, 1):
            (alone,) = code_shares(found, ["price"], groups == group, None, design=design, drawn=sampled)
            (share,) = together[group]
            assert (share.value, share.low, share.high) == pytest.approx(
                (alone.counted.value, alone.counted.low, alone.counted.high), rel=1e-12
            )
        assert all(np.isnan(together[group][0].value) for group in (2, 3))
    # 25 answers: five times given 1, not 1, unsure, given 1, not 1 by weights 1, 2 and none in turn
    counted = ~np.isnan(weights[:25]) & (values[:25] != 0.4)
    share = weights[:25][counted & (values[:25] > 0.5)].sum() / weights[:25][counted].sum()
    assert weighted_shares(found, groups, 4, design)[0][0].value == pytest.approx(share)
