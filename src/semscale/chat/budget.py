"""Budgets: caps on calls, tokens and money, and counts of what was spent."""

import asyncio
from dataclasses import dataclass
from typing import Any

from semscale.chat.prices import Price
from semscale.chat.replies import Usage
from semscale.errors import InputError


@dataclass(frozen=True)
class Budget:
    """What a run may spend at most; replies from the ledger cost nothing.

    Attributes:
        calls: calls that are sent, retries included.
        tokens: of prompts and replies together.
        money: in the currency of the price table.
        whole: the full budget if this is a remainder or a part of one, for messages; else ``None``.

    Raises:
        InputError: a cap is below 0.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    whole: "Budget | None" = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "money"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise InputError(f"a budget's {name} must be >= 0, got {value}")

    def after(self, spent: "Spent") -> "Budget":
        """Give what is left of it."""
        return Budget(
            _left(self.calls, spent.calls),
            _left(self.tokens, spent.usage.tokens),
            _left(self.money, spent.money or 0.0),
            whole=self.whole or self,
        )

    def divided(self, parts: int) -> "Budget":
        """Give an equal part of it.

        Args:
            parts: how many there are, at least 1.

        Example:
            >>> part = Budget(calls=10).divided(3)
            >>> part.calls, part.whole.calls
            (3, 10)
        """
        return Budget(
            None if self.calls is None else self.calls // parts,
            None if self.tokens is None else self.tokens // parts,
            None if self.money is None else self.money / parts,
            whole=self.whole or self,
        )


@dataclass
class Spent:
    """Calls, tokens and money that were spent.

    Attributes:
        calls: calls that were sent, retries included.
        usage: tokens of prompts and replies.
        money: cost; ``None`` if the price is unknown.
    """

    calls: int
    usage: Usage
    money: float | None


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
        self._calls = 0
        self._used = Usage(0, 0)
        self._aside: dict[int, Usage] = {}
        self._changed = asyncio.Event()

    @property
    def spent(self) -> Spent:
        """What was spent so far; calls under way count as calls, but not yet in tokens or money."""
        return Spent(self._calls, self._used, self._price.of(self._used) if self._price else None)

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
        named = self._budget.whole or self._budget
        if self._out_of_calls():
            return f"the cap of {named.calls:,} calls is reached"
        if self._budget.tokens is None and self._budget.money is None:
            return None
        total = self._used
        for aside in self._aside.values():
            total = _sum(total, aside)
        total = _sum(total, wanted)
        if self._budget.tokens is not None and total.tokens > self._budget.tokens:
            return f"the cap of {named.tokens:,} tokens is reached"
        if self._budget.money is not None and self._price and self._price.of(total) > self._budget.money:
            return f"the cap of {named.money:,.12g} {self._price.currency} is reached"
        return None


def _left(cap: Any, spent: Any) -> Any:  # noqa: ANN401 - whole numbers and money alike
    return None if cap is None else max(cap - spent, 0)


def _sum(a: Usage, b: Usage) -> Usage:
    return Usage(a.prompt_tokens + b.prompt_tokens, a.completion_tokens + b.completion_tokens)
