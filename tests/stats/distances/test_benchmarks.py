"""Distances beside their nulls and their ceiling."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.distances.benchmarks import distance_benchmarks
from semscale.stats.distances.joint_resamples import JointSample, joint_resamples
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import IntervalPlan

EYE, VALUES = np.eye(3), np.array([1.0, 2.0, 3.0])
PLAN = IntervalPlan(replicates=400)


def sample(*counts):
    return PmfSample(np.repeat(EYE, counts, axis=0))


def test_worked_by_hand_with_two_surveys():
    panel = [sample(10, 10, 20), sample(40, 0, 0)]
    people = [sample(10, 20, 10), sample(20, 20, 0)]
    found = distance_benchmarks(panel, people, [VALUES, VALUES], plan=PLAN)
    # Shares .25 .25 .5 against .25 .5 .25: KS .25. 1 0 0 against .5 .5 0: KS .5.
    assert [each.value for each in found.by_survey["ks"]] == pytest.approx([0.25, 0.5])
    held = found.held["ks"]
    assert held.panel.value == pytest.approx(0.375)
    # Equal shares against .25 .5 .25: 1/3 - 1/4; against .5 .5 0: 1/3.
    assert held.uniform.value == pytest.approx((1 / 12 + 1 / 3) / 2)
    # The two surveys' people against each other: gaps .25 and .25.
    assert held.pooled.value == pytest.approx(0.25)
    assert held.below_uniform.value == pytest.approx((1 / 12 + 1 / 3) / 2 - 0.375)
    assert found.resampled == "respondents"


def test_halves_of_two_people_who_differ_are_as_far_apart_as_they_are():
    found = distance_benchmarks([sample(1, 0, 0)], [sample(1, 0, 1)], [VALUES], plan=PLAN)
    assert found.held["ks"].split_half.value == 1
    assert found.held["wasserstein"].split_half.value == 1


def test_one_survey_has_no_pooled_people_and_intervals_over_respondents():
    found = distance_benchmarks([sample(30, 60, 30)], [sample(40, 50, 10)], [VALUES], plan=PLAN)
    held = found.held["total_variation"]
    assert np.isnan(held.pooled.value)
    assert found.resampled == "respondents"
    # Shares .25 .5 .25 against .4 .5 .1: .15
    assert held.panel.value == pytest.approx(0.15)
    assert held.panel.low < 0.15 < held.panel.high


def test_a_panel_of_the_people_themselves_is_no_closer_than_their_halves():
    people = sample(40, 50, 10)
    held = distance_benchmarks([people], [people], [VALUES], plan=PLAN).held["wasserstein"]
    assert held.panel.value == held.panel.low == 0
    assert held.above_split_half.value < 0


def test_only_surveys_with_the_same_points_are_pooled():
    wide = np.array([0.0, 5.0, 10.0])
    found = distance_benchmarks([sample(1, 1, 1)] * 2, [sample(2, 1, 1)] * 2, [VALUES, wide], plan=PLAN)
    assert np.isnan(found.held["ks"].pooled.value)


def test_people_are_pooled_within_what_a_survey_is_about():
    panel, people = [sample(1, 1, 1)] * 3, [sample(4, 0, 0), sample(0, 0, 4), sample(0, 4, 0)]
    pools = ["intent", "intent", "liking"]
    found = distance_benchmarks(panel, people, [VALUES] * 3, plan=PLAN, pools=pools).held["ks"]
    # The first two are at opposite ends; the third has no other survey of its question.
    assert found.pooled.value == 1


def test_persons_who_answer_every_survey_alike_leave_the_width_of_one_survey():
    # Six answers of one person say no more than one does.
    own, others = sample(30, 60, 30), sample(40, 50, 10)
    one = distance_benchmarks([own], [others], [VALUES], plan=PLAN).held["wasserstein"].panel
    joint = [JointSample([side.masses] * 6) for side in (own, others)]
    drawn = joint_resamples(*joint, 400, np.random.default_rng(0))
    held = distance_benchmarks([own] * 6, [others] * 6, [VALUES] * 6, plan=PLAN, resamples=drawn).held
    six = held["wasserstein"].panel
    assert six.high - six.low == pytest.approx(one.high - one.low, rel=0.15)


def test_a_seed_gives_the_same_again_and_another_one_other_halves():
    pair = [sample(5, 9, 4)], [sample(7, 6, 5)]
    first, again = (distance_benchmarks(*pair, [VALUES], plan=PLAN) for _ in range(2))
    assert first == again
    other = distance_benchmarks(*pair, [VALUES], plan=IntervalPlan(replicates=400, seed=1))
    assert first.held["ks"].split_half != other.held["ks"].split_half


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
