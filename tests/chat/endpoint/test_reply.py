"""Parsing of an answer's body: what is a reply, and what is a failure of which kind."""

import json

import pytest

from semscale.chat.endpoint import Scrubber, parse_reply, token_logprobs
from semscale.chat.messages import CallError, FailureKind, TokenLogprob, Usage

KEY = "sk-0123456789abcdef"


def body(message=None, **fields):
    choice = {"message": {"content": "Paris"} if message is None else message, **fields.pop("choice", {})}
    return json.dumps({"choices": [choice], **fields})


def parsed(text):
    return parse_reply(text, Scrubber([KEY]), model="m")


def test_fields_of_a_reply():
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    reply = parsed(body(model="m-2026", usage=usage, choice={"finish_reason": "length"}))
    assert (reply.text, reply.finish_reason, reply.usage) == ("Paris", "length", Usage(7, 2))
    assert reply.model == "m-2026"
    assert reply.logprobs is None


def test_what_an_endpoint_leaves_out():
    reply = parsed(body())
    assert (reply.finish_reason, reply.usage, reply.model) == ("stop", None, "m")


def test_parts_of_a_message_are_joined():
    assert parsed(body({"content": [{"text": "Pa"}, {"text": "ris"}, "?"]})).text == "Paris?"


def test_half_of_a_surrogate_pair_is_no_character():
    assert parsed(body({"content": "good \ud83d, \U0001f600"})).text == "good \ufffd, \U0001f600"


def test_an_echoed_key_is_in_no_field():
    reply = parsed(body({"content": f"Your key is {KEY}."}))
    assert reply.text == "Your key is [key]."
    assert KEY not in reply.raw


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("<html>", FailureKind.MALFORMED, "m answered with text that is no JSON: '<html>'"),
        ("[]", FailureKind.MALFORMED, "answered without choices"),
        ('{"error": "busy"}', FailureKind.MALFORMED, "answered without choices: busy"),
        ('{"choices": []}', FailureKind.EMPTY, "empty list of choices"),
        ('{"choices": [{}]}', FailureKind.MALFORMED, "a choice that cannot be read"),
        (body({"refusal": "No."}), FailureKind.REFUSED, "m refused: No."),
        (
            body({"content": "a"}, choice={"finish_reason": "content_filter"}),
            FailureKind.REFUSED,
            "stopped by its content filter",
        ),
        (body({"content": "word " * 250_000}), FailureKind.MALFORMED, "with 1,250,000 characters of text"),
        (body({"content": " "}), FailureKind.SILENT, "without text (finish reason stop)"),
        (body({"content": None, "tool_calls": [{}]}), FailureKind.SILENT, "without text (a tool call, "),
        (body({"content": "", "reasoning": "2"}), FailureKind.SILENT, "without text (reasoning alone, "),
        (body({"content": [{"type": "thinking", "text": "2"}]}), FailureKind.SILENT, "without text ("),
        (
            body({"content": None}, choice={"finish_reason": "length"}),
            FailureKind.SILENT,
            "max_tokens may be too small",
        ),
    ],
)
def test_what_is_no_reply(text, kind, words):
    with pytest.raises(CallError) as caught:
        parsed(text)
    assert caught.value.kind is kind
    assert words in str(caught.value)
    assert caught.value.raw


def test_a_refusal_still_states_what_it_used():
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    with pytest.raises(CallError) as caught:
        parsed(body({"refusal": "No."}, usage=usage))
    assert caught.value.usage == Usage(7, 2)


def test_log_probabilities_above_zero_by_rounding_are_zero():
    token = {"token": "a", "logprob": 1e-9, "top_logprobs": [{"token": "b", "logprob": -2.5}]}
    assert token_logprobs({"content": [token]}) == (TokenLogprob("a", 0.0, (("b", -2.5),)),)
    assert token_logprobs(None) is None


@pytest.mark.parametrize("logprob", [0.5, float("nan"), "high"])
def test_what_is_no_log_probability(logprob):
    with pytest.raises(ValueError, match="logarithm|could not convert"):
        token_logprobs({"content": [{"token": "a", "logprob": logprob}]})
