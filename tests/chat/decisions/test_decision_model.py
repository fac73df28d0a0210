"""Limits of decision models, checked before anything is sent."""

import pytest

from semscale.chat import ImagePart, Message
from semscale.chat.decisions import (
    ChoiceQuestion,
    DecisionAnswers,
    DecisionLimits,
    DecisionRequest,
    Option,
    PredicateQuestion,
    decide,
)
from semscale.chat.decisions.decision_model import check_decision
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
