"""Probabilities of the options' letters as the next token, averaged over orders."""

import math

import pytest

from semscale.chat import Message, Reply, Request, TokenLogprob
from semscale.chat.decision_formats import averaged, letter_masses, next_token_request, rotations
from semscale.chat.decisions import DecisionAnswer, DecisionRequest, Option, ScoreQuestion

QUESTION = ScoreQuestion("How good?", (Option("bad"), Option("fair", "has faults"), Option("good")))
ASKED = DecisionRequest((Message("system", "Judge."), Message("user", "The text.")), {"q": QUESTION})


def reply(*top: tuple[str, float]) -> Reply:
    found = tuple((token, math.log(share)) for token, share in top)
    return Reply(top[0][0], logprobs=(TokenLogprob(*found[0], found),))


def test_every_option_stands_once_at_every_place():
    orders = rotations(4)
    assert all(sorted(places) == [0, 1, 2, 3] for places in (*orders, *zip(*orders, strict=True)))


def test_the_question_stands_after_the_text_with_its_options_in_order():
    request = next_token_request(ASKED, QUESTION, (2, 0, 1))
    assert isinstance(request, Request)
    assert [message.role for message in request.messages] == ["system", "user"]
    text = request.messages[1].text
    assert text.startswith("The text.\n\nHow good?\n\nA: good\nB: bad\nC: fair: has faults\n")
    assert "A to C" in text
    assert (request.parameters.max_tokens, request.parameters.top_logprobs) == (1, 20)


def test_masses_go_back_to_the_options_own_order():
    # the order (2, 0, 1) puts good at A, bad at B and fair at C
    found = letter_masses(reply(("A", 0.5), ("B", 0.25), (" C", 0.25)), (2, 0, 1))
    assert found.masses == pytest.approx((0.25, 0.25, 0.5))


def test_tokens_that_are_no_letter_are_left_out_and_told():
    found = letter_masses(reply(("A", 0.5), (" A", 0.1), ("The", 0.2), ("AB", 0.1), ("D", 0.1)), (0, 1, 2))
    assert found.masses == (1.0, 0.0, 0.0)
    assert found.covered == pytest.approx(0.6)


def test_without_a_letter_the_reason_is_told():
    found = letter_masses(reply(("The", 0.9), ("I", 0.1)), (0, 1, 2))
    assert found.masses == ()
    assert "must be whole tokens" in found.reason


def test_without_log_probabilities_there_is_no_answer():
    assert letter_masses(Reply("A"), (0, 1)) is None


def test_the_order_bias_of_a_model_that_always_says_a_is_as_large_as_it_can_be():
    # always the first letter: each order gives all mass to another option, so the mean is 1/3 each, and each
    # order is (|1 - 1/3| + 1/3 + 1/3) / 2 = 2/3 away from it
    answers = [letter_masses(reply(("A", 1.0)), order) for order in rotations(3)]
    found = averaged(answers, 3)
    assert found.masses == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert found.order_bias == pytest.approx(2 / 3)


def test_an_order_without_probabilities_leaves_no_balanced_mean():
    found = averaged([DecisionAnswer((0.5, 0.5), 1.0), None], 2)
    assert found.masses == ()
    assert found.reason == "1 of 2 orders of the options have probabilities"


def test_letters_with_almost_no_mass_are_no_answer():
    found = letter_masses(reply(("I", 0.95), ("A", 0.002)), (0, 1, 2, 3, 4))
    assert found.masses == ()
    assert "the letters have 0.002 of the next token's probability, and 0.1 is the least" in found.reason
    assert letter_masses(reply(("I", 0.85), ("A", 0.15)), (0, 1)).masses == (1.0, 0.0)


def test_the_orders_give_the_mean_a_standard_error():
    found = averaged([DecisionAnswer((0.2, 0.8)), DecisionAnswer((0.4, 0.6)), DecisionAnswer((0.6, 0.4))], 3)
    # .8, .6 and .4: a standard deviation of .2, by the root of 3
    assert found.standard_error((0, 1)) == pytest.approx(0.2 / 3**0.5)


def test_one_reading_and_equal_readings_have_no_known_error():
    assert math.isnan(DecisionAnswer((0.2, 0.8)).standard_error((0, 1)))
    alike = averaged([DecisionAnswer((0.2, 0.8)), DecisionAnswer((0.2, 0.8))], 2)
    assert math.isnan(alike.standard_error((0, 1)))
