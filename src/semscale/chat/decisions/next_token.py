"""Decisions of any chat model with log-probabilities: the next token's probabilities of the options' letters.

Models prefer some places of a list, so every option stands once at every place, and the answers are averaged.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_model import DecisionLimits
from semscale.chat.decisions.questions import DecisionRequest, Question
from semscale.chat.messages import Message, Parameters, Request, TextPart
from semscale.chat.replies import Reply

LETTERS = "ABCDEFGHIJ"
LIMITS = DecisionLimits(levels=len(LETTERS), options=len(LETTERS), reads_images=True)
TOP = 20
_AROUND = " \t\n\r\"'*:._([{)]}▁Ġ"
_ROUNDING = 1e-3
_LEAST_MASS = 0.1

Order = tuple[int, ...]
"""The number of the option that stands at each place, from 0."""


def rotations(n: int) -> tuple[Order, ...]:
    """List orders of n options in which each one stands once at each place.

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
