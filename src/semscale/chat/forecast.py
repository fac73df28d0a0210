"""Forecast of a run's calls, tokens and cost before anything is sent."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from semscale.chat.budget import Budget, estimated_prompt, most_reply_tokens
from semscale.chat.chat_model import ChatModel
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.chat.pacing import NumberedRequests, Requests, Retries
from semscale.chat.prices import PriceTable
from semscale.chat.replies import CallError, Reply, Usage
from semscale.presentable import Presentable

_AT_ONCE = 512  # requests that are looked up together: one statement on a server

FollowUps = Callable[[Request, Reply | CallError | None], Iterable[Request]]
"""Gives the requests that may follow one, from what the ledger has for it, or ``None``."""


@dataclass(frozen=True)
class FurtherCalls:
    """Calls that may come on top, at most.

    Attributes:
        calls: how many.
        most: their tokens, as in ``Forecast``.
        money: their cost; ``None`` if the price is unknown.
    """

    calls: int = 0
    most: Usage = field(default_factory=lambda: Usage(0, 0))
    money: float | None = 0.0


@dataclass(frozen=True)
class Forecast:
    """Calls, tokens and cost of a run in which each call brings a reply that can be read.

    Attributes:
        requests: number of requests.
        answered: requests whose outcome the ledger has; they cost nothing.
        repeated: requests equal to an earlier one; they are sent once.
        calls: calls that would be sent.
        most: the most tokens: prompts are estimated, replies count at their limits.
        open_ended: calls whose replies have no limit; 1,024 tokens are counted for each.
        money: the highest cost; ``None`` if the price is unknown.
        currency: of the money.
        price_note: the remedy if the price is unknown, else empty.
        corrections: calls that ask again for replies that cannot be read, at most.
        repetitions: calls that repeat failed ones, corrections among them, at most.
        stand_ins: calls that come on top where the model takes no decisions, and letters or prose stand in.
    """

    requests: int
    answered: int
    repeated: int
    calls: int
    most: Usage
    open_ended: int
    money: float | None
    currency: str
    price_note: str
    corrections: FurtherCalls = field(default_factory=FurtherCalls)
    repetitions: FurtherCalls = field(default_factory=FurtherCalls)
    stand_ins: FurtherCalls = field(default_factory=FurtherCalls)

    def less(self, other: "Forecast") -> FurtherCalls:
        """Give what this forecast has on top of another, at least nothing."""
        prompts = max(0, self.most.prompt_tokens - other.most.prompt_tokens)
        replies = max(0, self.most.completion_tokens - other.most.completion_tokens)
        known = self.money is not None and other.money is not None
        money = max(0.0, (self.money or 0.0) - (other.money or 0.0)) if known else None
        return FurtherCalls(max(0, self.calls - other.calls), Usage(prompts, replies), money)

    def beyond(self, budget: Budget) -> list[str]:
        """Return the caps of a budget that the run may reach.

        Example:
            >>> plan = Forecast(9, 0, 0, 9, Usage(90, 90), 0, None, "", "")
            >>> plan.beyond(Budget(calls=5, tokens=500))
            ['9 calls, of 5 allowed']
        """
        wanted = (
            ("calls", self.calls, budget.calls),
            ("tokens", self.most.tokens, budget.tokens),
            (self.currency or "money", self.money, budget.money),
        )
        return [
            f"{value:,.12g} {unit}, of {cap:,.12g} allowed"
            for unit, value, cap in wanted
            if value is not None and cap is not None and value > cap
        ]


async def forecast(
    requests: Requests,
    model: ChatModel,
    *,
    prices: PriceTable | None = None,
    ledger: Ledger | None = None,
    retries: Retries | None = None,
    follow_ups: FollowUps = lambda request, found: (),
) -> Forecast:
    """Count the calls, tokens and cost of a run without sending anything.

    Args:
        requests: of the run; they are read once.
        model: the model that would answer.
        prices: price table; the user's by default.
        ledger: outcomes of earlier calls; ``None`` for no ledger.
        retries: how failed calls are repeated.
        follow_ups: gives the requests that may follow one, such as corrections; none unless given.
    """
    keys, seen = ContentKeys(model), set[bytes]()
    n_requests = answered = open_ended = prompts = replies = 0
    corrected, n_corrections = Usage(0, 0), 0
    numbered = NumberedRequests(requests)
    while some := await _taken(numbered):
        n_requests += len(some)
        new = {key: request for key, request in ((keys.of(each), each) for each in some) if key not in seen}
        seen.update(new)
        outcomes = {} if ledger is None else await _looked_up(ledger, new)
        for key, request in new.items():
            found = outcomes.get(key)
            for other in follow_ups(request, found):
                n_corrections += 1
                corrected = corrected.plus(Usage(estimated_prompt(other), most_reply_tokens(other)))
            if found is not None:
                answered += 1
                continue
            prompts += estimated_prompt(request)
            replies += most_reply_tokens(request)
            open_ended += request.parameters.max_tokens is None
    table, most = prices or PriceTable.load(), Usage(prompts, replies)
    price, calls = table.find(model.name), len(seen) - answered
    times, both = (retries or Retries()).most, most.plus(corrected)
    repeated = Usage(times * both.prompt_tokens, times * both.completion_tokens)
    return Forecast(
        requests=n_requests,
        answered=answered,
        repeated=n_requests - len(seen),
        calls=calls,
        most=most,
        open_ended=open_ended,
        money=price.of(most) if price else None,
        currency=price.currency if price else "",
        price_note="" if price else table.unknown(model.name),
        corrections=FurtherCalls(n_corrections, corrected, price.of(corrected) if price else None),
        repetitions=FurtherCalls(
            times * (calls + n_corrections), repeated, price.of(repeated) if price else None
        ),
    )


async def _taken(numbered: NumberedRequests) -> list[Request]:
    """Take the next requests that are looked up together; none at the end."""
    some: list[Request] = []
    while len(some) < _AT_ONCE and (following := await numbered.next()) is not None:
        some.append(following[1])
    return some


async def _looked_up(ledger: Ledger, keys: Collection[bytes]) -> dict[bytes, Reply | CallError | None]:
    return dict(zip(keys, await asyncio.gather(*map(ledger.find, keys)), strict=True))


@dataclass(frozen=True, repr=False)
class ForecastSummary(Presentable):
    """What asking would take.

    Attributes:
        source: what the table is called.
        forecasts: of each model, by its name.
        n: items that would be asked about.
        left_out: items that would not, by status.
        noun: what an item is called.
        note: what a reader should know of the counts.
        cautions: why the run would not get as far as this, such as caps that it would reach.
    """

    source: str
    forecasts: Mapping[str, Forecast]
    n: int
    left_out: Mapping[str, int]
    noun: str = "row"
    note: str = "Nobody was asked."
    cautions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ForecastSummary(source={self.source!r}, n={self.n:,}, models={list(self.forecasts)})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "forecast",
            "source": self.source,
            "asked": self.n,
            "left_out": self.left_out,
            "models": [_record(name, found) for name, found in self.forecasts.items()],
        }


def _record(name: str, found: Forecast) -> dict[str, Any]:
    return {
        "model": name,
        "requests": found.requests,
        "answered": found.answered,
        "repeated": found.repeated,
        "calls": found.calls,
        "prompt_tokens": found.most.prompt_tokens,
        "reply_tokens": found.most.completion_tokens,
        "open_ended": found.open_ended,
        "money": found.money,
        "currency": found.currency or None,
        "price_note": found.price_note or None,
        "corrections": _further(found.corrections),
        "repetitions": _further(found.repetitions),
        "stand_ins": _further(found.stand_ins),
    }


def _further(calls: FurtherCalls) -> dict[str, Any]:
    return {
        "calls": calls.calls,
        "prompt_tokens": calls.most.prompt_tokens,
        "reply_tokens": calls.most.completion_tokens,
        "money": calls.money,
    }
