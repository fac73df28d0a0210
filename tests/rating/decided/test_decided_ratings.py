"""Ratings of texts by decisions."""

import numpy as np
import pytest

from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.errors import InputError
from semscale.rating.decided.decided_ratings import check_points, decide_ratings
from semscale.scales import load_scale
from semscale.signature import Signature

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
    found = decide_ratings(["good", "no", "good"], SCALE, model, ledger=False)
    assert sorted(model.asked) == ["good", "no"]
    assert found.pmf[0].tolist() == found.pmf[2].tolist() == [0, 0, 0, 0.25, 0.75]
    assert np.isnan(found.pmf[1]).all()
    assert found.counts == {"answered": 1, "refused": 1, "unusable": 0, "normalised": 0}
    assert (found.form, np.isnan(found.order_bias)) == ("own", True)


def test_a_scale_of_eleven_points_is_refused():
    with pytest.raises(InputError, match="2 to 10 levels, and the scale 'recommendation' has 11 points"):
        check_points(load_scale("recommendation"))
