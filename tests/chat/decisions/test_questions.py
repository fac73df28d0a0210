"""Questions, and what they refuse."""

import pytest

from semscale.chat.decision_formats import question_from, question_record
from semscale.chat.decisions import ChoiceQuestion, DecisionRequest, Option, PredicateQuestion, ScoreQuestion
from semscale.errors import InputError


def options(*names):
    return tuple(map(Option, names))


@pytest.mark.parametrize(
    "question",
    [
        PredicateQuestion("Is it?"),
        ChoiceQuestion("Which?", (Option("a", "the first"), Option("b"))),
        ScoreQuestion("How much?", options("low", "high")),
    ],
)
def test_a_question_is_read_back_from_its_record(question):
    assert question_from(question_record(question)) == question


@pytest.mark.parametrize("kind", [ChoiceQuestion, ScoreQuestion])
def test_one_option_is_no_question(kind):
    with pytest.raises(InputError, match="must be two or more, got 1"):
        kind("Which?", options("a"))


def test_options_have_different_names():
    with pytest.raises(InputError, match="got 'a' twice"):
        ScoreQuestion("Which?", options("a", "b", "a"))


@pytest.mark.parametrize("words", ["", "  ", None])
def test_a_question_needs_instructions(words):
    with pytest.raises(InputError, match="instructions"):
        PredicateQuestion(words)


def test_a_request_needs_a_question_and_a_message():
    with pytest.raises(InputError, match="at least one question"):
        DecisionRequest.of("text", {})
    with pytest.raises(InputError, match="at least one message"):
        DecisionRequest((), {"a": PredicateQuestion("Is it?")})
