"""Means that labels of some items correct."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from semscale.errors import InputError
from semscale.stats.prediction_powered import (
    WHOLE_SCALE,
    corrected_group_test,
    freedom_after_tuning,
    linearized_terms,
    prediction_powered_mean,
    weighted_items,
    weighted_prediction_powered_mean,
)
from semscale.stats.sampling import SampleDesign

# Sixty items of which the first twenty have labels; also given to the package below.
INDICES = np.arange(60)

SCORES = (INDICES * 37 % 101) / 100

LABELS = np.where(INDICES < 20, np.clip(SCORES + ((INDICES * 13 % 7) - 3) / 20, 0, 1), np.nan)


@pytest.mark.parametrize(("tuning", "expected"), [(1.0, 0.50925), (0.5, 0.501625), (0.0, 0.494)])
def test_values_are_those_of_ppi_python(tuning, expected):
    # ppi-python 0.2.3, ppi_mean_pointestimate(labels, scores[:20], scores[20:], lam=tuning)
    result = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1), tuning=tuning)
    assert result.value == pytest.approx(expected, abs=1e-12)


def test_plain_interval_by_its_formula():
    # With a fixed tuning the jackknife variance is that of the mean: s2 / n, here with 19 degrees of freedom.
    result = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1), tuning=1.0)
    gaps, rest = LABELS[:20] - SCORES[:20], SCORES[20:]
    error = np.sqrt(gaps.var(ddof=1) / 20 + rest.var(ddof=1) / 40)
    assert result.high - result.value == pytest.approx(2.093024 * error, rel=1e-6)
    assert result.value - result.low == pytest.approx(2.093024 * error, rel=1e-6)


def squares(values):
    return ((values - values.mean()) ** 2).sum()


def test_tuning_is_the_shrunken_slope_over_1_plus_n_over_m():
    # Four labels without a slope, one standard deviation of all scores away, add 4 variances to the squares.
    slope = np.polyfit(SCORES[:20], LABELS[:20], 1)[0]
    held = slope * squares(SCORES[:20]) / (squares(SCORES[:20]) + 4 * SCORES.var())
    assert prediction_powered_mean(SCORES, LABELS, bounds=(0, 1)).tuning == pytest.approx(held / 1.5)


def test_a_few_labels_with_like_scores_do_not_carry_the_tuning_away():
    # Three labels rise by 4 while their scores rise by .02: a slope of 200, by chance. Scores of all go from
    # 1 to 5, variance 2.1 or so, so the slope held down is .04 / (.0002 + 4 x 2.1), below .005.
    scores = np.r_[3.0, 3.01, 3.02, np.linspace(1, 5, 12), 4.0, 4.0]
    labels = np.r_[1.0, 3.0, 5.0, np.full(14, np.nan)]
    result = prediction_powered_mean(scores, labels, bounds=(1, 5))
    assert 0 < result.tuning < 0.01
    assert result.value == pytest.approx(3.0, abs=0.01)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [3, 5])
def test_with_few_labels_a_useless_judge_costs_next_to_nothing(n):
    # With the plain slope the error was 1.42 and 1.20 times that of the labels alone.
    rng = np.random.default_rng(n)
    errors = np.array([_errors(rng, n) for _ in range(1500)])
    corrected, alone = np.sqrt((errors**2).mean(axis=0))
    assert corrected < 1.07 * alone


def _errors(rng, n):
    labels = np.clip(np.round(3 + rng.normal(size=100)), 1, 5)
    known = np.where(np.arange(100) < n, labels, np.nan)
    result = prediction_powered_mean(rng.normal(size=100), known, bounds=(1, 5))
    return result.value - 3, result.labels_only.value - 3


def test_an_interval_that_is_the_whole_scale_is_no_interval():
    # Labels 1, 3 and 5: standard error 2 / sqrt(3), times 4.30 is 5 on either side of 3.
    labels = np.r_[1.0, 3.0, 5.0, np.full(57, np.nan)]
    result = prediction_powered_mean(SCORES, labels, bounds=(1, 5))
    assert np.isnan([result.low, result.high, result.labels_only.low, result.labels_only.high]).all()
    assert (result.note, result.method) == (WHOLE_SCALE, None)
    assert result.labels_only.value == 3


def test_tuned_jackknife_is_that_of_a_slow_loop():
    result = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    left_out = []
    for out in range(20):
        scores, labels = np.delete(SCORES[:20], out), np.delete(LABELS[:20], out)
        # The slope is found anew; the spread of all scores, and 1 + 20 / 40, are what they are.
        slope = np.polyfit(scores, labels, 1)[0] * squares(scores) / (squares(scores) + 4 * SCORES.var())
        left_out.append(labels.mean() + slope / 1.5 * (SCORES[20:].mean() - scores.mean()))
    variance = 19 / 20 * squares(np.array(left_out))
    variance += result.tuning**2 * SCORES[20:].var(ddof=1) / 40
    quantile = stats.t.ppf(0.975, 19 - 19 / 23)
    assert result.high - result.value == pytest.approx(quantile * np.sqrt(variance), rel=1e-6)


def test_bias_naive_and_labels_only_stand_beside():
    result = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    assert result.naive.value == pytest.approx(SCORES.mean())
    assert result.labels_only.value == pytest.approx(LABELS[:20].mean())
    assert result.bias == pytest.approx((SCORES[:20] - LABELS[:20]).mean())
    assert (result.n_labelled, result.n_unlabelled, result.n_left_out) == (20, 40, 0)
    assert result.high - result.low < result.labels_only.high - result.labels_only.low
    assert result.method == "jackknife"


def test_items_without_a_score_are_left_out_and_counted():
    scores, labels = np.r_[SCORES, np.nan, np.nan], np.r_[LABELS, 1.0, np.nan]
    result, complete = (
        prediction_powered_mean(*pair, bounds=(0, 1)) for pair in ((scores, labels), (SCORES, LABELS))
    )
    assert result.n_left_out == 2
    assert (result.value, result.low, result.high) == (complete.value, complete.low, complete.high)


@given(st.floats(-3, 3).filter(lambda a: abs(a) > 0.01), st.floats(-10, 10))
def test_linear_rescaling_of_the_judge_does_not_change_the_mean(factor, shift):
    single = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    other = prediction_powered_mean(factor * SCORES + shift, LABELS, bounds=(0, 1))
    np.testing.assert_allclose(
        [other.value, other.low, other.high], [single.value, single.low, single.high], atol=1e-9
    )


@given(st.permutations(range(60)))
def test_items_have_no_order(order):
    single = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    other = prediction_powered_mean(SCORES[order], LABELS[order], bounds=(0, 1))
    assert other.value == pytest.approx(single.value)
    assert other.low == pytest.approx(single.low)


def test_a_constant_judge_costs_nothing():
    result = prediction_powered_mean(np.full(60, 0.1), LABELS, bounds=(0, 1))
    assert (result.tuning, result.value) == (0, pytest.approx(LABELS[:20].mean()))


def test_labels_for_everything_are_a_plain_mean():
    labels = np.linspace(0.2, 0.9, 30)
    result = prediction_powered_mean(SCORES[:30], labels, bounds=(0, 1))
    assert result.value == pytest.approx(labels.mean())
    assert result.n_unlabelled == 0


def test_labels_of_two_kinds_get_the_agresti_coull_interval_without_a_judge():
    # 10 times yes: centre 12 / 14, standard error of 14 labels, 13 degrees of freedom.
    labels = np.r_[np.ones(10), np.full(50, np.nan)]
    result = prediction_powered_mean(SCORES, labels, bounds=(0, 1))
    centre = 12 / 14
    half = 2.160369 * np.sqrt(centre * (1 - centre) / 13)
    assert result.labels_only.low == pytest.approx(centre - half, rel=1e-6)
    assert result.labels_only.high == 1
    assert result.method == "jackknife with added labels"
    assert result.low < 0.95 <= result.value == result.high == 1


def test_without_labels_there_is_no_correction():
    result = prediction_powered_mean(SCORES, np.full(60, np.nan), bounds=(0, 1))
    assert np.isnan([result.value, result.low, result.high, result.bias]).all()
    assert result.naive.value == pytest.approx(SCORES.mean())
    assert result.note == "an interval needs 3 labels or more"
    assert result.method is None


@pytest.mark.parametrize(("n", "rate"), [(20, 0.6), (20, 0.95), (100, 0.95)])
def test_intervals_of_yes_and_no_cover_and_the_naive_does_not(n, rate):
    rng = np.random.default_rng(n)
    hits = naive = 0
    for _ in range(300):
        truth = (rng.random(n + 500) < rate).astype(float)
        judged = np.where(rng.random(n + 500) < 0.85, truth, 1 - truth)
        labels = np.where(np.arange(n + 500) < n, truth, np.nan)
        result = prediction_powered_mean(judged, labels, bounds=(0, 1))
        hits += result.low <= rate <= result.high
        naive += result.naive.low <= rate <= result.naive.high
    assert hits / 300 >= 0.92
    assert naive / 300 < 0.8


@pytest.mark.parametrize(
    ("scores", "labels", "settings", "message"),
    [
        ([0.1], [0.1, 0.2], {}, "one length"),
        ([0.1, np.inf], [0.1, 0.2], {}, "finite"),
        ([0.1, 0.2], [0.1, 1.2], {}, "labels must lie within bounds"),
        ([0.1, 0.2], [0.1, 0.2], {"bounds": (1, 0)}, "bounds"),
        ([0.1, 0.2], [0.1, 0.2], {"tuning": np.nan}, "tuning"),
        ([0.1, 0.2], [0.1, 0.2], {"interval": 95}, "interval"),
    ],
)
def test_bad_input_is_refused(scores, labels, settings, message):
    with pytest.raises(InputError, match=message):
        prediction_powered_mean(np.array(scores), np.array(labels), **{"bounds": (0, 1), **settings})


GAP = np.nan

WIDE = (-100.0, 100.0)


def corrected(scores, labels, bounds=WIDE, **design):
    design = SampleDesign(**{name: np.asarray(column) for name, column in design.items()})
    return weighted_prediction_powered_mean(
        np.asarray(scores, float), np.asarray(labels, float), bounds=bounds, design=design
    )


def ends(result):
    return [result.value, result.low, result.high, result.tuning]


def test_a_judge_that_never_differs_leaves_hajeks_mean_and_its_linearized_variance():
    # Weights 4, 2 and 1: mean (4 + 6 + 5) / 7. Parts 4/7 (1 - 15/7) = -32/49, 12/49 and 20/49, each
    # over 1 - share, 3/7, 5/7 and 6/7: -32/21, 12/35 and 10/21. Effective number 49 / 21, less 1.
    result = corrected([3, 3, 3, 3], [1, 3, 5, GAP], inclusion=[0.25, 0.5, 1, GAP])
    assert result.value == result.labels_only.value == pytest.approx(15 / 7)
    variance = 2 / 3 * ((32 / 21) ** 2 + (12 / 35) ** 2 + (10 / 21) ** 2)
    half = stats.t.ppf(0.975, 49 / 21 - 1) * np.sqrt(variance)
    assert [result.high - result.value, result.value - result.low] == pytest.approx([half, half])
    assert (result.tuning, result.method, result.n_labelled, result.n_unlabelled) == (0, "linearized", 3, 1)
    assert result.bias == pytest.approx(3 - 15 / 7)


def test_with_equal_probabilities_the_tuning_is_the_slope_of_labels_on_scores():
    # Labelled and other scores vary alike, so the tuning for the mean of all is the slope: products 3,
    # squares 2, to which four labels without a slope add 4 variances of 2 / 3 each: 3 / (2 + 8 / 3).
    result = corrected([1, 2, 3, 1, 2, 3], [1, 2, 4, GAP, GAP, GAP], inclusion=np.full(6, 0.5))
    assert result.tuning == pytest.approx(9 / 14)
    assert result.value == pytest.approx(7 / 3)


def test_weighted_prediction_powered_a_few_labels_with_like_scores_do_not_carry_the_tuning_away():
    # The slope of the three labels is 200; with four more labels it is .04 / (.0002 + 4 x 2.1) or so.
    scores = np.r_[3.0, 3.01, 3.02, np.linspace(1, 5, 12), 4.0, 4.0]
    result = corrected(scores, [1, 3, 5, *[GAP] * 14], bounds=(1, 5), weights=np.ones(17))
    assert 0 < result.tuning < 0.01
    assert (result.note, result.labels_only.value) == (WHOLE_SCALE, pytest.approx(3))
    assert np.isnan([result.low, result.high, result.labels_only.low, result.labels_only.high]).all()


def test_weights_of_items_count_in_both_means():
    # All labels lie 1 above the scores: the value is between the labels' mean and the mean score + 1, and the
    # mean score is (1 + 2 + 3 + 4 x 10) / 13.
    result = corrected([1, 2, 3, 4], [2, 3, 4, GAP], weights=[1, 1, 1, 10])
    assert result.naive.value == pytest.approx(46 / 13)
    assert result.bias == pytest.approx(-1)
    assert 3 < result.value < 46 / 13 + 1
    assert result.value == pytest.approx(3 + result.tuning * (46 / 13 - 2))


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
    result = corrected(scores, labels, **design)
    values = []
    for person in np.unique(design["clusters"]):
        remaining = design["clusters"] != person
        values.append(
            corrected(
                scores[remaining], labels[remaining], **{k: v[remaining] for k, v in design.items()}
            ).value
        )
    m = len(values)
    error = np.sqrt((m - 1) / m * ((np.array(values) - np.mean(values)) ** 2).sum())
    shares = design["weights"] / design["inclusion"] * ~np.isnan(labels)
    shares = np.bincount(design["clusters"], shares / shares.sum())
    quantile = stats.t.ppf(0.975, freedom_after_tuning(1 / (shares**2).sum()))
    assert (result.high - result.low) / 2 == pytest.approx(quantile * error, rel=0.03)


def test_intervals_cover_where_those_that_ignore_the_design_do_not():
    labels, weights = _population()
    truth = np.average(labels, weights=weights)
    held, plain = [], []
    for seed in range(200):
        scores, labels, design = sampled(np.random.default_rng(seed))
        result = corrected(scores, labels, bounds=(1, 5), **design)
        ignored = prediction_powered_mean(scores, labels, bounds=(1, 5))
        held.append(result.low <= truth <= result.high)
        plain.append(ignored.low <= truth <= ignored.high)
    assert 0.9 <= np.mean(held) <= 0.99
    assert np.mean(plain) < 0.8


def _population():
    rng = np.random.default_rng(99)
    inner = rng.normal(size=1_000_000)  # variance .8 squared + .6 squared = 1
    return np.clip(np.round(3 + inner), 1, 5), np.exp(0.4 * inner)


def test_three_copies_of_every_text_do_not_narrow_the_interval():
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
    result = corrected(scores, labels, **design)
    heavier = corrected(scores, labels, **{**design, "weights": 7 * design["weights"]})
    other = corrected(10 - 4 * scores, labels, **design)
    order = np.random.default_rng(0).permutation(len(scores))
    shuffled = corrected(
        scores[order], labels[order], **{name: single[order] for name, single in design.items()}
    )
    for single in (heavier, shuffled):
        assert ends(single) == pytest.approx(ends(result))
    assert ends(other)[:3] == pytest.approx(ends(result)[:3])


def test_a_value_and_its_interval_stay_within_the_bounds():
    # The mean label is 4.15, labels rise by 2.8 where scores rise by 1, and all scores are .47 higher.
    scores, labels = np.r_[[1] * 3, [2] * 10, [2.3] * 100], np.r_[1, 1, 4, [5] * 8, 4, 4, [GAP] * 100]
    result = corrected(scores, labels, bounds=(1, 5), weights=np.ones(113))
    assert result.value == result.high == 5
    assert 1 <= result.low < 5


def test_labels_that_are_all_alike_still_leave_a_doubt():
    result = corrected(np.arange(8), [5, 5, 5, 5, *[GAP] * 4], bounds=(1, 5), inclusion=np.full(8, 0.5))
    assert (result.value, result.high, result.method) == (5, 5, "linearized with added labels")
    assert result.low < 4.5
    assert result.labels_only.low < 4.5


def test_items_without_weight_or_score_are_left_out_and_counted():
    result = corrected([1, 2, 3, 4, GAP, 9, 9], [1, 2, 4, GAP, 3, GAP, 2], weights=[1, 1, 1, 1, 1, 0, GAP])
    alone = corrected([1, 2, 3, 4], [1, 2, 4, GAP], weights=np.ones(4))
    assert ends(result) == ends(alone)
    assert (result.n_labelled, result.n_unlabelled, result.n_left_out) == (3, 1, 3)


def test_labels_of_two_respondents_give_a_value_without_an_interval():
    result = corrected([1, 2, 3, 4], [1, 2, 4, GAP], clusters=[7, 7, 9, 8])
    assert result.value == pytest.approx(7 / 3)
    assert np.isnan([result.low, result.high, result.labels_only.low]).all()
    assert result.method is None
    assert result.note == "an interval needs 3 labels or more, each from another respondent"


def test_without_a_label_there_is_nothing_but_the_mean_score():
    result = corrected([1, 2], [GAP, GAP], weights=[1, 3])
    assert np.isnan([result.value, result.low, result.bias]).all()
    assert result.naive.value == 1.75


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"inclusion": [0.5, 0, 1, 1]}, "above 0 to 1, got 0 in row 2"),
        ({"inclusion": [0.5, 0.5, 1, 2]}, "above 0 to 1, got 2 in row 4"),
        ({"inclusion": [0.5, GAP, 1, 1]}, "row 2 has only a label"),
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
    ("design", "single"),
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
def test_dominant_weight_gives_a_value_without_an_interval(design, single):
    result = corrected([1, 2, 3, 4, 5, 6], [2, 2, 4, 5, GAP, GAP], bounds=(1, 5), **design)
    assert result.value == result.labels_only.value
    assert np.isnan([result.low, result.high, result.labels_only.low, result.labels_only.high]).all()
    assert (result.method, result.note) == (None, ALONE + single)


def test_two_labels_with_equal_halves_of_the_weight_are_enough():
    # Effective number of labels 2, a little more with the two light ones.
    result = corrected([1, 2, 3, 4, 5, 6], [2, 2, 4, 5, GAP, GAP], weights=[90, 90, 1, 1, 1, 1])
    assert result.note is None
    assert np.isfinite([result.low, result.high]).all()


def test_the_variance_of_a_plain_mean_is_that_of_the_textbook():
    labels = np.array([0.1, 0.4, 0.4, 0.9])
    terms = linearized_terms(weighted_items(np.full(4, 0.5), labels, SampleDesign()))
    assert terms.best_tuning() == 0
    assert terms.variance(0.0) == pytest.approx(labels.var(ddof=1) / 4)


def test_a_weighted_stratified_variance_is_the_sum_over_strata():
    # two strata of two, labels 0, 2 and 5, 5, weights alike; changes are -(y - 3) / 4 / (3 / 4) = 1, 1/3,
    # -2/3, -2/3. Within strata: 2 ((1/3)^2 + (1/3)^2) = 4/9 and 0.
    design = SampleDesign(weights=np.ones(4), strata=np.array([0, 0, 1, 1]))
    terms = linearized_terms(weighted_items(np.full(4, 1.0), np.array([0.0, 2, 5, 5]), design))
    assert terms.variance(0.0) == pytest.approx(4 / 9)


def test_added_labels_have_the_requested_weight():
    items = weighted_items(np.array([0.1, 0.2, 0.9]), np.array([0.0, 0, 1]), SampleDesign())
    added = items.add_labels((0, 1), part=0.5)
    assert added.expanded.tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    assert added.labels.tolist() == [0, 0, 1, 0, 1, 0, 1]


RNG = np.random.default_rng(3)


def masks(group):
    return [group == single for single in np.unique(group)]


def test_without_a_telling_score_two_groups_are_compared_by_welchs_t_test():
    labels = RNG.uniform(size=45)
    group = np.repeat([0, 1], [15, 30])
    result = corrected_group_test(np.full(45, 0.5), labels, group, bounds=(0, 1))
    expected = stats.ttest_ind(labels[:15], labels[15:], equal_var=False)
    assert result.f == pytest.approx(expected.statistic**2)
    assert result.df_below == pytest.approx(expected.df)
    assert result.p_value == pytest.approx(expected.pvalue)


def test_three_groups_are_compared_by_welchs_analysis_of_variance():
    # Welch's formula with w = n / s^2, written out for three groups
    labels, group = RNG.uniform(size=60), np.repeat([0, 1, 2], [10, 20, 30])
    result = corrected_group_test(np.full(60, 0.5), labels, group, bounds=(0, 1))
    n = np.array([10, 20, 30])
    mean = np.array([labels[rows].mean() for rows in masks(group)])
    w = n / np.array([labels[rows].var(ddof=1) for rows in masks(group)])
    lost = ((1 - w / w.sum()) ** 2 / (n - 1)).sum()
    between = (w * (mean - (w * mean).sum() / w.sum()) ** 2).sum() / 2
    assert result.f == pytest.approx(between / (1 + 2 / 8 * lost))
    assert (result.df, result.df_below) == (2, pytest.approx(8 / 3 / lost))


def test_answers_of_the_same_people_in_both_groups_are_paired():
    first = RNG.uniform(0.2, 0.8, size=20)
    second = first + RNG.uniform(-0.1, 0.15, size=20)
    people = np.tile(np.arange(20), 2)
    result = corrected_group_test(
        np.full(40, 0.5),
        np.concatenate([first, second]),
        np.repeat([0, 1], 20),
        bounds=(0, 1),
        design=SampleDesign(clusters=people),
    )
    assert result.f == pytest.approx(stats.ttest_rel(first, second).statistic ** 2)


def test_equal_strata_take_out_the_differences_between_them():
    # each stratum has one mean in each group, so that nothing varies within it but a little noise
    stratum = np.tile(np.repeat([0, 1], 10), 2)
    labels = np.where(stratum == 1, 0.8, 0.2) + RNG.uniform(-0.01, 0.01, size=40)
    labels[20:] += 0.05
    groups = np.repeat([0, 1], 20)
    plain = corrected_group_test(np.full(40, 0.5), labels, groups, bounds=(0, 1))
    stratified = corrected_group_test(
        np.full(40, 0.5), labels, groups, bounds=(0, 1), design=SampleDesign(strata=stratum)
    )
    # means differ by about .05; se is about .1 over both strata, and about .002 within them
    assert plain.p_value > 0.5
    assert stratified.p_value < 1e-6


def test_errors_in_a_single_group_do_not_create_a_difference():
    # people give the code to 30 of 100 in each group; the coder scores the second group higher throughout
    labels = np.tile([1.0] * 3 + [0.0] * 7, 20)
    group = np.repeat([0, 1], 100)
    scores = labels * 0.6 + group * 0.4
    labels[np.arange(200) % 10 >= 5] = np.nan
    labels[np.arange(200) % 10 == 4] = np.nan
    result = corrected_group_test(scores, labels, group, bounds=(0, 1))
    assert result.p_value == pytest.approx(1.0)


def test_groups_with_fewer_than_ten_labels_are_left_out():
    labels = RNG.uniform(size=50)
    group = np.repeat([0, 1, 2], [9, 20, 21])
    result = corrected_group_test(np.full(50, 0.5), labels, group, bounds=(0, 1))
    assert result.tested == (1, 2)
    alone = corrected_group_test(np.full(50, 0.5), labels, np.where(group < 2, group, -1), bounds=(0, 1))
    assert alone.tested == (1,)
    assert np.isnan(alone.p_value)


def test_equal_shares_are_rejected_no_more_often_than_they_may_be():
    # 300 draws at a level of 5 %: more than 8.8 % has a chance of .2 % if the level holds
    rng = np.random.default_rng(11)
    groups, rejected = np.repeat([0, 1], 200), 0
    for _ in range(300):
        has = rng.uniform(size=400) < 0.1
        scores = 1 / (1 + np.exp(-2 * has - rng.normal(size=400) - np.repeat([0.0, 0.7], 200)))
        labels = np.full(400, np.nan)
        labels[rng.permutation(200)[:60]] = 0.0
        labels[200 + rng.permutation(200)[:60]] = 0.0
        labels = np.where(np.isnan(labels), np.nan, has.astype(float))
        rejected += corrected_group_test(scores, labels, groups, bounds=(0, 1)).p_value < 0.05
    assert rejected <= 26
