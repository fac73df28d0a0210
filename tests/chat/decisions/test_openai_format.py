"""OpenAI's Decisions: the body that is sent, and answers that are none."""

import pytest
from decision_endpoint import ASKED, REQUEST

from semscale.chat import ImagePart, Message, TextPart
from semscale.chat.decision_formats import decisions_answers, decisions_body
from semscale.chat.decisions import DecisionRequest

ANSWERS = [
    {"type": "predicate", "name": "angry", "probability": 0.75},
    {
        "type": "choice",
        "choice": "sales",
        "confidence": 0.5,
        "probabilities": [{"value": "sales", "probability": 0.75}, {"value": "billing", "probability": 0.25}],
    },
    {"type": "refusal", "name": "tone"},
]


def test_the_body_has_the_fields_of_the_client():
    assert decisions_body("m", REQUEST) == {
        "model": "m",
        "input": [{"type": "message", "role": "user", "content": "It broke."}],
        "questions": [
            {"type": "predicate", "name": "angry", "instructions": "Is it angry?"},
            {
                "type": "choice",
                "name": "team",
                "instructions": "Which team?",
                "choices": [{"value": "billing", "description": "money"}, {"value": "sales"}],
            },
            {
                "type": "score",
                "name": "tone",
                "instructions": "How kind?",
                "levels": [{"label": "rude"}, {"label": "kind", "description": "warm words"}],
            },
        ],
    }


def test_an_image_is_a_part_of_its_message():
    message = Message("user", (TextPart("What is it?"), ImagePart("data:image/png;base64,AAAA")))
    body = decisions_body("m", DecisionRequest((message,), ASKED))
    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
    ]


def test_answers_are_put_into_the_order_of_the_options():
    found = decisions_answers({"answers": ANSWERS}, REQUEST)
    assert found["angry"].masses == (0.25, 0.75)
    assert found["team"].masses == (0.25, 0.75)
    assert found["tone"].refused


@pytest.mark.parametrize(
    "answers",
    [
        ANSWERS[:2],
        [ANSWERS[1], ANSWERS[0], ANSWERS[2]],
        [ANSWERS[0], {"type": "choice", "probabilities": [{"value": "sales", "probability": 1}]}, ANSWERS[2]],
        [{"type": "predicate", "probability": 1.4}, *ANSWERS[1:]],
        [{"probability": 0.5}, *ANSWERS[1:]],
    ],
)
def test_answers_to_other_questions_are_refused(answers):
    with pytest.raises((ValueError, KeyError)):
        decisions_answers({"answers": answers}, REQUEST)
