"""Requests and answers in the format of OpenAI's Decisions, ``POST /v1/decisions``."""

from collections.abc import Mapping
from typing import Any

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_model import DecisionLimits
from semscale.chat.decisions.questions import DecisionRequest, PredicateQuestion, Question, ScoreQuestion
from semscale.chat.messages import Message, TextPart

PATH = "/decisions"
LIMITS = DecisionLimits(levels=10, options=255, questions=400, reads_images=True)


def decisions_body(model: str, request: DecisionRequest) -> dict[str, Any]:
    """Write the body of a call.

    Example:
        >>> asked = DecisionRequest.of("Fine.", {"good": PredicateQuestion("Is it good?")})
        >>> decisions_body("m", asked)["questions"]
        [{'type': 'predicate', 'name': 'good', 'instructions': 'Is it good?'}]
    """
    questions = [_question(name, question) for name, question in request.questions.items()]
    return {"model": model, "input": [_message(each) for each in request.messages], "questions": questions}


def decisions_answers(body: Mapping[str, Any], request: DecisionRequest) -> dict[str, DecisionAnswer]:
    """Read the answers, which come in the order of the questions.

    Raises:
        KeyError, TypeError, ValueError: they do not have the format, or are no answers to the questions.
    """
    answers, questions = body["answers"], request.questions
    if len(answers) != len(questions):
        raise ValueError(f"{len(questions)} questions have {len(answers)} answers")
    return {
        name: _answer(found, question)
        for (name, question), found in zip(questions.items(), answers, strict=True)
    }


def _message(message: Message) -> dict[str, Any]:
    if message.n_images == 0:
        return {"type": "message", "role": message.role, "content": message.text}
    parts = [
        {"type": "input_text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "input_image", "image_url": part.url}
        for part in message.content
    ]
    return {"type": "message", "role": message.role, "content": parts}


def _question(name: str, question: Question) -> dict[str, Any]:
    asked: dict[str, Any] = {"type": question.kind, "name": name, "instructions": question.instructions}
    if isinstance(question, PredicateQuestion):
        return asked
    named, listed = ("label", "levels") if isinstance(question, ScoreQuestion) else ("value", "choices")
    asked[listed] = [
        {named: option.value, **({"description": option.meaning} if option.meaning else {})}
        for option in question.options
    ]
    return asked


def _answer(found: Mapping[str, Any], question: Question) -> DecisionAnswer:
    if found["type"] == "refusal":
        return DecisionAnswer.refusal()
    if found["type"] != question.kind:
        raise ValueError(f"a question of type {question.kind} has an answer of type {found['type']}")
    if isinstance(question, PredicateQuestion):
        chance = float(found["probability"])
        return DecisionAnswer.of([1 - chance, chance])
    named = "label" if isinstance(question, ScoreQuestion) else "value"
    masses = {str(each[named]): float(each["probability"]) for each in found["probabilities"]}
    return DecisionAnswer.of(in_order(masses, [option.value for option in question.options]))


def in_order(masses: Mapping[str, float], names: list[str]) -> list[float]:
    """Put probabilities into the order of the options that they are for.

    Raises:
        ValueError: an option has none, or one is for no option.

    Example:
        >>> in_order({"b": 0.75, "a": 0.25}, ["a", "b"])
        [0.25, 0.75]
    """
    if masses.keys() != set(names):
        raise ValueError(f"probabilities are for {sorted(masses)}, and the options are {names}")
    return [masses[name] for name in names]
