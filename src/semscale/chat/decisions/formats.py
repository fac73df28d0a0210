"""Formats of decisions: OpenAI's, System One's, and the next token of any chat model."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semscale.chat.decisions.questions import (
    DecisionAnswer,
    DecisionLimits,
    DecisionRequest,
    PredicateQuestion,
    Question,
    ScoreQuestion,
)
from semscale.chat.messages import Message, Parameters, Request, TextPart
from semscale.chat.replies import Reply

DECISIONS_PATH = "/decisions"
DECISIONS_LIMITS = DecisionLimits(levels=10, options=255, questions=400, reads_images=True)


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
        name: _decisions_answer(found, question)
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


def _decisions_answer(found: Mapping[str, Any], question: Question) -> DecisionAnswer:
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


SYSTEMONE_PATH = "/systemone"
SYSTEMONE_LIMITS = DecisionLimits(levels=10, options=255, reads_images=False)
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
        name: _systemone_answer(answers[name], question) if name in answers else DecisionAnswer.refusal()
        for name, question in request.questions.items()
    }


def _systemone_answer(found: Mapping[str, Any], question: Question) -> DecisionAnswer:
    if isinstance(question, PredicateQuestion):
        chance = float(found[_NOUL])
        return DecisionAnswer.of([1 - chance, chance])
    masses = {str(name): float(value) for name, value in found["probabilities"].items()}
    values = [option.value for option in question.options]
    names = [str(place) for place in range(len(values))] if isinstance(question, ScoreQuestion) else values
    return DecisionAnswer.of(in_order(masses, names))


LETTERS = "ABCDEFGHIJ"
LETTER_LIMITS = DecisionLimits(levels=len(LETTERS), options=len(LETTERS), reads_images=True)
TOP = 20
_AROUND = " \t\n\r\"'*:._([{)]}▁Ġ"
_ROUNDING = 1e-3
_LEAST_MASS = 0.1

Order = tuple[int, ...]
"""The number of the option that stands at each place, from 0."""


def rotations(n: int) -> tuple[Order, ...]:
    """List orders of n options in which each option has each position once.

    Models prefer some positions of a list, so answers are averaged over these orders.

    Example:
        >>> rotations(3)
        ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    return tuple(tuple((place + shift) % n for place in range(n)) for shift in range(n))


def next_token_request(request: DecisionRequest, question: Question, order: Order) -> Request:
    """Ask a chat model one question, with its options in an order.

    Args:
        request: its messages are the input; the question goes to the end of the last one.
        question: one of its questions.
        order: of the options.
    """
    listed = "\n".join(
        f"{letter}: {question.options[place].described}"
        for letter, place in zip(LETTERS, order, strict=False)
    )
    last = LETTERS[len(order) - 1]
    asked = f"Reply with exactly one letter, A to {last}, and nothing else."
    words = f"\n\n{question.instructions}\n\n{listed}\n\n{asked}"
    *before, end = request.messages
    if end.role == "user":
        messages = (*before, Message("user", (*end.content, TextPart(words))))
    else:
        messages = (*before, end, Message("user", words.strip()))
    return Request(messages, Parameters(temperature=0.0, max_tokens=1, top_logprobs=TOP))


def letter_masses(reply: Reply, order: Order) -> DecisionAnswer | None:
    """Read the probabilities of the options from the first token of a reply.

    Each letter must be a whole token. Several tokens for one letter, such as with a blank before it, add up.
    Letters that have less than .1 together are no answer: the model would have said something else.

    Args:
        reply: to ``next_token_request``.
        order: in which the options stood.

    Returns:
        The answer, in the options' own order; one without masses where the letters are no whole tokens, or
        are unlikely.
        ``None`` where the model gives no log-probabilities.
    """
    if not reply.logprobs:
        return None
    first = reply.logprobs[0]
    shares = dict(first.top)
    shares.setdefault(first.token, first.logprob)
    masses = np.zeros(len(order))
    for token, logprob in shares.items():
        place = LETTERS.find(letter) if (letter := token.strip(_AROUND)) else -1
        if len(letter) == 1 and 0 <= place < len(order):
            masses[order[place]] += math.exp(logprob)
    covered = float(masses.sum())
    likeliest = max(shares, key=lambda token: shares[token])
    if 0 < covered < _LEAST_MASS:
        return DecisionAnswer(
            reason=f"the letters have {covered:.2g} of the next token's probability, and {_LEAST_MASS:g} is "
            f"the least; {likeliest!r:.30} is the likeliest token"
        )
    if not 0 < covered <= 1 + _ROUNDING:
        return DecisionAnswer(
            reason=f"none of the letters A to {LETTERS[len(order) - 1]} is among the likeliest tokens, "
            f"{likeliest!r:.30} is the first: the letters must be whole tokens of the model"
        )
    return DecisionAnswer(tuple((masses / covered).tolist()), min(covered, 1.0))


def averaged(answers: Sequence[DecisionAnswer | None], n_orders: int) -> DecisionAnswer:
    """Average the answers to one question over the orders of its options.

    ``order_bias`` is the mean distance of the orders' answers from their mean, half the sum of absolute
    differences: 0 if the order does not matter.

    Args:
        answers: one for each order that has one.
        n_orders: how many orders were asked for.

    Example:
        >>> found = averaged([DecisionAnswer((0.75, 0.25), 1.0), DecisionAnswer((0.25, 0.75), 0.5)], 2)
        >>> found.masses, found.covered, found.order_bias
        ((0.5, 0.5), 0.75, 0.25)
    """
    usable = [answer for answer in answers if answer is not None and answer.masses]
    if len(usable) < n_orders:
        missing = next((answer for answer in answers if answer is not None and not answer.masses), None)
        said = f"{len(usable)} of {n_orders} orders of the options have probabilities"
        if missing is None:
            return DecisionAnswer(reason=said)
        return replace(missing, reason=f"{said}: {missing.reason}")
    masses = np.array([answer.masses for answer in usable])
    mean = masses.mean(axis=0)
    bias = float(np.abs(masses - mean).sum(axis=1).mean() / 2)
    covered = float(np.mean([answer.covered for answer in usable]))
    readings = tuple(answer.masses for answer in usable)
    return DecisionAnswer(tuple(mean.tolist()), covered, order_bias=bias, readings=readings)


@dataclass(frozen=True)
class DecisionFormat:
    """A format of requests and answers.

    Attributes:
        path: below the endpoint's address.
        limits: what an endpoint takes in it.
        body: writes a request, from the model's name.
        answers: reads what comes back; its errors say that it has another form.
    """

    path: str
    limits: DecisionLimits
    body: Callable[[str, DecisionRequest], dict[str, Any]]
    answers: Callable[[Mapping[str, Any], DecisionRequest], dict[str, DecisionAnswer]]


FORMATS = {
    "decisions": DecisionFormat(DECISIONS_PATH, DECISIONS_LIMITS, decisions_body, decisions_answers),
    "systemone": DecisionFormat(SYSTEMONE_PATH, SYSTEMONE_LIMITS, systemone_body, systemone_answers),
}
"""The formats that endpoints speak, the one to try first at the top.

OpenAI's Decisions are ``POST /v1/decisions``. LiteLLM, vLLM, Ollama, llama.cpp and TypeSafe's Jev speak
System One, ``POST /v1/systemone``: a yes-or-no question is called ``noul``, levels have no names but their
numbers from 0, and a question that was not answered is left out. https://docs.litellm.ai/docs/decisions
"""
