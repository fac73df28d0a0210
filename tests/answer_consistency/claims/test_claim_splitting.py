import asyncio

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.answer_consistency.claims.claim_splitting import (
    claims_request,
    read_claims,
    sentence_claims,
    split_claims,
)
from semscale.chat.loading import load_chat_model
from semscale.chat.runner import Runner


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ("- The tower is tall.\n- The tower is old.", ["The tower is tall.", "The tower is old."]),
        ("### It is tall.\n### It is old.", ["It is tall.", "It is old."]),
        ("1. It is tall.\n2) It is old.", ["It is tall.", "It is old."]),
        ("Claims:\n\n* It costs 3.50 euros.\n* It costs 3.50 euros.", ["It costs 3.50 euros."]),
        ("NONE", []),
        ("### NONE", []),
        ("- None.", []),
        ("", None),
        ("I am sorry, I cannot help with that.", None),
        ("-5 degrees", None),
    ],
)
def test_claims_are_the_marked_lines_of_a_reply(reply, claims):
    assert read_claims(reply) == claims


def test_sentences_without_a_letter_or_digit_are_no_claims():
    assert sentence_claims("It is tall. ??? !!!") == ["It is tall."]
    assert sentence_claims("...") == []
    assert sentence_claims(7) == []


def split(texts, replies, **settings):
    runner = Runner(load_chat_model(FakeListChatModel(responses=replies)), ledger=False)
    return asyncio.run(split_claims(texts, runner, **settings))


def test_what_is_no_text_is_not_asked_about_and_what_has_no_claims_in_its_reply_is_none():
    # Two requests: equal texts are asked about once.
    found = split(["It is tall.", None, "  ", "It is tall.", "It is old."], ["- It is tall.", "Sorry."])
    assert found == [["It is tall."], [], [], ["It is tall."], None]


def test_a_template_makes_the_whole_prompt():
    request = claims_request("It is tall.", lambda text: f"Facts of: {text}")
    assert [message.role for message in request.messages] == ["user"]
    assert request.messages[0].parts[0].text == "Facts of: It is tall."
