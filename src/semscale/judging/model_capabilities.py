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
from semscale.judging.decisions.form_refusals import FormRefusal, counted_refusals
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

    @property
    def form(self) -> str:
        """What it is called where a model does not take it.

        Example:
            >>> ModelCapabilities(True, 20).form, ModelCapabilities(False, None, "decisions").form
            ('prose by a schema with 20 log-probabilities', 'decisions')
        """
        if self.decision is not None:
            return self.decision
        schema = " by a schema" if self.structured else ""
        return f"prose{schema}" + (
            f" with {self.top_logprobs} log-probabilities" if self.top_logprobs else ""
        )

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


@dataclass(frozen=True)
class FoundCapabilities:
    """What the first requests showed.

    Attributes:
        capabilities: what the model takes.
        running: what is left to run with.
        conversations: those that have a reply, by item.
        stopped: why asking stopped, or ``None``.
        not_taken: forms that it did not take, and why.
    """

    capabilities: ModelCapabilities
    running: Running
    conversations: Mapping[JudgedItem, list[Conversation]]
    stopped: str | None
    not_taken: tuple[FormRefusal, ...]


async def find_capabilities(
    to_try: Sequence[ModelCapabilities],
    items: Sequence[JudgedItem],
    conversations_about: Callable[[JudgedItem, ModelCapabilities], list[Conversation]],
    asked: Callable[[list[Conversation], Running], Awaitable[tuple[Running, str | None]]],
    running: Running,
) -> FoundCapabilities:
    """Ask about the first item, each time with fewer options, until a request is taken.

    An item may be refused for itself, so up to three are tried: in each form of decisions, and in prose.
    """
    first = items[:TRIED_ITEMS]
    prose = [each for each in to_try if each.decision is None]
    decisions = [(each, item) for each in to_try if each.decision is not None for item in first]
    heard: dict[ModelCapabilities, dict[JudgedItem, list[Conversation]]] = {}
    unable: set[ModelCapabilities] = set()
    refused: list[tuple[str, str]] = []
    for capabilities, item in (*decisions, *((each, item) for item in first for each in prose)):
        if capabilities in unable:
            continue
        conversations = conversations_about(item, capabilities)
        running, stopped = await asked(conversations[:1], running)
        found, why = {**heard.get(capabilities, {}), item: conversations}, conversations[0].why_not_taken
        if stopped is not None or why is None or len(to_try) == 1:
            others = counted_refusals(pair for pair in refused if pair[0] != capabilities.form)
            return FoundCapabilities(capabilities, running, found, stopped, others)
        refused.append((capabilities.form, why))
        if capabilities.decision is not None:
            heard[capabilities] = found
            if not conversations[0].may_lie_in_item:
                unable.add(capabilities)
    others = counted_refusals(pair for pair in refused if pair[0] != to_try[-1].form)
    return FoundCapabilities(to_try[-1], running, {}, None, others)
