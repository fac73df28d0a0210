"""Answers: probabilities that rounding moved, and those that nothing explains."""

import math

import pytest

from semscale.chat.decision_formats import answers_in, as_reply, what_is_wrong
from semscale.chat.decisions import DecisionAnswer, DecisionAnswers
from semscale.chat.messages import Usage


def test_probabilities_of_two_decimals_are_made_to_sum_to_1():
    # .33 + .33 + .33 = .99, and three values may each be off by .005: .985 to 1.015 is rounding
    found = DecisionAnswer.of([0.33, 0.33, 0.33])
    assert found.masses == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (found.covered, found.is_normalised) == (pytest.approx(0.99), True)


@pytest.mark.parametrize(("last", "usable"), [(0.51, True), (0.512, False), (0.49, True), (0.488, False)])
def test_the_tolerance_is_half_a_hundredth_for_each_value(last, usable):
    # two values: .01 in all
    assert bool(DecisionAnswer.of([0.5, last]).masses) is usable


def test_a_sum_of_1_is_left_alone():
    found = DecisionAnswer.of([0.25, 0.75])
    assert (found.masses, found.is_normalised) == ((0.25, 0.75), False)


@pytest.mark.parametrize("value", [-0.1, 1.2, math.nan, math.inf])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(ValueError, match="probability"):
        DecisionAnswer.of([0.5, value])


def test_answers_survive_the_ledger():
    answers = {
        "a": DecisionAnswer.of([0.1, 0.9]),
        "b": DecisionAnswer.refusal(),
        "c": DecisionAnswer.of([0.1, 0.2]),
        "d": DecisionAnswer((0.5, 0.5), 1.0, readings=((0.25, 0.75), (0.75, 0.25))),
    }
    found = answers_in(as_reply(DecisionAnswers(answers, Usage(3, 1), "m", "{}")))
    assert (found["a"].masses, found["b"].refused) == ((0.1, 0.9), True)
    assert found["c"].reason == answers["c"].reason
    assert math.isnan(found["c"].covered)
    assert found["d"].readings == answers["d"].readings
    assert found["a"].readings == ()


@pytest.mark.parametrize("reading", [(1.0,), (0.5, 0.6), (-0.5, 1.5)])
def test_a_reading_must_be_a_distribution_over_the_options(reading):
    found = DecisionAnswers({"q": DecisionAnswer((0.5, 0.5), 1.0, readings=((0.5, 0.5), reading))})
    assert what_is_wrong(found, {"q": 2}) == "a reading of 'q' is no distribution over 2 options"


def test_a_probability_may_be_off_by_a_millionth_at_both_ends():
    # a predicate's yes of 1.0000004 leaves -.0000004 for no; two decimals could not show either
    assert DecisionAnswer.of([-4e-7, 1.0000004]).masses == (0.0, 1.0)
    with pytest.raises(ValueError, match="probability"):
        DecisionAnswer.of([-2e-6, 1.0])
