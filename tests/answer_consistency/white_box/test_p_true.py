import asyncio
import math

import numpy as np
import pytest

from semscale.answer_consistency.white_box.p_true import ask_p_true, p_true, p_true_request
from semscale.chat.replies import Reply, TokenLogprob
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.signature import Signature


class Sure:
    name = "sure"
    signature = Signature.of("chat", model="sure")

    def __init__(self, reply):
        self.reply = reply

    async def complete(self, request):
        assert request.parameters.top_logprobs
        return self.reply


def token(text, share, *others):
    top = ((text, math.log(share)), *((name, math.log(p)) for name, p in others))
    return TokenLogprob(text, math.log(share), top)


def test_spellings_of_a_word_are_summed():
    # True .3 + true .1 beside False .4 + FALSE .2: .4 / 1.0
    assert p_true([token(" False", 0.4, ("true", 0.1), ("True", 0.3), ("FALSE", 0.2))]) == pytest.approx(0.4)


def test_the_first_token_that_says_it_counts():
    assert p_true([token("**", 0.9), token("True", 0.9, ("False", 0.1))]) == pytest.approx(0.9)


def test_a_word_before_it_leaves_no_value():
    assert math.isnan(p_true([TokenLogprob("Not", -0.1), TokenLogprob(" true", -0.1)]))


def test_what_is_left_goes_to_the_word_that_is_not_shown():
    assert p_true([TokenLogprob("False", math.log(0.7))]) == pytest.approx(0.3)
    assert p_true([TokenLogprob("True", math.log(0.7))]) == pytest.approx(0.7)


@pytest.mark.parametrize("tokens", [None, (), [TokenLogprob("Perhaps", -0.1)]])
def test_without_either_word_there_is_no_value(tokens):
    assert math.isnan(p_true(tokens))


def test_other_answers_are_shown_once_and_not_the_answer_itself():
    text = p_true_request("Q?", "Paris", ["Rome", "Rome", "Paris", " "]).messages[-1].text
    assert text.count("Possible answer:") == 1
    assert "Proposed answer: Paris" in text


def test_an_answer_that_is_missing_is_not_asked_about():
    tokens = (token("True", 0.8, ("False", 0.2)),)
    model = Sure(Reply("True", logprobs=tokens))
    found = asyncio.run(ask_p_true(["Q?", "R?"], ["Paris", None], None, Runner(model, ledger=False)))
    np.testing.assert_allclose(found, [0.8, np.nan])
    with pytest.raises(InputError, match="equal lengths"):
        asyncio.run(ask_p_true(["Q?"], ["a", "b"], None, Runner(model, ledger=False)))
