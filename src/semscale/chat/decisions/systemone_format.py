"""Requests and answers in the System One format, ``POST /v1/systemone``.

LiteLLM, vLLM, Ollama, llama.cpp and TypeSafe's Jev speak it. A yes-or-no question is called ``noul``; levels
have no names but their numbers from 0; a question that was not answered is left out of the answers.

References: https://docs.litellm.ai/docs/decisions
"""

from collections.abc import Mapping
from typing import Any

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_model import DecisionLimits
from semscale.chat.decisions.openai_format import in_order
from semscale.chat.decisions.questions import DecisionRequest, PredicateQuestion, Question, ScoreQuestion

PATH = "/systemone"
LIMITS = DecisionLimits(levels=10, options=255, reads_images=False)
_NOUL = "noul"


def systemone_body(model: str, request: DecisionRequest) -> dict[str, Any]:
    """Write the body of a call; the messages' texts are the state.

    Example:
        >>> asked = DecisionRequest.of("Fine.", {"good": PredicateQuestion("Is it good?")})
        >>> systemone_body("m", asked)["questions"]
        {'good': {'type': 'noul', 'instructions': 'Is it good?'}}
    """
    return {
        "model": model,
        "state": state_of(request),
        "questions": {name: systemone_question(asked) for name, asked in request.questions.items()},
    }


def state_of(request: DecisionRequest) -> str:
    """Give the texts of all messages as one."""
    return "\n\n".join(message.text for message in request.messages)


def systemone_question(question: Question) -> dict[str, Any]:
    """Write one question."""
    if isinstance(question, PredicateQuestion):
        return {"type": _NOUL, "instructions": question.instructions}
    asked: dict[str, Any] = {"type": question.kind, "instructions": question.instructions}
    if isinstance(question, ScoreQuestion):
        asked["criteria"] = [option.described for option in question.options]
    else:
        asked["criteria"] = {option.value: option.meaning or None for option in question.options}
    return asked


def systemone_answers(body: Mapping[str, Any], request: DecisionRequest) -> dict[str, DecisionAnswer]:
    """Read the answers by their questions' names.

    Raises:
        KeyError, TypeError, ValueError: they do not have the format, or are no answers to the questions.
    """
    answers = body["answers"]
    unknown = [name for name in answers if name not in request.questions]
    if unknown:
        raise ValueError(f"there is no question {unknown[0]!r:.40}")
    return {
        name: _answer(answers[name], question) if name in answers else DecisionAnswer.refusal()
        for name, question in request.questions.items()
    }


def _answer(found: Mapping[str, Any], question: Question) -> DecisionAnswer:
    if isinstance(question, PredicateQuestion):
        chance = float(found[_NOUL])
        return DecisionAnswer.of([1 - chance, chance])
    masses = {str(name): float(value) for name, value in found["probabilities"].items()}
    values = [option.value for option in question.options]
    names = [str(place) for place in range(len(values))] if isinstance(question, ScoreQuestion) else values
    return DecisionAnswer.of(in_order(masses, names))
