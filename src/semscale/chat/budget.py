"""Budgets: caps on calls, tokens and money, counts of what was spent, and estimates of tokens."""

import asyncio
import json
import math
from dataclasses import dataclass, field, replace
from typing import Any

from semscale.chat.messages import Message, Request
from semscale.chat.prices import Price, amount
from semscale.chat.replies import Usage
from semscale.errors import InputError

_OPTIONS = {"calls": "--max-calls", "tokens": "--max-total-tokens", "money": "--max-cost"}


@dataclass(frozen=True)
class Budget:
    """What a run may spend at most; replies from the ledger cost nothing.

    Attributes:
        calls: calls that are sent, retries included.
        tokens: of prompts and replies together.
        money: in the currency of the price table.
        whole: the full budget if this is a remainder or a part of one, for messages; else ``None``.
        earlier: what was spent of this part before; ``None`` where nothing was.
        sharers: who have an equal part each, for messages, such as ``3 judges``; ``None`` for no part.
        pool: counts what runs beside each other spend of it together; ``None`` where each has all of it.

    Raises:
        InputError: a cap is below 0.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    whole: "Budget | None" = None
    earlier: "Spent | None" = None
    sharers: str | None = None
    pool: "MeterPool | None" = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, option in _OPTIONS.items():
            value = getattr(self, name)
            if value is not None and not value >= 0:
                said = f"must be >= 0, got {value}"
                raise InputError(f"a budget's {name} {said}", in_shell=f"{option} {said}")

    def after(self, spent: "Spent") -> "Budget":
        """Give what is left of it."""
        return Budget(
            _left(self.calls, spent.calls),
            _left(self.tokens, spent.usage.tokens),
            _left(self.money, spent.money or 0.0),
            whole=self.whole or self,
            earlier=spent if self.earlier is None else self.earlier.plus(spent),
            sharers=self.sharers,
        )

    def shared(self) -> "Budget":
        """Give the whole of it to several runs beside each other, which spend it together."""
        return replace(self, pool=MeterPool())

    def divided(self, parts: int, sharers: str) -> "Budget":
        """Give an equal part of it.

        Args:
            parts: how many there are, at least 1.
            sharers: who have one each, in the plural.

        Example:
            >>> part = Budget(calls=10).divided(3, "judges")
            >>> part.calls, part.whole.calls, part.sharers
            (3, 10, '3 judges')
            >>> part.divided(2, "rounds").sharers
            '2 rounds of each of 3 judges'
        """
        if parts == 1:
            return self
        among = f"{parts:,} {sharers}"
        return Budget(
            None if self.calls is None else self.calls // parts,
            None if self.tokens is None else self.tokens // parts,
            None if self.money is None else self.money / parts,
            whole=self.whole or self,
            sharers=among if self.sharers is None else f"{among} of each of {self.sharers}",
        )


@dataclass
class Spent:
    """Calls, tokens and money that were spent.

    Attributes:
        calls: calls that were sent, retries included.
        usage: tokens of prompts and replies.
        money: cost; ``None`` if the price is unknown.
        replies: replies that came, those from the ledger included.
    """

    calls: int
    usage: Usage
    money: float | None
    replies: int = 0

    def plus(self, other: "Spent") -> "Spent":
        """Add what was spent later."""
        known = self.money is not None and other.money is not None
        return Spent(
            self.calls + other.calls,
            self.usage.plus(other.usage),
            (self.money or 0.0) + (other.money or 0.0) if known else None,
            self.replies + other.replies,
        )


class Meter:
    """Counts what is spent, and reserves what a call may cost before it is sent.

    A call waits while the calls under way may use up the rest of the budget. It is refused if it does not
    fit when no other call is under way. The prompt's tokens are estimated, so spending may exceed a cap on
    tokens or money by the errors of the estimates for calls under way; a cap on calls is exact.

    Args:
        budget: the caps.
        price: of the model; ``None`` if unknown.
    """

    def __init__(self, budget: Budget, price: Price | None) -> None:
        self._budget = budget
        self._price = price
        self._calls = self._replies = 0
        self._used = Usage(0, 0)
        self._aside: dict[int, Usage] = {}
        self._pool = budget.pool or MeterPool()
        self._pool.meters.append(self)

    @property
    def spent(self) -> Spent:
        """What was spent so far; calls under way count as calls, but not yet in tokens or money."""
        money = self._price.of(self._used) if self._price else None
        return Spent(self._calls, self._used, money, self._replies)

    @property
    def spent_in_all(self) -> Spent:
        """The same, with what was spent of the budget before."""
        earlier = self._budget.earlier
        return self.spent if earlier is None else earlier.plus(self.spent)

    @property
    def reserved(self) -> Usage:
        """What was used, and what calls under way may use."""
        total = self._used
        for aside in self._aside.values():
            total = total.plus(aside)
        return total

    @property
    def reserved_money(self) -> float:
        """The same in money; 0 where the price is not known."""
        return self._price.of(self.reserved) if self._price else 0.0

    @property
    def has_calls(self) -> bool:
        """Whether calls are under way."""
        return bool(self._aside)

    def count_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._replies += 1

    async def reserve(self, wanted: Usage) -> tuple[int, str | None]:
        """Reserve what a call may cost; wait while calls under way may still use up the rest.

        Returns:
            The reservation's number, and the reason if the budget does not allow the call, else ``None``.
        """
        while (reason := self._beyond(wanted)) is not None:
            if not self._pool.has_calls or self._out_of_calls():
                return 0, reason
            self._pool.changed.clear()
            await self._pool.changed.wait()
        self._calls += 1
        self._aside[self._calls] = wanted
        return self._calls, None

    def settle(self, number: int, taken: Usage) -> None:
        """Replace a reservation by what the call really cost."""
        self._aside.pop(number)
        self._used = self._used.plus(taken)
        self._pool.changed.set()

    def _out_of_calls(self) -> bool:
        return self._budget.calls is not None and self._pool.spent.calls >= self._budget.calls

    def _beyond(self, wanted: Usage) -> str | None:
        budget, price = self._budget, self._price
        if self._out_of_calls():
            return f"{self._cap('calls', 'calls')} is reached"
        if budget.tokens is None and budget.money is None:
            return None
        others = [one for one in self._pool.meters if one is not self]
        tokens = self.reserved.plus(wanted).tokens + sum(one.reserved.tokens for one in others)
        if budget.tokens is not None and tokens > budget.tokens:
            return self._no_room("tokens", wanted.tokens, "tokens")
        if budget.money is None or price is None:
            return None
        if price.of(self.reserved.plus(wanted)) + sum(one.reserved_money for one in others) > budget.money:
            return self._no_room("money", price.of(wanted), price.currency)
        return None

    def _no_room(self, name: str, wanted: float, unit: str) -> str:
        """Say which cap has no room for the next call, what is spent of it, and what the call may take."""
        pooled, earlier = self._pool.spent, self._budget.earlier
        spent = amount(_taken(pooled if earlier is None else earlier.plus(pooled), name))
        return (
            f"{self._cap(name, unit)} has no room for the next call: {spent} spent so far, "
            f"up to {amount(wanted)} more for the call"
        )

    def _cap(self, name: str, unit: str) -> str:
        """Name a cap as it was given, and the part of each of those who share it."""
        budget = self._budget
        said = f"the cap of {amount(getattr(budget.whole or budget, name), digits=None)} {unit}"
        if budget.sharers is None:
            return said
        part = getattr(budget, name) + (_taken(budget.earlier, name) if budget.earlier else 0)
        return f"{said}, {amount(part)} for each of {budget.sharers},"


class MeterPool:
    """The meters of runs that spend one budget, one after the other or beside each other.

    Attributes:
        meters: of all runs so far.
        changed: set when a call was settled.
    """

    def __init__(self) -> None:
        self.meters: list[Meter] = []
        self.changed = asyncio.Event()

    @property
    def spent(self) -> Spent:
        """What all of them have spent so far."""
        if not self.meters:
            return Spent(0, Usage(0, 0), None)
        first, *others = (meter.spent for meter in self.meters)
        for other in others:
            first = first.plus(other)
        return first

    @property
    def has_calls(self) -> bool:
        """Whether any of them has calls under way."""
        return any(meter.has_calls for meter in self.meters)


def _taken(spent: Spent, name: str) -> float:
    if name == "calls":
        return spent.calls
    return spent.usage.tokens if name == "tokens" else spent.money or 0.0


def _left(cap: Any, spent: Any) -> Any:  # noqa: ANN401 - whole numbers and money alike
    return None if cap is None else max(cap - spent, 0)


BYTES_PER_TOKEN = 3.0
"""English takes about four bytes a token; three leaves room."""
TOKENS_PER_MESSAGE = 8
TOKENS_PER_IMAGE = 1500
ASSUMED_REPLY = 1024
"""Tokens set aside for a reply whose length is not limited."""


def estimated_prompt(request: Request) -> int:
    """Estimate the tokens of a prompt: a third of its bytes, 8 a message and 1,500 an image.

    Further fields of the endpoint, such as the questions of a decision, count by their bytes, too.

    Example:
        >>> estimated_prompt(Request.of("Is 7 prime?"))  # 11 bytes
        12
    """
    return sum(map(_estimated, request.messages)) + _estimated_fields(request)


def most_reply_tokens(request: Request) -> int:
    """Return the most tokens that a reply may have: ``max_tokens``, or 1,024 if it is not limited."""
    return request.parameters.max_tokens or ASSUMED_REPLY


def _estimated_fields(request: Request) -> int:
    extra = request.parameters.extra
    return math.ceil(len(json.dumps(dict(extra), default=str)) / BYTES_PER_TOKEN) if extra else 0


def _estimated(message: Message) -> int:
    size = len(message.text.encode("utf-8", "surrogatepass"))
    return math.ceil(size / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE + TOKENS_PER_IMAGE * message.n_images
