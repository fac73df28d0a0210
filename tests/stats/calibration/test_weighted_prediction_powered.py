"""Corrected means with weights, clusters, and labels drawn with unequal probabilities."""

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.stats.calibration.prediction_powered import (
    WHOLE_SCALE,
    prediction_powered_mean,
    tuned_freedom,
)
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean

GAP = np.nan
WIDE = (-100.0, 100.0)


def corrected(scores, labels, bounds=WIDE, **design):
    design = SampleDesign(**{name: np.asarray(column) for name, column in design.items()})
    return weighted_prediction_powered_mean(
        np.asarray(scores, float), np.asarray(labels, float), bounds=bounds, design=design
    )


def ends(found):
    return [found.value, found.low, found.high, found.tuning]


def test_a_judge_that_never_differs_leaves_hajeks_mean_and_its_linearized_variance():
    # Weights 4, 2 and 1: mean (4 + 6 + 5) / 7. Parts 4/7 (1 - 15/7) = -32/49, 12/49 and 20/49, each
    # over 1 - share, 3/7, 5/7 and 6/7: -32/21, 12/35 and 10/21. Effective number 49 / 21, less 1.
    found = corrected([3, 3, 3, 3], [1, 3, 5, GAP], inclusion=[0.25, 0.5, 1, GAP])
    assert found.value == found.labels_only.value == pytest.approx(15 / 7)
    variance = 2 / 3 * ((32 / 21) ** 2 + (12 / 35) ** 2 + (10 / 21) ** 2)
    half = stats.t.ppf(0.975, 49 / 21 - 1) * np.sqrt(variance)
    assert [found.high - found.value, found.value - found.low] == pytest.approx([half, half])
    assert (found.tuning, found.method, found.n_labelled, found.n_unlabelled) == (0, "linearized", 3, 1)
    assert found.bias == pytest.approx(3 - 15 / 7)


def test_with_equal_probabilities_the_tuning_is_the_slope_of_labels_on_scores():
    # Labelled and other scores vary alike, so the tuning for the mean of all is the slope: products 3,
    # squares 2, to which four labels without a slope add 4 variances of 2 / 3 each: 3 / (2 + 8 / 3).
    found = corrected([1, 2, 3, 1, 2, 3], [1, 2, 4, GAP, GAP, GAP], inclusion=np.full(6, 0.5))
    assert found.tuning == pytest.approx(9 / 14)
    assert found.value == pytest.approx(7 / 3)


def test_a_few_labels_with_like_scores_do_not_carry_the_tuning_away():
    # The slope of the three labels is 200; with four more labels it is .04 / (.0002 + 4 x 2.1) or so.
    scores = np.r_[3.0, 3.01, 3.02, np.linspace(1, 5, 12), 4.0, 4.0]
    found = corrected(scores, [1, 3, 5, *[GAP] * 14], bounds=(1, 5), weights=np.ones(17))
    assert 0 < found.tuning < 0.01
    assert (found.note, found.labels_only.value) == (WHOLE_SCALE, pytest.approx(3))
    assert np.isnan([found.low, found.high, found.labels_only.low, found.labels_only.high]).all()


def test_weights_of_items_count_in_both_means():
    # All labels lie 1 above the scores: the value is between the labels' mean and the mean score + 1, and the
    # mean score is (1 + 2 + 3 + 4 x 10) / 13.
    found = corrected([1, 2, 3, 4], [2, 3, 4, GAP], weights=[1, 1, 1, 10])
    assert found.naive.value == pytest.approx(46 / 13)
    assert found.bias == pytest.approx(-1)
    assert 3 < found.value < 46 / 13 + 1
    assert found.value == pytest.approx(3 + found.tuning * (46 / 13 - 2))


def sampled(rng, n=60, total=800, people=200):
    """Five-point labels of respondents with weights; labels drawn more often where they are high."""
    person = rng.integers(0, people, total)
    inner = 0.8 * rng.normal(size=people)[person] + 0.6 * rng.normal(size=total)
    labels = np.clip(np.round(3 + inner), 1, 5)
    scores = 2.5 + 0.5 * inner + 0.35 * rng.normal(size=total)
    inclusion = n * (chances := np.exp(0.4 * inner)) / chances.sum()
    drawn = rng.random(total) < inclusion
    design = {"weights": np.exp(0.4 * inner), "inclusion": inclusion, "clusters": person}
    return scores, np.where(drawn, labels, GAP), design


def test_the_variance_is_near_that_of_a_jackknife_over_all_clusters():
    scores, labels, design = sampled(np.random.default_rng(3))
    found = corrected(scores, labels, **design)
    values = []
    for person in np.unique(design["clusters"]):
        kept = design["clusters"] != person
        values.append(corrected(scores[kept], labels[kept], **{k: v[kept] for k, v in design.items()}).value)
    m = len(values)
    error = np.sqrt((m - 1) / m * ((np.array(values) - np.mean(values)) ** 2).sum())
    shares = design["weights"] / design["inclusion"] * ~np.isnan(labels)
    shares = np.bincount(design["clusters"], shares / shares.sum())
    quantile = stats.t.ppf(0.975, tuned_freedom(1 / (shares**2).sum()))
    assert (found.high - found.low) / 2 == pytest.approx(quantile * error, rel=0.03)


def test_intervals_cover_where_those_that_ignore_the_design_do_not():
    labels, weights = _population()
    truth = np.average(labels, weights=weights)
    held, plain = [], []
    for seed in range(200):
        scores, labels, design = sampled(np.random.default_rng(seed))
        found = corrected(scores, labels, bounds=(1, 5), **design)
        ignored = prediction_powered_mean(scores, labels, bounds=(1, 5))
        held.append(found.low <= truth <= found.high)
        plain.append(ignored.low <= truth <= ignored.high)
    assert 0.9 <= np.mean(held) <= 0.99
    assert np.mean(plain) < 0.8


def _population():
    rng = np.random.default_rng(99)
    inner = rng.normal(size=1_000_000)  # variance .8 squared + .6 squared = 1
    return np.clip(np.round(3 + inner), 1, 5), np.exp(0.4 * inner)


def test_three_copies_of_each_persons_text_tell_no_more_than_one():
    scores, labels, design = sampled(np.random.default_rng(1))
    design["clusters"] = np.arange(len(scores))
    once = corrected(scores, labels, **design)
    thrice = corrected(
        np.tile(scores, 3),
        np.tile(labels, 3),
        **{name: np.tile(column, 3) for name, column in design.items()},
    )
    assert ends(thrice) == pytest.approx(ends(once))


def test_the_unit_of_weights_the_scale_of_scores_and_the_order_do_not_matter():
    scores, labels, design = sampled(np.random.default_rng(2))
    found = corrected(scores, labels, **design)
    heavier = corrected(scores, labels, **{**design, "weights": 7 * design["weights"]})
    other = corrected(10 - 4 * scores, labels, **design)
    order = np.random.default_rng(0).permutation(len(scores))
    shuffled = corrected(scores[order], labels[order], **{name: one[order] for name, one in design.items()})
    for one in (heavier, shuffled):
        assert ends(one) == pytest.approx(ends(found))
    assert ends(other)[:3] == pytest.approx(ends(found)[:3])


def test_a_value_and_its_interval_stay_within_the_bounds():
    # The mean label is 4.15, labels rise by 2.8 where scores rise by 1, and all scores are .47 higher.
    scores, labels = np.r_[[1] * 3, [2] * 10, [2.3] * 100], np.r_[1, 1, 4, [5] * 8, 4, 4, [GAP] * 100]
    found = corrected(scores, labels, bounds=(1, 5), weights=np.ones(113))
    assert found.value == found.high == 5
    assert 1 <= found.low < 5


def test_labels_that_are_all_alike_still_leave_a_doubt():
    found = corrected(np.arange(8), [5, 5, 5, 5, *[GAP] * 4], bounds=(1, 5), inclusion=np.full(8, 0.5))
    assert (found.value, found.high, found.method) == (5, 5, "linearized with added labels")
    assert found.low < 4.5
    assert found.labels_only.low < 4.5


def test_items_without_weight_or_score_are_left_out_and_counted():
    found = corrected([1, 2, 3, 4, GAP, 9, 9], [1, 2, 4, GAP, 3, GAP, 2], weights=[1, 1, 1, 1, 1, 0, GAP])
    alone = corrected([1, 2, 3, 4], [1, 2, 4, GAP], weights=np.ones(4))
    assert ends(found) == ends(alone)
    assert (found.n_labelled, found.n_unlabelled, found.n_left_out) == (3, 1, 3)


def test_labels_of_two_respondents_give_a_value_without_an_interval():
    found = corrected([1, 2, 3, 4], [1, 2, 4, GAP], clusters=[7, 7, 9, 8])
    assert found.value == pytest.approx(7 / 3)
    assert np.isnan([found.low, found.high, found.labels_only.low]).all()
    assert found.method is None
    assert found.note == "an interval needs 3 labels or more, each from another respondent"


def test_without_a_label_there_is_nothing_but_the_mean_score():
    found = corrected([1, 2], [GAP, GAP], weights=[1, 3])
    assert np.isnan([found.value, found.low, found.bias]).all()
    assert found.naive.value == 1.75


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"inclusion": [0.5, 0, 1, 1]}, "above 0 to 1, got 0 in row 2"),
        ({"inclusion": [0.5, 0.5, 1, 2]}, "above 0 to 1, got 2 in row 4"),
        ({"inclusion": [0.5, GAP, 1, 1]}, "row 2 has a label alone"),
        ({"inclusion": [0.5]}, "inclusion must have 4 rows"),
        ({"weights": [1, 1, 1, -1]}, "weights must be finite and >= 0"),
        ({"weights": [1, 1]}, "weights and clusters must have 4 rows"),
    ],
)
def test_a_wrong_design_is_refused(design, message):
    with pytest.raises(InputError, match=message):
        corrected([1, 2, 3, 4], [1, 2, 4, GAP], **design)


ALONE = "no interval, as more than two thirds of the weight is on "


@pytest.mark.parametrize(
    ("design", "one"),
    [
        ({"weights": [1e17, 1, 1, 1, 1, 1]}, "one label"),
        ({"inclusion": [1e-18, 1, 1, 1, GAP, GAP]}, "one label"),
        # Shares of the labels' weight .85 and three times .05: 1 / (.7225 + .0075) = 1.37 effective labels.
        ({"weights": [17, 1, 1, 1, 50, 50]}, "one label"),
        ({"weights": [17, 1, 1, 1, 50, 50], "clusters": np.arange(6)}, "the labels of one respondent"),
        ({"weights": [1, 1, 1, 1, 1e17, 1]}, "one item"),
        ({"weights": [1, 1, 1, 1, 45, 1], "clusters": np.arange(6)}, "one respondent"),
    ],
)
def test_one_item_with_most_of_the_weight_gives_a_value_without_an_interval(design, one):
    found = corrected([1, 2, 3, 4, 5, 6], [2, 2, 4, 5, GAP, GAP], bounds=(1, 5), **design)
    assert found.value == found.labels_only.value
    assert np.isnan([found.low, found.high, found.labels_only.low, found.labels_only.high]).all()
    assert (found.method, found.note) == (None, ALONE + one)


def test_two_labels_with_equal_halves_of_the_weight_are_enough():
    # Effective number of labels 2, a little more with the two light ones.
    found = corrected([1, 2, 3, 4, 5, 6], [2, 2, 4, 5, GAP, GAP], weights=[90, 90, 1, 1, 1, 1])
    assert found.note is None
    assert np.isfinite([found.low, found.high]).all()
