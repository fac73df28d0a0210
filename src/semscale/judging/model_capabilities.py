"""Finds out which options a chat model takes: decisions, structured output, and probabilities of tokens.

Endpoints refuse options that they do not know. So the first item is asked about with all options, and with
fewer until a request is taken. A decision may be rejected for what the item says, so a form of decisions is
given up only where further items are rejected, too. Whether a model ignores an option that it takes shows in
its replies.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from semscale.chat.decisions.decision_calls import TRIED_ITEMS
from semscale.chat.messages import Message, Parameters, Request
from semscale.judging.asking import Conversation, Running
from semscale.judging.prompts.prompting import JudgedItem

_TOP = (20, 5)


@dataclass(frozen=True)
class ModelCapabilities:
    """Options that a chat model takes, and that requests to it use.

    Attributes:
        structured: whether the reply must follow a schema.
        top_logprobs: how many alternatives of each token are asked for; ``None`` for no probabilities.
        decision: the form of typed decisions, as ``forms_of`` lists them; ``None`` for prose.
    """

    structured: bool
    top_logprobs: int | None
    decision: str | None = None

    def request(
        self, messages: tuple[Message, ...], schema: Mapping[str, object], sampling: Mapping[str, Any]
    ) -> Request:
        """Make a request with these options."""
        parameters = Parameters(
            **sampling, top_logprobs=self.top_logprobs, schema=schema if self.structured else None
        )
        return Request(messages, parameters)


def capabilities_to_try(
    structured: bool | Literal["auto"], logprobs: bool | Literal["auto"]
) -> tuple[ModelCapabilities, ...]:
    """List the capabilities to try, those with most options first.

    Example:
        >>> [(each.structured, each.top_logprobs) for each in capabilities_to_try(False, "auto")]
        [(False, 20), (False, 5), (False, None)]
    """
    forms = (True, False) if structured == "auto" else (structured,)
    tops: tuple[int | None, ...] = (*_TOP, None) if logprobs == "auto" else _TOP if logprobs else (None,)
    return tuple(ModelCapabilities(form, top) for form, top in product(forms, tops))


async def find_capabilities(
    to_try: Sequence[ModelCapabilities],
    items: Sequence[JudgedItem],
    conversations_about: Callable[[JudgedItem, ModelCapabilities], list[Conversation]],
    asked: Callable[[list[Conversation], Running], Awaitable[tuple[Running, str | None]]],
    running: Running,
) -> tuple[ModelCapabilities, Running, dict[JudgedItem, list[Conversation]], str | None]:
    """Ask about the first item, each time with fewer options, until a request is taken.

    An item may be refused for itself, so up to three are tried: in each form of decisions, and in prose.

    Returns:
        What the model takes; what is left to run with; the conversations that have a reply; why asking
        stopped, or ``None``.
    """
    first = items[:TRIED_ITEMS]
    prose = [each for each in to_try if each.decision is None]
    decisions = [(each, item) for each in to_try if each.decision is not None for item in first]
    heard: dict[ModelCapabilities, dict[JudgedItem, list[Conversation]]] = {}
    unable: set[ModelCapabilities] = set()
    for capabilities, item in (*decisions, *((each, item) for item in first for each in prose)):
        if capabilities in unable:
            continue
        conversations = conversations_about(item, capabilities)
        running, stopped = await asked(conversations[:1], running)
        found = {**heard.get(capabilities, {}), item: conversations}
        if stopped is not None or not conversations[0].is_not_taken or len(to_try) == 1:
            return capabilities, running, found, stopped
        if capabilities.decision is not None:
            heard[capabilities] = found
            if not conversations[0].may_lie_in_item:
                unable.add(capabilities)
    return to_try[-1], running, {}, None
