"""Shares, counts, tests between groups, and pairs of codes."""

import numpy as np
import pytest

from semscale.coding.code_shares import (
    CodeCounts,
    CodedSample,
    HandLabels,
    PairCounts,
    code_shares,
    group_tests,
)
from semscale.coding.coding import decide
from semscale.coding.settings import CodeSettings
from semscale.stats.intervals import clopper_pearson_ends, wilson_interval
from semscale.stats.prediction_powered import corrected_group_test, prediction_powered_mean
from semscale.stats.sampling import SampleDesign
from semscale.stats.significance import rao_scott
from semscale.stats.survey_designs import SurveyDesign


def coded(values, readable=None, **settings):
    """Answers of one code, assigned from 0.5 and unsure from 0.3."""
    assigned = decide(
        np.asarray(values, dtype=float)[:, None], [CodeSettings(given_from=0.5, unsure_from=0.3)]
    )
    readable = np.ones(len(values), dtype=bool) if readable is None else np.array(readable)
    return CodedSample(assigned, readable, **settings)


def counts_of(sample, groups, n_groups):
    counts = CodeCounts(1, n_groups)
    counts.add(groups, sample)
    return counts


def share_of(sample, rows=True, **settings):
    """The share of one code in some rows, which are all answers of their group."""
    groups = np.where(np.broadcast_to(rows, len(sample.readable)), 0, -1)
    (share,) = code_shares(sample, ["price"], groups, counts_of(sample, groups, 1), **settings)
    return share


def group_test(sample, groups):
    names = list("abc")[: groups.max() + 1]
    counts = counts_of(sample, groups, len(names))
    (test,) = group_tests(sample, ["price"], groups, counts, names=names, by="region")
    return test


def test_unsure_answers_count_for_all_or_nothing_at_the_ends_and_unread_answers_do_not_count():
    answers = coded([0.9, 0.8, 0.1, 0.4, np.nan], [True] * 4 + [False])
    share = share_of(answers)
    assert (share.n, share.n_assigned, share.n_unsure) == (3, 2, 1)
    # The unsure answer has the code or not: from the lower end of 2 of 4 to the upper end of 3 of 4.
    lower, upper = wilson_interval(2, 4), wilson_interval(3, 4)
    assert (share.counted.value, share.counted.low, share.counted.high) == (0.5, lower.low, upper.high)
    assert share.high_without_unsure == lower.high
    assert share.corrected is None
    assert share.has_small_base
    assert not share_of(answers, min_base=3).has_small_base


def test_unsure_answers_count_for_their_probabilities():
    values = np.array([0.9, 0.8, 0.1, 0.4])
    share = share_of(coded(values, probability=values[:, None]))
    # 1 + 1 + 0 + .4 of 4
    assert share.counted == wilson_interval(2.4, 4)
    assert share.high_without_unsure == share.counted.high
    assert share.counted.value == pytest.approx(0.6)


@pytest.mark.parametrize("weights", [None, np.tile([1.0, 3.0], 250)], ids=["plain", "weighted"])
def test_intervals_with_unsure_answers_contain_the_share_of_the_population(weights):
    # Of all answers 30 % have the code and 30 % are unsure with probability .4: the share is .42. Intervals
    # are those of tossed answers, and so contain it a little more often than in 95 % of samples.
    rng, inside = np.random.default_rng(0), 0
    for _ in range(300):
        values = rng.choice([1.0, 0.4, 0.0], size=500, p=[0.3, 0.3, 0.4])
        design = SampleDesign() if weights is None else SampleDesign(weights=weights)
        counted = share_of(coded(values, design=design, probability=values[:, None])).counted
        inside += counted.low <= 0.42 <= counted.high
    assert 285 <= inside < 300


def test_the_variance_of_an_unsure_answer_is_that_of_a_toss():
    # All of 50 answers are unsure with probability .4: their values do not differ, but what they are does.
    # The variance of the share is .4 .6 / 50, so that the effective number of answers is 50 (times the
    # quantiles of t, which are equal).
    probability = np.full((50, 1), 0.4)
    unsure = coded([0.4] * 50, design=SampleDesign(weights=np.ones(50)), probability=probability)
    (low,), (high,) = clopper_pearson_ends(np.array([0.4]), 50, 0.95)
    counted = share_of(unsure).counted
    assert (counted.value, counted.low, counted.high) == pytest.approx((0.4, low, high))


def rated(ratings, **settings):
    """Answers with one code and these ratings from 1 to 5; NaN without the code."""
    sentiment = np.array(ratings)[:, None]
    assigned = np.where(np.isnan(sentiment), 0.0, 1.0)
    positive = np.where(np.isnan(sentiment), np.nan, sentiment > 3)
    readable = np.ones(len(ratings), dtype=bool)
    return CodedSample(assigned, readable, sentiment=sentiment, positive=positive, **settings)


def test_sentiment_is_that_of_the_answers_with_the_code():
    sentiment = share_of(rated([5.0, 4.0, 2.0, np.nan])).sentiment
    assert (sentiment.n, sentiment.n_positive) == (3, 2)
    assert sentiment.positive == wilson_interval(2, 3)
    # Mean 11 / 3, squared deviations 14 / 3. A group of random size among 4 answers has the standard error
    # sqrt(4 / 3 * 14 / 3) / 3, t with 2 degrees of freedom is 4.3027.
    mean = sentiment.mean
    assert (mean.value, mean.high - mean.value) == pytest.approx((11 / 3, 3.5776), abs=1e-4)


def test_weights_and_respondents_count_in_sentiment():
    # Weights 1 of 5 stars, 3 of 1 star: a quarter is positive, the mean is 2.
    design = SampleDesign(weights=np.tile([1.0, 3.0], 10))
    sentiment = share_of(rated([5.0, 1.0] * 10, design=design)).sentiment
    assert (sentiment.positive.value, sentiment.mean.value) == pytest.approx((0.25, 2.0))
    alone, together = (
        share_of(rated([5.0, 5.0, 1.0, 1.0] * 5, design=SampleDesign(clusters=clusters))).sentiment
        for clusters in (np.arange(20), np.arange(20) // 2)
    )
    for wide, narrow in ((together.positive, alone.positive), (together.mean, alone.mean)):
        assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def test_without_ratings_there_is_no_sentiment():
    assert share_of(coded([0.9, 0.1])).sentiment is None
    sentiment = share_of(rated([np.nan, np.nan])).sentiment
    assert sentiment.n == 0
    assert np.isnan([sentiment.positive.value, sentiment.mean.value]).all()


def test_the_corrected_share_is_the_prediction_powered_mean_of_readable_answers():
    rng = np.random.default_rng(1)
    scores, labels = rng.uniform(size=200), np.full(200, np.nan)
    labels[:60] = rng.uniform(size=60) < scores[:60]
    share = share_of(coded(scores, hand=HandLabels(scores[:, None], labels[:, None])), np.arange(200) < 150)
    expected = prediction_powered_mean(scores[:150], labels[:150], bounds=(0, 1))
    assert share.corrected.value == expected.value
    assert (share.corrected.low, share.corrected.high) == (expected.low, expected.high)


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        # all have the same score: Hajek's mean of the labels, 5 * 1 / .5 over 5 / .5 + 5 / .1
        (SampleDesign(inclusion=np.array([0.5] * 5 + [0.1] * 5)), 10 / 60),
        # likewise 5 * 4 over 5 * 4 + 5 * 1
        (SampleDesign(weights=np.array([4.0] * 5 + [1.0] * 5)), 20 / 25),
    ],
    ids=["rare draws count more", "weights count"],
)
def test_corrected_shares_are_means_by_weights_and_draws(design, expected):
    hand = HandLabels(np.full((10, 1), 0.6), np.array([1.0] * 5 + [0.0] * 5)[:, None], design)
    assert share_of(coded([0.6] * 10, hand=hand)).corrected.value == pytest.approx(expected)


def test_a_group_without_a_label_has_no_corrected_share():
    hand = HandLabels(np.full((4, 1), 0.6), np.array([[1.0], [0], [np.nan], [np.nan]]))
    assert share_of(coded([0.6] * 4, hand=hand), np.arange(4) > 1).corrected is None


def test_weights_count_in_shares_and_rows_without_weight_do_not():
    # answers weigh 1, 3 and 4; the second has the code: 3 / 8. The last one has no weight
    design = SampleDesign(weights=np.array([1.0, 3, 4, np.nan]))
    share = share_of(coded([0.1, 0.9, 0.1, 0.9], design=design))
    assert share.counted.value == pytest.approx(3 / 8)
    assert (share.n, share.n_assigned) == (3, 1)


def test_repeated_answers_of_a_person_widen_the_interval():
    many, few = (
        share_of(coded([0.9] * 20 + [0.1] * 20, design=SampleDesign(clusters=clusters))).counted
        for clusters in (np.arange(40), np.arange(40) // 4)
    )
    assert many.value == few.value == 0.5
    assert few.high - few.low > 1.5 * (many.high - many.low)


@pytest.mark.parametrize("at_once", [1, 500])
def test_weighted_shares_of_all_groups_equal_those_of_single_groups(monkeypatch, at_once):
    monkeypatch.setattr("semscale.coding.code_shares._GROUPS_AT_ONCE", at_once)
    # 60 answers of 30 people in four groups: nobody decided in the third, and the last has no weight.
    values = np.tile([0.9, 0.1, 0.4, 0.7, 0.2], 12)
    groups = np.repeat([0, 1, 2, 3, -1], [25, 20, 5, 5, 5])
    values[45:50] = 0.4
    weights = np.tile([1.0, 2.0, np.nan], 20)
    weights[50:55] = 0.0
    design = SampleDesign(weights=weights, clusters=np.arange(60) // 2)
    for drawn in (None, np.arange(60) % 7 > 0):
        sample = coded(values, design=design, drawn=drawn)
        together = code_shares(
            sample, ["price"], groups, counts_of(sample, groups, 4), names=list("abcd"), by="region"
        )
        for group in (0, 1):
            alone, share = share_of(sample, groups == group).counted, together[group]
            assert (share.counted.value, share.counted.low, share.counted.high) == pytest.approx(
                (alone.value, alone.low, alone.high), rel=1e-12
            )
        assert (together[2].counted.value, together[2].n) == (0, 0)
        assert np.isnan(together[3].counted.value)
    # 25 answers: five times assigned, not, unsure, assigned, not by weights 1, 2 and none in turn
    weighted = ~np.isnan(weights[:25])
    expected = weights[:25][weighted & (values[:25] > 0.5)].sum() / weights[:25][weighted].sum()
    share = share_of(coded(values, design=design), groups == 0)
    assert share.counted.value == pytest.approx(expected)


ASSIGNED = np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, 0.0], [1.0, 1.0]])
GROUPS = np.array([0, 2, 2, -1])
COUNTING = np.array([True, True, False, True])


def shown(counts):
    return {name: values.tolist() for name, values in vars(counts).items()}


def test_answers_count_in_their_group_alone_and_only_those_that_can_be_read():
    counts = CodeCounts(2)
    counts.add(GROUPS, CodedSample(ASSIGNED, COUNTING, SampleDesign(np.array([2.0, 3.0, np.nan, 5.0]))))
    # the second answer's first code is undecided; the third has neither a weight nor a part in the base
    assert shown(counts) == {
        "rows": [1, 0, 2],
        "base": [1, 0, 1],
        "weight": [2.0, 0.0, 3.0],
        "decided": [[1, 1], [0, 0], [0, 1]],
        "assigned": [[1, 0], [0, 0], [0, 1]],
        "value": [[1, 0], [0, 0], [0, 1]],
        "most": [[1, 0], [0, 0], [1, 1]],
        "rated": [[0, 0]] * 3,
        "positive": [[0, 0]] * 3,
    }


def test_parts_add_up_even_if_a_later_part_adds_a_group():
    whole, parts = CodeCounts(2), CodeCounts(2)
    whole.add(GROUPS, CodedSample(ASSIGNED, COUNTING))
    for some in (slice(0, 1), slice(1, 2), slice(2, 4)):
        parts.add(GROUPS[some], CodedSample(ASSIGNED[some], COUNTING[some]))
    assert shown(parts) == shown(whole)
    assert shown(whole.some([2, 0]))["decided"] == [[0, 1], [1, 1]]


def misled(n_labelled=200):
    """A coder who assigns the code twice as often in the second of two groups, where people do not."""
    labels = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 40)
    scores = np.where(labels == 1, 0.9, 0.1)
    rows = np.arange(200)
    scores[(rows >= 100) & (rows % 5 == 1)] = 0.9
    hand = np.where((rows % 10 < 5) & (rows < n_labelled), labels, np.nan)
    return scores, HandLabels(scores[:, None], hand[:, None]), np.repeat([0, 1], 100)


def test_corrected_shares_are_compared_if_hand_codes_exist():
    scores, hand, groups = misled()
    test = group_test(coded(scores, hand=hand), groups)
    expected = corrected_group_test(hand.scores[:, 0], hand.labels[:, 0], groups, bounds=(0, 1))
    assert (test.kind, test.groups) == ("corrected", ("a", "b"))
    assert test.p_value == expected.p_value
    assert test.p_value > 0.2
    counted = group_test(coded(scores), groups)
    assert counted.kind == "counted"
    assert counted.p_value < 0.005  # 20 and 40 of 100 each: chi-squared 9.52


def test_few_hand_coded_answers_leave_the_codes_that_were_assigned():
    scores, few, groups = misled(n_labelled=109)
    assert group_test(coded(scores, hand=few), groups).kind == "counted"


def test_weighted_codes_are_compared_by_rao_and_scott():
    scores, _, groups = misled()
    design = SampleDesign(weights=np.tile([1.0, 3.0], 100), clusters=np.arange(200) // 2)
    sample = coded(scores, design=design)
    test = group_test(sample, groups)
    expected = rao_scott(
        sample.assigned[:, 0].astype(int), groups, SurveyDesign(design.weights, clusters=design.clusters)
    )
    assert (test.kind, test.p_value) == ("counted, weighted", expected.p_value)


def test_groups_are_tested_per_code_and_small_groups_left_out():
    # 20 of 50 and 30 of 50: chi-squared 4, p .0455; the third group has 10 answers only
    values = [0.9] * 20 + [0.1] * 30 + [0.9] * 30 + [0.1] * 20 + [0.9] * 10
    test = group_test(coded(values), np.repeat([0, 1, 2], [50, 50, 10]))
    assert test.p_value == pytest.approx(0.0455, abs=1e-4)
    assert (test.adjusted, test.groups) == (test.p_value, ("a", "b"))


def test_a_single_large_group_cannot_be_tested():
    test = group_test(coded([0.9, 0.1] * 20), (np.arange(40) >= 35).astype(int))
    assert np.isnan(test.p_value)
    assert np.isnan(test.adjusted)


def test_a_weighted_test_of_a_sample_leaves_out_groups_with_few_sampled_answers():
    # Each of three groups has 40 answers, but the sample has only five of the third.
    values, groups = [0.9, 0.1, 0.1, 0.9, 0.1] * 24, np.repeat([0, 1, 2], 40)
    design = SampleDesign(weights=np.tile([1.0, 2.0, 3.0], 40))
    assert group_test(coded(values, design=design), groups).groups == ("a", "b", "c")
    sample = coded(values, design=design, drawn=np.arange(120) < 85)
    test = group_test(sample, groups)
    expected = rao_scott(
        sample.assigned[:80, 0].astype(int), groups[:80], SurveyDesign(np.tile([1.0, 2.0, 3.0], 40)[:80])
    )
    assert test.groups == ("a", "b")
    assert test.p_value == pytest.approx(expected.p_value, rel=0.01)


def test_lift_counts_only_answers_with_both_codes_decided():
    # both decided in 4 of 5 answers: first 2, second 2, both 1: 4 * 1 / (2 * 2) = 1
    assigned = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, np.nan]])
    pairs = PairCounts(2)
    pairs.add(assigned[:3])
    pairs.add(assigned[3:])
    assert pairs.counts.tolist() == [[3, 1], [1, 2]]
    assert pairs.lift[0, 1] == pairs.lift[1, 0] == pytest.approx(1)


def test_a_code_that_never_occurs_has_no_lift():
    pairs = PairCounts(2)
    pairs.add(np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert np.isnan(pairs.lift).all()
    assert pairs.counts.tolist() == [[1, 0], [0, 0]]
