"""The likeliest next tokens, from the beams of a search of one step."""

import math

import pytest

from semscale.chat.local import asks_for_next_token, beam_settings, likeliest_tokens
from semscale.chat.messages import Parameters


def test_tokens_with_the_same_text_add_up():
    found = likeliest_tokens(["B", "A", "A"], [math.log(0.4), math.log(0.3), math.log(0.2)])
    assert [text for text, _ in found.top] == ["A", "B"]
    assert math.exp(found.logprob) == pytest.approx(0.5)


def test_no_probability_is_above_1():
    # Two beams that rounding took to a sum of 1.0001.
    assert likeliest_tokens(["A", "A"], [math.log(0.6), math.log(0.4001)]).logprob == 0


def test_a_token_without_any_probability_is_left_out():
    assert [text for text, _ in likeliest_tokens(["A", "B"], [0.0, -math.inf]).top] == ["A"]


def test_each_beam_is_one_token():
    assert beam_settings(20) == {"max_new_tokens": 1, "num_beams": 20, "num_return_sequences": 20}


@pytest.mark.parametrize(
    ("given", "asks"),
    [
        ({"max_tokens": 1, "top_logprobs": 20, "temperature": 0.0}, True),
        ({"max_tokens": 1, "top_logprobs": 20}, True),
        ({"max_tokens": 2, "top_logprobs": 20}, False),
        ({"max_tokens": 1}, False),
        ({"max_tokens": 1, "top_logprobs": 0}, False),
        ({"max_tokens": 1, "top_logprobs": 5, "temperature": 1.0}, False),
        ({"max_tokens": 1, "top_logprobs": 5, "schema": {"type": "string"}}, False),
    ],
)
def test_only_requests_for_one_token_are_searched(given, asks):
    assert asks_for_next_token(Parameters(**given)) is asks
