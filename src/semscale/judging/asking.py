"""Calls of a judge: how they are made, the conversations that they belong to, and the options of its model.

Endpoints refuse options that they do not know. So the first item is asked about with all options, and with
fewer until a request is accepted (``Judge`` does that). Whether a model ignores an option that it accepts
shows in its replies.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

from semscale.chat.calls.limits import Limits
from semscale.chat.calls.retrying import Retries
from semscale.chat.chat_model import ChatModel
from semscale.chat.costs.budget import Budget, Spent
from semscale.chat.costs.prices import PriceTable
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_calls import DecisionCall, may_lie_in_item, why_not_taken
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Message, Parameters, Request
from semscale.chat.replies import CallError, Reply
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError
from semscale.json_reading import parse_json
from semscale.judging.replies import ReplyReading
from semscale.types import Progress

UNREAD = frozenset({"unparsable", "empty"})
"""Statuses of replies that neither state a score nor decline to give one, and are asked for again."""

_TOP_LOGPROBS = (20, 5)


@dataclass(frozen=True)
class Running:
    """Settings of calls: limits, retries, budget, ledger. They change no number and stand in no signature.

    Attributes:
        limits: concurrent calls, calls per minute, and the time that a call may take.
        retries: how failed calls are repeated.
        budget: what may be spent; a panel's judges get equal parts of it.
        prices: for caps in money; by default the user's table.
        ledger: a ledger, the path of one, ``True`` for the one in Semscale's folder, ``False`` for none.
    """

    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    budget: Budget = field(default_factory=Budget)
    prices: PriceTable | None = None
    ledger: Ledger | str | Path | bool = True

    def after(self, spent: Spent) -> "Running":
        """Return the same, with what was spent subtracted from the budget."""
        return replace(self, budget=self.budget.after(spent))

    def shared(self) -> "Running":
        """Return the same for several concurrent runs, which spend the budget together."""
        return replace(self, budget=self.budget.shared())

    @property
    def spent(self) -> Spent:
        """The amount that runs with a shared budget have spent; nothing where none has run.

        Raises:
            ValueError: the budget is not shared.
        """
        if self.budget.pool is None:
            raise ValueError("only a shared budget knows what was spent of it")
        return self.budget.pool.spent

    def divided(self, parts: int, sharers: str) -> "Running":
        """Return the same, with an equal part of the budget for each of several judges."""
        return replace(self, budget=self.budget.divided(parts, sharers))


@dataclass
class Conversation:
    """A conversation with a chat model about one item.

    Attributes:
        request: what is sent next, or was sent last.
        replies: in the order in which they came.
        reading: of the last reply; ``None`` where there is none.
        failure: why there is no further reply; ``None`` where there is one.
        criterion: index of the criterion that it is about, where it is about one of several.
        call: the call of a decision; ``None`` for prose.
        answers: of that call, by the criteria's names; ``None`` where there are none.
    """

    request: Request
    replies: list[Reply] = field(default_factory=list)
    reading: ReplyReading | None = None
    failure: CallError | None = None
    criterion: int = 0
    call: DecisionCall | None = None
    answers: dict[str, DecisionAnswer] | None = None

    def add(self, reply: Reply, read: Callable[[Request, Reply], ReplyReading]) -> None:
        """Add a reply, and read it; a decision's answers are not prose."""
        self.replies.append(reply)
        if self.call is None:
            self.reading = read(self.request, reply)
        else:
            self.answers = self.call.read(reply)

    @property
    def is_waiting(self) -> bool:
        """True if nothing has come back."""
        return self.failure is None and self.reading is None and self.answers is None

    @property
    def is_unread(self) -> bool:
        """True if the last reply neither states a score nor declines to give one."""
        return self.failure is None and self.reading is not None and self.reading.status in UNREAD

    @property
    def form_refusal(self) -> str | None:
        """The reason why the model does not take the request's form; ``None`` where nothing shows that."""
        outcome = self.answers if self.failure is None else self.failure
        return None if outcome is None else why_not_taken(outcome)

    @property
    def may_lie_in_item(self) -> bool:
        """True if the call failed so that the item, and not the form, may be the reason."""
        return self.failure is not None and may_lie_in_item(self.failure)

    @property
    def ignored_schema(self) -> bool:
        """True if a reply that was to follow a schema is no JSON; one that was cut off proves nothing."""
        return self.request.parameters.schema is not None and not all(
            reply.finish_reason == "length" or _is_json(reply.text) for reply in self.replies
        )

    def correct(self, messages: tuple[Message, ...]) -> None:
        """Add messages; the longer conversation is another request, for which a ledger has no reply yet."""
        self.request = replace(self.request, messages=(*self.request.messages, *messages))


async def ask(
    model: ChatModel,
    conversations: Sequence[Conversation],
    read: Callable[[Request, Reply], ReplyReading],
    *,
    running: Running,
    progress: Progress | None = None,
) -> tuple[Running, str | None]:
    """Send the last request of each conversation, and add what comes back to it.

    Args:
        model: the chat model that is asked.
        conversations: changed in place.
        read: reads the score of the reply to a request.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        ``running`` with what is left of its budget, and why asking stopped early, or ``None``.

    Raises:
        ReplyError: no call can succeed.
    """
    runner = Runner(
        model,
        limits=running.limits,
        retries=running.retries,
        budget=running.budget,
        prices=running.prices,
        ledger=running.ledger,
    )
    stopped = None
    try:
        requests = [conversation.request for conversation in conversations]
        async with aclosing(runner.stream(requests, progress=progress)) as outcomes:
            async for outcome in outcomes:
                conversation = conversations[outcome.index]
                conversation.failure = outcome.failure
                if outcome.reply is not None:
                    conversation.add(outcome.reply, read)
    except InterruptedRunError as error:
        stopped = str(error)
    return running.after(runner.spent), stopped


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except json.JSONDecodeError:
        return False
    return True


@dataclass(frozen=True)
class ModelCapabilities:
    """Options that a chat model accepts, and that requests to it use.

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
        """The name of the form, for reports of models that do not take it.

        Example:
            >>> ModelCapabilities(True, 20).form, ModelCapabilities(False, None, "decisions").form
            ('prose by a schema with 20 log-probabilities', 'decisions')
        """
        if self.decision is not None:
            return self.decision
        schema = " by a schema" if self.structured else ""
        logprobs = f" with {self.top_logprobs} log-probabilities" if self.top_logprobs else ""
        return f"prose{schema}{logprobs}"

    def request(
        self, messages: tuple[Message, ...], schema: Mapping[str, object], sampling: Mapping[str, Any]
    ) -> Request:
        """Build a request with these options."""
        parameters = Parameters(
            **sampling, top_logprobs=self.top_logprobs, schema=schema if self.structured else None
        )
        return Request(messages, parameters)


def capabilities_to_try(
    structured: bool | Literal["auto"], logprobs: bool | Literal["auto"]
) -> tuple[ModelCapabilities, ...]:
    """List the capabilities to try, those with most options first.

    Example:
        >>> [(option.structured, option.top_logprobs) for option in capabilities_to_try(False, "auto")]
        [(False, 20), (False, 5), (False, None)]
    """
    schemas = (True, False) if structured == "auto" else (structured,)
    tops: tuple[int | None, ...] = _TOP_LOGPROBS if logprobs else (None,)
    if logprobs == "auto":
        tops = (*_TOP_LOGPROBS, None)
    return tuple(ModelCapabilities(schema, top) for schema, top in product(schemas, tops))


@dataclass(frozen=True)
class FormRefusal:
    """A reason for which a model did not take a form.

    Attributes:
        form: how it was asked, such as ``decisions``, ``next-token`` or ``prose by a schema``.
        reason: as the endpoint stated it, if it gave any.
        n: requests that were refused for it.
    """

    form: str
    reason: str
    n: int

    def record(self) -> dict[str, Any]:
        """Return the fields by name, for JSON."""
        return asdict(self)


def count_refusals(refusals: Iterable[tuple[str, str]]) -> tuple[FormRefusal, ...]:
    """Count equal refusals, in the order in which they came.

    Args:
        refusals: pairs of form and reason.

    Example:
        >>> count_refusals([("decisions", "no route"), ("decisions", "no route")])
        (FormRefusal(form='decisions', reason='no route', n=2),)
    """
    return tuple(FormRefusal(form, reason, n) for (form, reason), n in Counter(refusals).items())


def refusals_in_words(refusals: Sequence[FormRefusal]) -> str:
    """Write refusals in a line.

    Example:
        >>> refusals_in_words(count_refusals([("decisions", "no route"), ("systemone", "busy")]))
        'decisions: no route; systemone: busy'
        >>> refusals_in_words([FormRefusal("decisions", "HTTP 400", 3)])
        'decisions: HTTP 400 (3 requests)'
    """
    return "; ".join(
        f"{refusal.form}: {refusal.reason}" + (f" ({refusal.n} requests)" if refusal.n > 1 else "")
        for refusal in refusals
    )
