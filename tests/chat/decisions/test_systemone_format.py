"""The System One format, as LiteLLM documents it."""

import pytest
from decision_endpoint import ASKED, REQUEST

from semscale.chat.decision_formats import systemone_answers, systemone_body


def test_the_body_has_the_documented_fields():
    assert systemone_body("jev", REQUEST) == {
        "model": "jev",
        "state": "It broke.",
        "questions": {
            "angry": {"type": "noul", "instructions": "Is it angry?"},
            "team": {
                "type": "choice",
                "instructions": "Which team?",
                "criteria": {"billing": "money", "sales": None},
            },
            "tone": {"type": "score", "instructions": "How kind?", "criteria": ["rude", "kind: warm words"]},
        },
    }


def test_levels_are_numbered_from_0_and_a_missing_answer_is_a_refusal():
    answers = {
        "tone": {"type": "score", "score": 0.75, "probabilities": {"1": 0.75, "0": 0.25}},
        "angry": {"type": "noul", "noul": 1.0},
    }
    found = systemone_answers({"answers": answers}, REQUEST)
    assert found["tone"].masses == (0.25, 0.75)
    assert found["angry"].masses == (0.0, 1.0)
    assert found["team"].refused
    assert list(found) == list(ASKED)


@pytest.mark.parametrize(
    "answers",
    [
        {"other": {"type": "noul", "noul": 1.0}},
        {"angry": {"type": "choice", "probabilities": {}}},
        {"tone": {"type": "score", "probabilities": {"1": 0.5, "2": 0.5}}},
    ],
)
def test_answers_to_other_questions_are_refused(answers):
    with pytest.raises((ValueError, KeyError)):
        systemone_answers({"answers": answers}, REQUEST)
