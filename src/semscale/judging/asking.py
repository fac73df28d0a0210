"""How a judge's calls are made, and the conversations that they belong to."""

import json
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from semscale.chat.calls.limits import Limits
from semscale.chat.calls.retrying import Retries
from semscale.chat.chat_model import ChatModel
from semscale.chat.costs.budget import Budget, Spent
from semscale.chat.costs.prices import PriceTable
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_calls import DecisionCall, may_lie_in_item, why_not_taken
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Message, Request
from semscale.chat.replies import CallError, Reply
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError
from semscale.json_reading import parse_json
from semscale.judging.replies import ReplyReading
from semscale.types import Progress

UNREAD = frozenset({"unparsable", "empty"})
"""Statuses of replies that neither state a score nor decline to give one, and are asked for again."""


@dataclass(frozen=True)
class Running:
    """How calls are made: limits, retries, budget, ledger. They change no number and stand in no signature.

    Attributes:
        limits: calls at once and a minute, and the time that each may take.
        retries: how calls that failed are repeated.
        budget: what may be spent; a panel's judges get equal parts of it.
        prices: for caps in money; by default the user's table.
        ledger: a ledger, the path of one, ``True`` for the one in Semscale's own folder, ``False`` for none.
    """

    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    budget: Budget = field(default_factory=Budget)
    prices: PriceTable | None = None
    ledger: Ledger | str | Path | bool = True

    def after(self, spent: Spent) -> "Running":
        """The same, with what was spent taken off the budget."""
        return replace(self, budget=self.budget.after(spent))

    def shared(self) -> "Running":
        """The same for several runs beside each other, which spend the budget together."""
        return replace(self, budget=self.budget.shared())

    @property
    def spent(self) -> Spent:
        """What runs that share the budget have spent; nothing where none has run.

        Raises:
            ValueError: the budget is not shared.
        """
        if self.budget.pool is None:
            raise ValueError("only a shared budget knows what was spent of it")
        return self.budget.pool.spent

    def divided(self, parts: int, sharers: str) -> "Running":
        """The same, with an equal part of the budget for each of several judges."""
        return replace(self, budget=self.budget.divided(parts, sharers))


@dataclass
class Conversation:
    """A conversation with a chat model about one item.

    Attributes:
        request: what is sent next, or was sent last.
        replies: in the order they came.
        reading: of the last reply; ``None`` where there is none.
        failure: why there is no further reply; ``None`` where there is one.
        criterion: the number of the criterion that it is about, from 0, where it is about one of several.
        call: the call of a decision that it is; ``None`` for prose.
        answers: of that call, by the criteria's names; ``None`` where there are none.
    """

    request: Request
    replies: list[Reply] = field(default_factory=list)
    reading: ReplyReading | None = None
    failure: CallError | None = None
    criterion: int = 0
    call: DecisionCall | None = None
    answers: dict[str, DecisionAnswer] | None = None

    def hear(self, reply: Reply, read: Callable[[Request, Reply], ReplyReading]) -> None:
        """Keep a reply, and read it; a decision's answers are not prose."""
        self.replies.append(reply)
        if self.call is None:
            self.reading = read(self.request, reply)
        else:
            self.answers = self.call.read(reply)

    @property
    def is_waiting(self) -> bool:
        """Whether nothing has come back."""
        return self.failure is None and self.reading is None and self.answers is None

    @property
    def why_not_taken(self) -> str | None:
        """Why the model does not take the form of the request; ``None`` where nothing shows that."""
        found = self.answers if self.failure is None else self.failure
        return None if found is None else why_not_taken(found)

    @property
    def may_lie_in_item(self) -> bool:
        """Whether the call failed so that the item, and not the form, may be the reason."""
        return self.failure is not None and may_lie_in_item(self.failure)

    @property
    def unread(self) -> bool:
        """Whether the last reply neither states a score nor declines to give one."""
        if self.failure is not None or self.reading is None:
            return False
        return self.reading.status in UNREAD

    @property
    def ignored_schema(self) -> bool:
        """Whether a reply that was to follow a schema is no JSON; one that was cut off does not tell."""
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
    """Send the last request of each conversation, and keep what comes back in it.

    Args:
        model: the chat model that is asked.
        conversations: changed in place.
        read: reads the score of the reply to a request.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        ``running`` with what is left of its budget, and why not everything was asked, or ``None``.

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
                    conversation.hear(outcome.reply, read)
    except InterruptedRunError as error:
        stopped = str(error)
    return running.after(runner.spent), stopped


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except json.JSONDecodeError:
        return False
    return True
