"""Limits of decision models, checked before anything is sent."""

import pytest

from semscale.chat import ImagePart, Message
from semscale.chat.decision_formats import check_decision
from semscale.chat.decisions import (
    ChoiceQuestion,
    DecisionAnswer,
    DecisionAnswers,
    DecisionLimits,
    DecisionRequest,
    Option,
    PredicateQuestion,
    ScoreQuestion,
    decide,
)
from semscale.chat.pacing import Retries
from semscale.errors import InputError
from semscale.signature import Signature

YES = PredicateQuestion("Is it?")


class Own:
    name, signature, limits = "own", Signature.of("chat", model="own"), DecisionLimits(questions=2)

    def __init__(self):
        self.asked = 0

    async def decide(self, request):
        self.asked += 1
        return DecisionAnswers({})


def test_an_image_where_none_is_read_is_refused():
    request = DecisionRequest((Message("user", (ImagePart("data:image/png;base64,AAAA"),)),), {"q": YES})
    with pytest.raises(InputError, match="own decides about texts and reads no images"):
        check_decision(request, Own.limits, "own")


def test_too_many_options_are_refused():
    question = ChoiceQuestion("Which?", tuple(Option(str(number)) for number in range(4)))
    with pytest.raises(InputError, match="2 to 3 options, got 4 in question 'q'"):
        check_decision(DecisionRequest.of("t", {"q": question}), DecisionLimits(options=3), "own")


def test_too_many_questions_are_refused_before_anything_is_sent():
    model = Own()
    with pytest.raises(InputError, match="own takes 2 questions at once, got 3"):
        decide(model, [DecisionRequest.of("t", dict.fromkeys("abc", YES))], ledger=False)
    assert model.asked == 0


def test_no_request_is_refused():
    with pytest.raises(InputError, match="at least one"):
        decide(Own(), [])


def test_a_signature_must_be_one():
    model = Own()
    model.signature = "own"
    with pytest.raises(InputError, match="signature of a decision model"):
        decide(model, [DecisionRequest.of("t", {"q": YES})])


class Answering(Own):
    def __init__(self, answers):
        self.answers = answers

    async def decide(self, request):
        return DecisionAnswers(self.answers)


def answered(answers):
    question = ScoreQuestion("How good?", tuple(map(Option, ("bad", "fair", "good"))))
    found = decide(
        Answering(answers), [DecisionRequest.of("t", {"q": question})], ledger=False, retries=Retries(0)
    )
    return found.answers[0]["q"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"q": DecisionAnswer((2, 3, 0))}, "the probabilities of 'q' must be from 0 to 1, got 2"),
        ({"q": DecisionAnswer((0.5, 0.2, 0.1))}, "the probabilities of 'q' sum to 0.8"),
        ({"q": DecisionAnswer((0.5, 0.5))}, "'q' has 3 options and 2 probabilities"),
        ({"q": DecisionAnswer((float("nan"), 0.5, 0.5))}, "must be from 0 to 1, got nan"),
        ({"q": DecisionAnswer()}, "the answer to 'q' has neither probabilities nor a reason"),
        ({}, "there is no answer to 'q'"),
        ({"q": DecisionAnswer.of([0, 0, 1]), "r": DecisionAnswer.refusal()}, "there is no question 'r'"),
    ],
)
def test_answers_of_an_own_model_that_are_none_to_the_questions_are_not_used(answers, said):
    found = answered(answers)
    assert found.masses == ()
    assert found.reason.startswith("own answered with decisions that cannot be used: ")
    assert said in found.reason


def test_the_order_bias_that_an_own_model_states_is_kept():
    assert answered({"q": DecisionAnswer((0.0, 0.25, 0.75), 1.0, order_bias=0.125)}).order_bias == 0.125
