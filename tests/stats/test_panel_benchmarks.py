"""A panel compared with people."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.distances import PmfSample, ks_distance, wasserstein_distance
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.stats.panel_benchmarks import (
    JointSample,
    attainment,
    distance_benchmarks,
    error_scale,
    joint_resamples,
    sample_worth,
)

EYE, VALUES = np.eye(3), np.array([1.0, 2.0, 3.0])

PLAN = IntervalPlan(replicates=400)


def sample(*counts):
    return PmfSample(np.repeat(EYE, counts, axis=0))


def test_worked_by_hand_with_two_surveys():
    panel = [sample(10, 10, 20), sample(40, 0, 0)]
    people = [sample(10, 20, 10), sample(20, 20, 0)]
    result = distance_benchmarks(panel, people, [VALUES, VALUES], plan=PLAN)
    # Shares .25 .25 .5 against .25 .5 .25: KS .25. 1 0 0 against .5 .5 0: KS .5.
    assert [entry.value for entry in result.by_survey["ks"]] == pytest.approx([0.25, 0.5])
    held = result.distances["ks"]
    assert held.panel.value == pytest.approx(0.375)
    # Equal shares against .25 .5 .25: 1/3 - 1/4; against .5 .5 0: 1/3.
    assert held.uniform.value == pytest.approx((1 / 12 + 1 / 3) / 2)
    # The two surveys' people against each other: gaps .25 and .25.
    assert held.pooled.value == pytest.approx(0.25)
    assert held.below_uniform.value == pytest.approx((1 / 12 + 1 / 3) / 2 - 0.375)
    assert result.resampled == "respondents"


def test_halves_of_two_people_who_differ_are_as_far_apart_as_they_are():
    result = distance_benchmarks([sample(1, 0, 0)], [sample(1, 0, 1)], [VALUES], plan=PLAN)
    assert result.distances["ks"].split_half.value == 1
    assert result.distances["wasserstein"].split_half.value == 1


def test_single_survey_has_no_pooled_people_and_respondent_intervals():
    result = distance_benchmarks([sample(30, 60, 30)], [sample(40, 50, 10)], [VALUES], plan=PLAN)
    held = result.distances["total_variation"]
    assert np.isnan(held.pooled.value)
    assert result.resampled == "respondents"
    # Shares .25 .5 .25 against .4 .5 .1: .15
    assert held.panel.value == pytest.approx(0.15)
    assert held.panel.low < 0.15 < held.panel.high


def test_a_panel_of_the_people_themselves_is_no_closer_than_their_halves():
    people = sample(40, 50, 10)
    held = distance_benchmarks([people], [people], [VALUES], plan=PLAN).distances["wasserstein"]
    assert held.panel.value == held.panel.low == 0
    assert held.above_split_half.value < 0


def test_only_surveys_with_the_same_points_are_pooled():
    wide = np.array([0.0, 5.0, 10.0])
    result = distance_benchmarks([sample(1, 1, 1)] * 2, [sample(2, 1, 1)] * 2, [VALUES, wide], plan=PLAN)
    assert np.isnan(result.distances["ks"].pooled.value)


def test_people_are_pooled_within_what_a_survey_is_about():
    panel, people = [sample(1, 1, 1)] * 3, [sample(4, 0, 0), sample(0, 0, 4), sample(0, 4, 0)]
    pools = ["intent", "intent", "liking"]
    result = distance_benchmarks(panel, people, [VALUES] * 3, plan=PLAN, pools=pools).distances["ks"]
    # The first two are at opposite ends; the third has no other survey of its question.
    assert result.pooled.value == 1


def test_identical_answers_to_all_surveys_keep_the_width_of_a_single_survey():
    # Six answers of one person say no more than one does.
    panel_sample, people_sample = sample(30, 60, 30), sample(40, 50, 10)
    left = (
        distance_benchmarks([panel_sample], [people_sample], [VALUES], plan=PLAN)
        .distances["wasserstein"]
        .panel
    )
    joint = [JointSample([side.masses] * 6) for side in (panel_sample, people_sample)]
    drawn = joint_resamples(*joint, 400, np.random.default_rng(0))
    held = distance_benchmarks(
        [panel_sample] * 6, [people_sample] * 6, [VALUES] * 6, plan=PLAN, resamples=drawn
    ).distances
    six = held["wasserstein"].panel
    assert six.high - six.low == pytest.approx(left.high - left.low, rel=0.15)


def test_seed_reproduces_the_halves_and_another_seed_changes_them():
    pair = [sample(5, 9, 4)], [sample(7, 6, 5)]
    first, again = (distance_benchmarks(*pair, [VALUES], plan=PLAN) for _ in range(2))
    assert first == again
    other = distance_benchmarks(*pair, [VALUES], plan=IntervalPlan(replicates=400, seed=1))
    assert first.distances["ks"].split_half != other.distances["ks"].split_half


@pytest.mark.parametrize(
    ("panel", "people", "message"),
    [
        ([], [], "one entry for each survey"),
        ([sample(1, 1, 1)], [sample(1, 0, 0)], "at least 2 people, got 3 and 1 in survey 0"),
        ([PmfSample(np.eye(2))], [sample(1, 1, 1)], "must have 3 points each"),
    ],
)
def test_what_does_not_fit_is_refused(panel, people, message):
    with pytest.raises(InputError, match=message):
        distance_benchmarks(panel, people, [VALUES] * len(panel), plan=PLAN)


MISSING = [np.nan, np.nan]


def test_persons_who_answer_alike_twice_err_alike_in_both_surveys():
    masses = np.repeat(np.eye(2), 20, axis=0)
    first, second = JointSample([masses, masses[:, ::-1]]).resample(50, np.random.default_rng(0))
    # Whoever picks the first point in one survey picks the second one in the other.
    np.testing.assert_allclose(first[:, 0], second[:, 1])
    assert np.ptp(first[:, 0]) > 0


def test_a_person_without_an_answer_does_not_count_and_nobody_gives_nan():
    masses = np.array([[1.0, 0.0], MISSING, MISSING])
    (result,) = JointSample([masses]).resample(100, np.random.default_rng(0))
    assert {tuple(row) for row in result[~np.isnan(result).any(axis=1)]} == {(1.0, 0.0)}
    # The one who answered is missing in (2/3)^3 of all draws.
    assert 0.1 < np.isnan(result[:, 0]).mean() < 0.5


def test_weights_by_hand():
    masses = np.array([[1.0, 0.0], [0.0, 1.0]])
    (result,) = JointSample([masses], np.array([3.0, 1.0])).resample(100, np.random.default_rng(0))
    # One of each, twice the first, or twice the second.
    assert set(result[:, 0].tolist()) == {0.75, 1.0, 0.0}


def test_halves_are_of_the_same_persons_in_every_survey():
    masses = np.repeat(np.eye(2), 5, axis=0)
    people = JointSample([masses, masses])
    drawn = joint_resamples(people, people, 100, np.random.default_rng(0))
    (left, other), (again, again_other) = drawn.halves
    np.testing.assert_allclose(left, again)
    np.testing.assert_allclose(other, again_other)
    assert left.shape == (200, 20, 2)
    # Halves of ten hold five each, so both average to the resample's share of ten.
    assert (left + other)[..., 0] * 5 == pytest.approx(np.round((left + other)[..., 0] * 5))


SAMPLE_WORTH_VALUES = np.arange(1.0, 6.0)

PMF = np.array([0.1, 0.2, 0.4, 0.2, 0.1])

PEOPLE = [PmfSample(np.repeat(np.eye(5), (100, 200, 400, 200, 100), axis=0))]


def test_the_squared_error_of_a_mean_is_solved_by_hand():
    # Variance 1.2 on a width of 4: .075. With N = 1,000 and n = 50 the error is .075 (1/50 + 1/1000).
    error = 0.075 * (1 / 50 + 1 / 1000)
    result = sample_worth("mean", Estimate(error, error, error), PEOPLE, [SAMPLE_WORTH_VALUES])
    assert result.value == pytest.approx(50)
    assert result.n_reference == 1000


@pytest.mark.parametrize("error", ["ks", "wasserstein"])
def test_expected_errors_are_those_of_drawn_samples(error):
    n = 400
    drawn = np.random.default_rng(0).multinomial(n, PMF, size=20_000) / n
    distance = (
        ks_distance(drawn, PMF) if error == "ks" else wasserstein_distance(drawn, PMF, SAMPLE_WORTH_VALUES)
    )
    assert error_scale(error, PMF, SAMPLE_WORTH_VALUES) / np.sqrt(n) == pytest.approx(
        distance.mean(), rel=0.03
    )


def test_interval_ends_of_the_sample_worth_swap():
    result = sample_worth("wasserstein", Estimate(0.1, 0.05, 0.2), PEOPLE, [SAMPLE_WORTH_VALUES])
    assert result.low < result.value < result.high


def test_an_error_below_that_of_the_people_themselves_cannot_be_seen():
    result = sample_worth("ks", Estimate(0.001, 0.0, 0.9), PEOPLE, [SAMPLE_WORTH_VALUES])
    assert result.value == result.high == np.inf
    assert 0 < result.low < 1  # .9 is further off than one respondent is


def test_missing_errors_and_people_who_all_agree():
    assert np.isnan(sample_worth("ks", Estimate(np.nan, np.nan, np.nan), PEOPLE, [SAMPLE_WORTH_VALUES]).value)
    alike = [PmfSample(np.repeat(np.eye(5)[:1], 10, axis=0))]
    assert sample_worth("mean", Estimate(0.1, 0.1, 0.1), alike, [SAMPLE_WORTH_VALUES]).value == 0


ATTAINMENT_VALUES = np.arange(1.0, 6.0)


def attained_split_by_split(machine, human, splits, seed):
    """E[R_xy] / E[R_xx] by a loop over splits, as arXiv 2510.08338 defines it."""
    rng = np.random.default_rng(seed)
    between, within = [], []
    for _ in range(splits):
        mixed = [rng.permutation(people) for people in human]
        first, second = (
            [half.mean() for half in halves]
            for halves in zip(*(np.split(people, [len(people) // 2]) for people in mixed), strict=True)
        )
        between.append(np.corrcoef(machine, first)[0, 1])
        within.append(np.corrcoef(first, second)[0, 1])
    return np.mean(between) / np.mean(within)


def surveys(n_surveys, n_people, noise=0.0, seed=0):
    """People whose surveys differ, and a panel that follows their true means with some noise."""
    rng = np.random.default_rng(seed)
    people, machine = [], []
    for _ in range(n_surveys):
        pmf = rng.dirichlet(np.full(5, 2.0))
        people.append(PmfSample(np.eye(5)[rng.choice(5, n_people, p=pmf)]))
        machine.append(pmf @ ATTAINMENT_VALUES + noise * rng.standard_normal())
    return np.array(machine), people


def test_it_is_the_ratio_that_is_computed_split_by_split():
    machine, people = surveys(8, 30, noise=0.3)
    answers = [entry.masses @ ATTAINMENT_VALUES for entry in people]
    expected = attained_split_by_split(machine, answers, splits=1000, seed=5)
    result = attainment(machine, people, [ATTAINMENT_VALUES] * 8, splits=4000)
    assert result.ratio.value == pytest.approx(expected, abs=0.02)


def test_the_true_means_attain_more_than_halves_do_and_the_interval_holds_the_ratio():
    machine, people = surveys(20, 20)
    result = attainment(machine, people, [ATTAINMENT_VALUES] * 20, splits=300)
    # The truth correlates with a half as sqrt(reliability) does, halves with each other as the reliability.
    assert result.ratio.value == pytest.approx(result.ceiling**-0.5, abs=0.06)
    assert result.ratio.low < result.ratio.value < result.ratio.high


def test_a_panel_that_knows_nothing_attains_about_nothing():
    rng = np.random.default_rng(3)
    _, people = surveys(60, 30)
    result = attainment(rng.standard_normal(60), people, [ATTAINMENT_VALUES] * 60, splits=300)
    assert result.ratio.low < 0 < result.ratio.high


def test_what_does_not_vary_has_no_value():
    _, people = surveys(4, 10)
    assert np.isnan(attainment(np.ones(4), people, [ATTAINMENT_VALUES] * 4, splits=10).ratio.value)


def test_two_surveys_are_refused():
    machine, people = surveys(2, 10)
    with pytest.raises(InputError, match="one length of at least 3"):
        attainment(machine, people, [ATTAINMENT_VALUES] * 2)


def test_the_p_value_counts_orders():
    # Of the 6 orders of 1, 2, 4 beside people's 1, 2, 3 only the right one correlates so highly: 1/6.
    people = [PmfSample(np.eye(5)[[index] * 3]) for index in range(3)]
    result = attainment(np.array([1.0, 2.0, 4.0]), people, [ATTAINMENT_VALUES] * 3, splits=5)
    assert result.p_value == pytest.approx(1 / 6)
    turned = attainment(np.array([4.0, 2.0, 1.0]), people, [ATTAINMENT_VALUES] * 3, splits=5)
    assert turned.p_value == 1


def test_few_surveys_seldom_prove_what_is_not_there():
    rng = np.random.default_rng(7)
    _, people = surveys(6, 40)
    result = [
        attainment(rng.standard_normal(6), people, [ATTAINMENT_VALUES] * 6, splits=20) for _ in range(200)
    ]
    assert np.mean([entry.p_value <= 0.025 for entry in result]) <= 0.05  # binomial: .025 + 2.3 errors


@pytest.mark.parametrize(("n_surveys", "has_interval"), [(9, False), (10, True)])
def test_below_ten_surveys_there_is_no_interval(n_surveys, has_interval):
    machine, people = surveys(n_surveys, 30, noise=0.3)
    result = attainment(machine, people, [ATTAINMENT_VALUES] * n_surveys, splits=50)
    ends = [result.ratio.low, result.ratio.high, result.correlation.low, result.correlation.high]
    assert np.isfinite(ends).all() == has_interval
    assert np.isnan(ends).all() != has_interval
    means = [entry.mean @ ATTAINMENT_VALUES for entry in people]
    assert result.correlation.value == pytest.approx(np.corrcoef(machine, means)[0, 1])
