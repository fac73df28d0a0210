"""Typed decisions: questions, answers, the protocol of decision models, and the forms of requests."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from semscale.chat.messages import (
    SLACK,
    DecisionAnswer,
    Message,
    Parameters,
    Reply,
    Request,
    TextPart,
    Usage,
)
from semscale.errors import InputError
from semscale.signature import Signature


@dataclass(frozen=True)
class Option:
    """A possible value of an answer.

    Attributes:
        value: its name.
        meaning: when it is right; may be empty.

    Examples:
        >>> Option("low", "can wait a week").described, Option("high").described
        ('low: can wait a week', 'high')
    """

    value: str
    meaning: str = ""

    @property
    def described(self) -> str:
        """The name with its meaning, if it has one."""
        return f"{self.value}: {self.meaning}" if self.meaning else self.value


_NO_OR_YES = (Option("no"), Option("yes"))


@dataclass(frozen=True)
class PredicateQuestion:
    """A yes-or-no question; the options of its answer are ``no`` and ``yes``, in this order.

    Attributes:
        instructions: the question.
    """

    instructions: str
    options: tuple[Option, ...] = field(default=_NO_OR_YES, init=False)
    kind: ClassVar[str] = "predicate"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with several options without an order.

    Attributes:
        instructions: the question.
        options: at least two options.

    Raises:
        InputError: fewer than two options, two with the same name, or no instructions.
    """

    instructions: str
    options: tuple[Option, ...]
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)
        _check_options(self.options, "options")


@dataclass(frozen=True)
class ScoreQuestion:
    """A question with several levels from low to high.

    Attributes:
        instructions: the question.
        options: the levels, at least two, the lowest first.

    Raises:
        InputError: fewer than two levels, two with the same name, or no instructions.
    """

    instructions: str
    options: tuple[Option, ...]
    kind: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)
        _check_options(self.options, "levels")


Question = PredicateQuestion | ChoiceQuestion | ScoreQuestion


@dataclass(frozen=True)
class DecisionRequest:
    """Questions about one input.

    Attributes:
        messages: the input, at least one message.
        questions: at least one question, by name.

    Raises:
        InputError: no message or no question.

    Examples:
        >>> asked = DecisionRequest.of("It crashed twice.", {"angry": PredicateQuestion("Is this angry?")})
        >>> asked.questions["angry"].options[1].value
        'yes'
    """

    messages: tuple[Message, ...]
    questions: Mapping[str, Question]

    def __post_init__(self) -> None:
        if not self.messages:
            raise InputError("a decision needs at least one message, got none")
        if not self.questions:
            raise InputError("a decision needs at least one question, got none")

    @classmethod
    def of(cls, text: str, questions: Mapping[str, Question]) -> Self:
        """Build a request about one text."""
        return cls((Message("user", text),), questions)

    @property
    def n_images(self) -> int:
        """Number of images in the input."""
        return sum(message.n_images for message in self.messages)


def question_record(question: Question) -> dict[str, Any]:
    """Return a question as JSON values.

    Examples:
        >>> question_record(ScoreQuestion("How good?", (Option("bad"), Option("good", "no faults"))))
        {'kind': 'score', 'instructions': 'How good?', 'options': [['bad', ''], ['good', 'no faults']]}
    """
    options = [[option.value, option.meaning] for option in question.options]
    return {"kind": question.kind, "instructions": question.instructions, "options": options}


def _check_instructions(instructions: str) -> None:
    if not isinstance(instructions, str) or not instructions.strip():
        raise InputError(f"the instructions of a question must be a text, got {instructions!r:.60}")


def _check_options(options: tuple[Option, ...], name: str) -> None:
    values = [option.value for option in options]
    if len(values) < 2:
        raise InputError(f"{name} must be two or more, got {len(values)}")
    twice = next((value for position, value in enumerate(values) if value in values[:position]), None)
    if twice is not None:
        raise InputError(f"{name} must have different names, got {twice!r} twice")


@dataclass(frozen=True)
class DecisionAnswers:
    """The answers to the questions of one request.

    Attributes:
        answers: by the questions' names.
        usage: tokens of the call; ``None`` if the model does not state them.
        model: the endpoint's name for the model that answered.
        raw: the reply's content, without keys.
    """

    answers: Mapping[str, DecisionAnswer] = field(default_factory=dict)
    usage: Usage | None = None
    model: str = ""
    raw: str = ""


def find_fault(decided: DecisionAnswers, n_options: Mapping[str, int]) -> str | None:
    """Return why answers do not fit their questions; ``None`` if they do.

    Args:
        decided: the answers of a decision model.
        n_options: number of options of each question, by its name.

    Examples:
        >>> find_fault(DecisionAnswers({"ok": DecisionAnswer((2, 3))}), {"ok": 2})
        "the probabilities of 'ok' must be from 0 to 1, got 2"
    """
    left_out = next((name for name in n_options if name not in decided.answers), None)
    if left_out is not None:
        return f"there is no answer to {left_out!r:.40}"
    unknown = next((name for name in decided.answers if name not in n_options), None)
    if unknown is not None:
        return f"there is no question {unknown!r:.40}"
    return next(filter(None, (_fault(name, decided.answers[name], n) for name, n in n_options.items())), None)


def _fault(name: str, answer: DecisionAnswer, n: int) -> str | None:
    if not answer.masses:
        has_reason = answer.reason or answer.refused
        return None if has_reason else f"the answer to {name!r:.40} has neither probabilities nor a reason"
    if len(answer.masses) != n:
        return f"{name!r:.40} has {n} options and {len(answer.masses)} probabilities"
    wrong = next((value for value in answer.masses if not 0 <= value <= 1 + SLACK), None)
    if wrong is not None:
        return f"the probabilities of {name!r:.40} must be from 0 to 1, got {wrong}"
    total = math.fsum(answer.masses)
    if abs(total - 1) > SLACK:
        return f"the probabilities of {name!r:.40} sum to {total:.4g}"
    uneven = next((reading for reading in answer.readings if not _is_distribution(reading, n)), None)
    return None if uneven is None else f"a reading of {name!r:.40} is no distribution over {n} options"


def _is_distribution(masses: Sequence[float], n: int) -> bool:
    within = all(0 <= value <= 1 + SLACK for value in masses)
    return len(masses) == n and within and abs(math.fsum(masses) - 1) <= SLACK


def why_unreadable(error: Exception) -> str:
    """Return the reason why answers cannot be read, for messages.

    Examples:
        >>> why_unreadable(KeyError("probability"))
        "the field 'probability' is missing"
    """
    if isinstance(error, KeyError):
        return f"the field {error.args[0]!r:.40} is missing"
    return str(error) if isinstance(error, ValueError) else "a field has a value of another type"


@dataclass(frozen=True)
class DecisionLimits:
    """Sizes that a decision model accepts.

    Attributes:
        levels: maximum number of levels of a score.
        options: maximum number of options of a choice.
        questions: maximum number of questions of a request; ``None`` if unknown.
        reads_images: whether the model reads images.
    """

    levels: int = 10
    options: int = 255
    questions: int | None = None
    reads_images: bool = False


@runtime_checkable
class DecisionModel(Protocol):
    """A model that answers typed questions; the counterpart of ``ChatModel``.

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    """

    @property
    def name(self) -> str:
        """The model's name in price tables and messages."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint, without secrets."""
        ...

    @property
    def limits(self) -> DecisionLimits:
        """Sizes that the model accepts; larger requests are refused before anything is sent."""
        ...

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

        Raises:
            CallError: there are no answers; ``kind`` says why.
        """
        ...


def check_decision(request: DecisionRequest, limits: DecisionLimits, name: str) -> None:
    """Check that a model accepts a request.

    Args:
        request: the request.
        limits: the model's limits.
        name: name of the model, for messages.

    Raises:
        InputError: too many levels, options or questions, or an image that the model cannot read.
    """
    if request.n_images and not limits.reads_images:
        raise InputError(f"{name} decides about texts and reads no images: leave the image out")
    n = len(request.questions)
    if limits.questions is not None and n > limits.questions:
        raise InputError(
            f"{name} takes {limits.questions} questions at once, got {n}: ask in several requests"
        )
    for title, question in request.questions.items():
        _check_limits(title, question, limits, name)


def _check_limits(title: str, question: Question, limits: DecisionLimits, name: str) -> None:
    n = len(question.options)
    if isinstance(question, ScoreQuestion) and n > limits.levels:
        raise InputError(f"{name} takes 2 to {limits.levels} levels, got {n} in question {title!r}")
    if isinstance(question, ChoiceQuestion) and n > limits.options:
        raise InputError(f"{name} takes 2 to {limits.options} options, got {n} in question {title!r}")


DECISIONS_PATH = "/decisions"
"""Path of OpenAI's Decisions below an endpoint's address: ``POST /v1/decisions``."""
DECISIONS_LIMITS = DecisionLimits(levels=10, options=255, questions=400, reads_images=True)


def decisions_body(model: str, request: DecisionRequest) -> dict[str, Any]:
    """Write the body of a call.

    Examples:
        >>> asked = DecisionRequest.of("Fine.", {"good": PredicateQuestion("Is it good?")})
        >>> decisions_body("m", asked)["questions"]
        [{'type': 'predicate', 'name': 'good', 'instructions': 'Is it good?'}]
    """
    questions = [_question(name, question) for name, question in request.questions.items()]
    return {
        "model": model,
        "input": [_message(message) for message in request.messages],
        "questions": questions,
    }


def decisions_answers(body: Mapping[str, Any], request: DecisionRequest) -> dict[str, DecisionAnswer]:
    """Read the answers, which are in the order of the questions.

    Raises:
        KeyError, TypeError, ValueError: they do not have the format, or do not fit the questions.
    """
    answers, questions = body["answers"], request.questions
    if len(answers) != len(questions):
        raise ValueError(f"{len(questions)} questions have {len(answers)} answers")
    return {
        name: _decisions_answer(answer, question)
        for (name, question), answer in zip(questions.items(), answers, strict=True)
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


def _decisions_answer(answer: Mapping[str, Any], question: Question) -> DecisionAnswer:
    if answer["type"] == "refusal":
        return DecisionAnswer.refusal()
    if answer["type"] != question.kind:
        raise ValueError(f"a question of type {question.kind} has an answer of type {answer['type']}")
    if isinstance(question, PredicateQuestion):
        chance = float(answer["probability"])
        return DecisionAnswer.of([1 - chance, chance])
    named = "label" if isinstance(question, ScoreQuestion) else "value"
    masses = {str(mass[named]): float(mass["probability"]) for mass in answer["probabilities"]}
    return DecisionAnswer.of(_in_order(masses, [option.value for option in question.options]))


def _in_order(masses: Mapping[str, float], names: list[str]) -> list[float]:
    """Sort probabilities in the order of the options.

    Raises:
        ValueError: an option has no probability, or a probability has no option.

    Examples:
        >>> _in_order({"b": 0.75, "a": 0.25}, ["a", "b"])
        [0.25, 0.75]
    """
    if masses.keys() != set(names):
        raise ValueError(f"probabilities are for {sorted(masses)}, and the options are {names}")
    return [masses[name] for name in names]


LETTERS = "ABCDEFGHIJ"
LETTER_LIMITS = DecisionLimits(levels=len(LETTERS), options=len(LETTERS), reads_images=True)
TOP = 20
_AROUND = " \t\n\r\"'*:._([{)]}▁Ġ"
_ROUNDING = 1e-3
_LEAST_MASS = 0.1

NO_LOGPROBS = "the model gives no log-probabilities"

Order = tuple[int, ...]
"""Index of the option at each position, from 0."""


def rotations(n: int) -> tuple[Order, ...]:
    """List orders of n options in which each option has each position once.

    Models prefer some positions of a list, so answers are averaged over these orders.

    Examples:
        >>> rotations(3)
        ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    return tuple(tuple((position + shift) % n for position in range(n)) for shift in range(n))


@dataclass(frozen=True)
class LetterRequest(Request):
    """A request to a chat model for the letter that answers one question of a decision.

    Attributes:
        question: name of the question.
        order: order of the options.
    """

    question: str = ""
    order: Order = ()

    def answers(self, reply: Reply) -> dict[str, DecisionAnswer]:
        """Read the answer; without log-probabilities, it has no masses but a reason."""
        answer = letter_masses(reply, self.order)
        return {self.question: DecisionAnswer(reason=NO_LOGPROBS) if answer is None else answer}


def letter_request(request: DecisionRequest, name: str, order: Order) -> LetterRequest:
    """Ask a chat model one question, with its options in an order.

    Args:
        request: its messages are the input; the question goes to the end of the last one.
        name: name of one of its questions.
        order: order of the options.
    """
    question = request.questions[name]
    listed = "\n".join(
        f"{letter}: {question.options[option].described}"
        for letter, option in zip(LETTERS, order, strict=False)
    )
    last = LETTERS[len(order) - 1]
    asked = f"Reply with exactly one letter, A to {last}, and nothing else."
    prompt = f"\n\n{question.instructions}\n\n{listed}\n\n{asked}"
    *before, end = request.messages
    if end.role == "user":
        messages = (*before, Message("user", (*end.content, TextPart(prompt))))
    else:
        messages = (*before, end, Message("user", prompt.strip()))
    parameters = Parameters(temperature=0.0, max_tokens=1, top_logprobs=TOP)
    return LetterRequest(messages, parameters, question=name, order=order)


def letter_masses(reply: Reply, order: Order) -> DecisionAnswer | None:
    """Read the probabilities of the options from the first token of a reply.

    Each letter must be a whole token. Several tokens for one letter, such as with a blank before it, add up.
    Letters with a total probability below .1 are no answer, as the model would have replied something else.

    Args:
        reply: reply to ``letter_request``.
        order: order of the options in the request.

    Returns:
        The answer, in the question's order of options; without masses if the letters are not whole tokens, or
        are unlikely. ``None`` if the model returns no log-probabilities.
    """
    if not reply.logprobs:
        return None
    first = reply.logprobs[0]
    shares = dict(first.top)
    shares.setdefault(first.token, first.logprob)
    masses = np.zeros(len(order))
    for token, logprob in shares.items():
        position = LETTERS.find(letter) if (letter := token.strip(_AROUND)) else -1
        if len(letter) == 1 and 0 <= position < len(order):
            masses[order[position]] += math.exp(logprob)
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


def average_answers(answers: Sequence[DecisionAnswer | None], n_orders: int) -> DecisionAnswer:
    """Average the answers to one question over the orders of its options.

    ``order_bias`` is the mean distance of the orders' answers from their mean, half the sum of absolute
    differences: 0 if the order does not matter.

    Args:
        answers: one for each order with an answer.
        n_orders: number of requested orders.

    Examples:
        >>> found = average_answers([DecisionAnswer((0.75, 0.25), 1.0), DecisionAnswer((0.25, 0.75), 0.5)], 2)
        >>> found.masses, found.covered, found.order_bias
        ((0.5, 0.5), 0.75, 0.25)
    """
    usable = [answer for answer in answers if answer is not None and answer.masses]
    if len(usable) < n_orders:
        missing = next((answer for answer in answers if answer is not None and not answer.masses), None)
        reason = f"{len(usable)} of {n_orders} orders of the options have probabilities"
        if missing is None:
            return DecisionAnswer(reason=reason)
        return replace(missing, reason=f"{reason}: {missing.reason}")
    masses = np.array([answer.masses for answer in usable])
    mean = masses.mean(axis=0)
    bias = float(np.abs(masses - mean).sum(axis=1).mean() / 2)
    covered = float(np.mean([answer.covered for answer in usable]))
    readings = tuple(answer.masses for answer in usable)
    return DecisionAnswer(tuple(mean.tolist()), covered, order_bias=bias, readings=readings)
