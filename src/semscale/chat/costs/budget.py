"""Budgets: caps on calls, tokens and money, and counts of what was spent."""

import asyncio
from dataclasses import dataclass
from typing import Any

from semscale.chat.costs.prices import Price, amount
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

    Raises:
        InputError: a cap is below 0.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    whole: "Budget | None" = None
    earlier: "Spent | None" = None
    sharers: str | None = None

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
            _sum(self.usage, other.usage),
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
        self._changed = asyncio.Event()

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

    def count_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._replies += 1

    async def reserve(self, wanted: Usage) -> tuple[int, str | None]:
        """Reserve what a call may cost; wait while calls under way may still use up the rest.

        Returns:
            The reservation's number, and the reason if the budget does not allow the call, else ``None``.
        """
        while (reason := self._beyond(wanted)) is not None:
            if not self._aside or self._out_of_calls():
                return 0, reason
            self._changed.clear()
            await self._changed.wait()
        self._calls += 1
        self._aside[self._calls] = wanted
        return self._calls, None

    def settle(self, number: int, taken: Usage) -> None:
        """Replace a reservation by what the call really cost."""
        self._aside.pop(number)
        self._used = _sum(self._used, taken)
        self._changed.set()

    def _out_of_calls(self) -> bool:
        return self._budget.calls is not None and self._calls >= self._budget.calls

    def _beyond(self, wanted: Usage) -> str | None:
        budget, price = self._budget, self._price
        if self._out_of_calls():
            return f"{self._cap('calls', 'calls')} is reached"
        if budget.tokens is None and budget.money is None:
            return None
        total = self._used
        for aside in self._aside.values():
            total = _sum(total, aside)
        total = _sum(total, wanted)
        if budget.tokens is not None and total.tokens > budget.tokens:
            return self._no_room("tokens", wanted.tokens, "tokens")
        if budget.money is not None and price and price.of(total) > budget.money:
            return self._no_room("money", price.of(wanted), price.currency)
        return None

    def _no_room(self, name: str, wanted: float, unit: str) -> str:
        """Say which cap has no room for the next call, what is spent of it, and what the call may take."""
        spent = amount(_taken(self.spent_in_all, name))
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


def _taken(spent: Spent, name: str) -> float:
    if name == "calls":
        return spent.calls
    return spent.usage.tokens if name == "tokens" else spent.money or 0.0


def _left(cap: Any, spent: Any) -> Any:  # noqa: ANN401 - whole numbers and money alike
    return None if cap is None else max(cap - spent, 0)


def _sum(a: Usage, b: Usage) -> Usage:
    return Usage(a.prompt_tokens + b.prompt_tokens, a.completion_tokens + b.completion_tokens)
