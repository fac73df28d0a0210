"""The guard for short answers: from which cosine on two are wordings of one answer."""

import pytest

from semscale.self_consistency.scoring.short_answers import (
    SAME_ANSWER,
    ShortAnswerGuard,
    same_answer_cosine,
)
from semscale.signature import Signature
from semscale.weights.known import KNOWN


def signature(name):
    model = KNOWN[name]
    return Signature.of("embed", model=f"{name}#{model.sums[model.weights][:12]}")


@pytest.mark.parametrize(("name", "bound"), [("all-MiniLM-L6-v2", SAME_ANSWER), ("e5-small", 0.93)])
def test_a_known_model_has_its_own_bound_whatever_the_floor(name, bound):
    assert [same_answer_cosine(signature(name), floor) for floor in (0.0, 0.9)] == [bound, bound]


def test_the_float32_form_of_a_known_model_on_the_hub_has_the_same_bound():
    on_hub = Signature.of("embed", model="intfloat/multilingual-e5-small#0")
    assert same_answer_cosine(on_hub, 0.8) == 0.93


def test_for_another_model_the_bound_lies_above_the_floor():
    other = Signature.of("embed", model="organisation/other#0")
    # .2 + .7 x .8 = .76 is less than MiniLM's own bound; .9 + .7 x .1 = .97.
    found = [same_answer_cosine(other, floor) for floor in (0.2, 0.9)]
    assert found == pytest.approx([SAME_ANSWER, 0.97])


def test_two_answers_differ_below_the_bound_alone():
    guard = ShortAnswerGuard()
    assert guard.check("Paris", "London", 0.89) == []
    assert [one.kind for one in guard.check("Paris", "London", 0.89, 0.93)] == ["other-answer"]
