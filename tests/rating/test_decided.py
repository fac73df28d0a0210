"""Ratings by decisions of a chat model."""

import numpy as np
import pytest

from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.errors import InputError
from semscale.rating.decisions import (
    DecidedRatings,
    check_points,
    compare_with_decisions,
    decide_ratings,
    set_reliability,
)
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

SCALE = load_scale("quality")


class Decider:
    name, signature, limits = "d", Signature.of("chat", model="d"), DecisionLimits()

    def __init__(self):
        self.asked = []

    async def decide(self, request):
        text = request.messages[-1].text
        self.asked.append(text)
        question = request.questions["rating"]
        assert [option.value for option in question.options] == [point.label for point in SCALE.points]
        if text == "no":
            return DecisionAnswers({"rating": DecisionAnswer.refusal()})
        return DecisionAnswers({"rating": DecisionAnswer.of([0, 0, 0, 0.25, 0.75])})


def test_equal_texts_are_asked_about_once_and_refusals_have_no_rating():
    model = Decider()
    result = decide_ratings(["good", "no", "good"], SCALE, model, ledger=False)
    assert sorted(model.asked) == ["good", "no"]
    assert result.pmf[0].tolist() == result.pmf[2].tolist() == [0, 0, 0, 0.25, 0.75]
    assert np.isnan(result.pmf[1]).all()
    assert result.counts == {"answered": 1, "refused": 1, "unusable": 0, "normalised": 0}
    assert (result.form, np.isnan(result.order_bias)) == ("own", True)


def test_a_scale_of_eleven_points_is_refused():
    with pytest.raises(InputError, match="2 to 10 levels, and the scale 'recommendation' has 11 points"):
        check_points(load_scale("recommendation"))


VALUES = np.array([1.0, 2.0, 3.0])


def one_hot(*points):
    return np.eye(3)[[point - 1 for point in points]]


def compared(left, right, agreement, answers=()):
    decided = DecidedRatings(right, "decisions", {"answered": 4}, "", float("nan"), answers=answers)
    return compare_with_decisions(left, decided, VALUES, agreement, model="m", plan=IntervalPlan())


def test_the_figures_of_a_small_example():
    left, right = one_hot(1, 2, 3, 2), one_hot(1, 3, 3, 1)
    result = compared(left, right, np.array([[1.0, 0.5], [0.5, 1.0]]))
    # x = 1 2 3 2 (deviations -1 0 1 0), y = 1 3 3 1 (-1 1 1 -1): 2 / sqrt(2 * 4)
    assert result.correlation.value == pytest.approx(2 / 8**0.5)
    # two sets that correlate .5: 2 * .5 / 1.5 = 2/3
    assert result.reliability == pytest.approx(2 / 3)
    assert result.corrected == pytest.approx(2 / 8**0.5 / (2 / 3) ** 0.5)
    assert (result.rated.value, result.decided.value, result.difference.value) == (2.0, 2.0, 0.0)
    # mean PMFs .25 .5 .25 and .5 0 .5: distribution functions .25 .75 and .5 .5
    assert result.ks == pytest.approx(0.75)


def test_the_correlation_is_corrected_on_both_sides_where_orders_were_read():
    left, right = one_hot(1, 2, 3, 2), one_hot(1, 3, 3, 1)
    # Orders of the points read 1 3 3 1 and 1 3 2 2: deviations -1 1 1 -1 and -1 1 0 0, r = 2 / sqrt(4 * 2).
    readings = zip(one_hot(1, 3, 3, 1), one_hot(1, 3, 2, 2), strict=True)
    answers = tuple(DecisionAnswer(readings=tuple(map(tuple, reading))) for reading in readings)
    result = compared(left, right, np.array([[1.0, 0.9], [0.9, 1.0]]), answers)
    r = 2 / 8**0.5
    assert result.decided_reliability == pytest.approx(2 * r / (1 + r))
    both = (2 * 0.9 / 1.9) * (2 * r / (1 + r))
    assert result.corrected == pytest.approx(r / both**0.5)
    assert result.corrected_for == ("similarity", "decisions")
    alone = compared(left, right, np.array([[1.0]]), answers)
    assert alone.corrected == pytest.approx(r / (2 * r / (1 + r)) ** 0.5)
    assert alone.corrected_for == ("decisions",)
    assert compared(left, right, np.array([[1.0, 0.5], [0.5, 1.0]])).corrected_for == ("similarity",)
    assert compared(left, right, np.array([[1.0]])).corrected_for == ()


def test_a_difference_between_the_methods_lowers_the_intraclass_correlation():
    # Items 1 2 1 2 beside 2 3 2 3. Items: grand mean 2, item means 1.5 2.5 1.5 2.5, B = 2 * 1 / 3; raters:
    # 1.5 and 2.5, J = 4 * .5 = 2; the rest E = 0. ICC = B / (B + 2 * J / 4) = (2 / 3) / (2 / 3 + 1) = .4.
    result = compared(one_hot(1, 2, 1, 2), one_hot(2, 3, 2, 3), np.array([[1.0]]))
    assert result.correlation.value == pytest.approx(1)
    assert result.intraclass.value == pytest.approx(0.4)


def test_texts_without_both_ratings_are_left_out():
    right = one_hot(1, 2, 3, 3)
    right[3] = np.nan
    assert compared(one_hot(1, 2, 3, 1), right, np.eye(1)).n == 3


def test_what_cannot_be_computed_is_missing():
    result = compared(one_hot(1, 1, 1), one_hot(1, 2, 3), np.array([[1.0]]))
    assert result.correlation is None
    assert np.isnan(result.corrected)
    assert np.isnan(result.reliability)


def test_reliability_of_three_sets():
    # mean correlation .5 of three sets: 3 * .5 / 2
    agreement = np.array([[1, 0.4, 0.6], [0.4, 1, 0.5], [0.6, 0.5, 1]])
    assert set_reliability(agreement) == pytest.approx(0.75)
