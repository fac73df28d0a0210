"""Costs of calls: prices, budgets, spending and forecasts."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from pydantic import ConfigDict, Field

from semscale.chat.chat_model import Model
from semscale.chat.ledger import ContentKeys, Ledger
from semscale.chat.messages import Call, CallError, Reply, Request, Usage
from semscale.chat.pacing import Calls, Retries, enumerate_calls
from semscale.chat.settings import Budget, Spent
from semscale.errors import SemscaleError
from semscale.input_files import configuration_file
from semscale.presentable import Presentable
from semscale.settings import NumbersModel

VARIABLE = "SEMSCALE_PRICES"
_SHIPPED = Path(__file__).with_name("prices.yaml")


@dataclass(frozen=True)
class Price:
    """Price of one model's tokens.

    Attributes:
        prompt: price of one token in a prompt.
        completion: price of one token in a reply.
        currency: of both prices, such as ``USD``.
    """

    prompt: float
    completion: float
    currency: str

    def of(self, usage: Usage) -> float:
        """Return the cost of a call, in ``currency``.

        Examples:
            >>> Price(1e-6, 4e-6, "USD").of(Usage(1000, 500))
            0.003
        """
        return self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens


def amount(value: float, *, digits: int | None = 2) -> str:
    """Write tokens or money without an exponent: at most two decimals, more for less than 1.

    Args:
        value: at least 0.
        digits: significant digits of values below 1; ``None`` writes the value without rounding.

    Examples:
        >>> amount(1234.5678), amount(90), amount(0.0000123), amount(1e-6, digits=None)
        ('1,234.57', '90', '0.000012', '0.000001')
    """
    exact = Decimal(repr(float(value)))
    if digits is None or exact == exact.to_integral_value():
        shown = exact
    else:
        shown = exact.quantize(Decimal(1).scaleb(min(-2, exact.adjusted() - digits + 1)))
    written = f"{shown:,f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


@dataclass(frozen=True)
class PriceTable:
    """Prices by the names of models.

    Attributes:
        prices: by model name, which may contain ``*``; the first match counts.
        path: the file they were read from, or the expected path of the user's file.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    path: Path = _SHIPPED

    @classmethod
    def load(cls, path: str | Path | None = None) -> Self:
        """Read a table.

        Args:
            path: path of a YAML file; by default the one named by ``SEMSCALE_PRICES``, or ``prices.yaml`` in
                the user's settings folder if it exists. Semscale's own table fills in models that it lacks.

        Raises:
            InputError: the file cannot be read, or a key is unknown or has a wrong value.
        """
        named = path or os.environ.get(VARIABLE)
        chosen = Path(named).expanduser() if named else user_table()
        shipped = _read(_SHIPPED)
        if named is None and not chosen.is_file():
            return cls(shipped, chosen)
        prices = _read(chosen)
        return cls(prices | {name: price for name, price in shipped.items() if name not in prices}, chosen)

    def find(self, model: str) -> Price | None:
        """Return a model's price; ``None`` if it is unknown (not free)."""
        return next((price for name, price in self.prices.items() if fnmatchcase(model, name)), None)

    def unknown(self, model: str) -> str:
        """Return the message about a model's unknown price, with the remedy."""
        return (
            f"the price of {model} is not known; add it to {self.path} (or to a file that {VARIABLE} names)"
        )


def user_table() -> Path:
    """Return the path of the user's own table."""
    return configuration_file("prices.yaml")


class _ModelPrices(NumbersModel):
    """Prices of one model in a file."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class _PriceFile(NumbersModel):
    """The keys of a price table."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    currency: str = "USD"
    per_tokens: float = Field(1_000_000, gt=0)
    models: dict[str, _ModelPrices]


def _read(path: Path) -> dict[str, Price]:
    from semscale.yaml_reading import YamlFile

    file = YamlFile.read(path, "price table")
    table = file.validate(_PriceFile, file.keys("a price table, such as models"))
    return {
        name: Price(prices.prompt / table.per_tokens, prices.completion / table.per_tokens, table.currency)
        for name, prices in table.models.items()
    }


class CapReachedError(SemscaleError):
    """The budget does not allow another call."""


class Meter:
    """Counter of spending, which reserves the possible cost of a call before it is sent.

    A call waits while the calls in progress could use up the rest of the budget. It is refused if it does not
    fit the budget when no other call is in progress. The prompt's tokens are estimated, so spending may
    exceed a cap on tokens or money by the errors of the estimates for calls in progress; a cap on calls is
    exact.

    Args:
        budget: the caps.
        price: price of the model's tokens; ``None`` if unknown.
    """

    def __init__(self, budget: Budget, price: Price | None) -> None:
        self._budget = budget
        self._price = price
        self._calls = self._calls_under_way = self._replies = 0
        self._used = Usage(0, 0)
        self._reserved = Usage(0, 0)  # the most that calls under way may use
        self._changed = asyncio.Event()

    @property
    def spent(self) -> Spent:
        """Spending so far; calls in progress count as calls, but not yet in tokens or money."""
        money = self._price.of(self._used) if self._price else None
        return Spent(self._calls, self._used, money, self._replies)

    @property
    def spent_in_all(self) -> Spent:
        """Spending so far, including earlier spending of the budget."""
        earlier = self._budget.earlier
        return self.spent if earlier is None else earlier.plus(self.spent)

    def count_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._replies += 1

    async def reserve(self, wanted: Usage) -> None:
        """Reserve the possible cost of a call; wait while calls in progress could use up the rest.

        Raises:
            CapReachedError: the budget does not allow the call.
        """
        while (reason := self._beyond(wanted)) is not None:
            if not self._calls_under_way or self._is_out_of_calls:
                raise CapReachedError(reason)
            self._changed.clear()
            await self._changed.wait()
        self._calls += 1
        self._calls_under_way += 1
        self._reserved = self._reserved.plus(wanted)

    def settle(self, wanted: Usage, used: Usage) -> None:
        """Replace a call's reservation by its real cost."""
        self._calls_under_way -= 1
        self._reserved = self._reserved.minus(wanted)
        self._used = self._used.plus(used)
        self._changed.set()

    @property
    def _is_out_of_calls(self) -> bool:
        return self._budget.calls is not None and self._calls >= self._budget.calls

    def _beyond(self, wanted: Usage) -> str | None:
        """Return the reason why a call cannot be made now; ``None`` if it can."""
        budget, price = self._budget, self._price
        if self._is_out_of_calls:
            return f"{self._cap('calls', 'calls')} is reached"
        most = self._used.plus(self._reserved).plus(wanted)
        if budget.tokens is not None and most.tokens > budget.tokens:
            return self._no_room("tokens", wanted.tokens, "tokens")
        if budget.money is not None and price is not None and price.of(most) > budget.money:
            return self._no_room("money", price.of(wanted), price.currency)
        return None

    def _no_room(self, name: str, wanted: float, unit: str) -> str:
        """Describe the cap that the next call would exceed, its spending, and the call's possible cost."""
        spent = _spent_of(self.spent_in_all, name)
        return (
            f"{self._cap(name, unit)} leaves no room for the next call: {amount(spent)} spent so far, "
            f"up to {amount(wanted)} more for the call"
        )

    def _cap(self, name: str, unit: str) -> str:
        """Describe a cap in the user's form, and the part of each sharer."""
        budget = self._budget
        named = f"the cap of {amount(getattr(budget.whole or budget, name), digits=None)} {unit}"
        if budget.sharers is None:
            return named
        part = getattr(budget, name) + (_spent_of(budget.earlier, name) if budget.earlier else 0)
        return f"{named}, {amount(part)} for each of {budget.sharers},"


def _spent_of(spent: Spent, name: str) -> float:
    if name == "calls":
        return spent.calls
    return spent.usage.tokens if name == "tokens" else spent.money or 0.0


_AT_ONCE = 512  # requests that are looked up together: one statement on a server

FollowUps = Callable[[Call, Reply | CallError | None], Iterable[Call]]
"""Function from a request and its outcome in the ledger, or ``None``, to the requests that may follow it."""


@dataclass(frozen=True)
class FurtherCalls:
    """Maximum of possible additional calls.

    Attributes:
        calls: number of calls.
        most: maximum number of their tokens, as in ``Forecast``.
        money: their maximum cost; ``None`` if the price is unknown.
    """

    calls: int = 0
    most: Usage = field(default_factory=lambda: Usage(0, 0))
    money: float | None = 0.0


@dataclass(frozen=True)
class Forecast:
    """Calls, tokens and cost of a run in which each call brings a readable reply.

    Attributes:
        requests: number of requests.
        answered: number of requests with an outcome in the ledger; they cost nothing.
        repeated: number of requests equal to an earlier one, which are not sent again.
        calls: number of calls that would be sent.
        most: maximum number of tokens: estimated for prompts, at the limit for replies.
        open_ended: number of calls without a limit on the reply; 1,024 tokens are counted for each.
        money: the highest cost; ``None`` if the price is unknown.
        currency: of the money.
        price_note: the remedy if the price is unknown, else empty.
        corrections: maximum of calls that ask again after unreadable replies.
        repetitions: maximum of calls that repeat failed calls, including corrections.
        stand_ins: additional calls if the model does not support decisions, and letters or prose replace
            them.
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
        """Return the difference to a smaller forecast, at least 0."""
        prompts = max(0, self.most.prompt_tokens - other.most.prompt_tokens)
        replies = max(0, self.most.completion_tokens - other.most.completion_tokens)
        known = self.money is not None and other.money is not None
        money = max(0.0, (self.money or 0.0) - (other.money or 0.0)) if known else None
        return FurtherCalls(max(0, self.calls - other.calls), Usage(prompts, replies), money)

    def beyond(self, budget: Budget) -> list[str]:
        """List the caps of a budget that the run may reach, as texts.

        Examples:
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
    requests: Calls,
    model: Model,
    *,
    prices: PriceTable | None = None,
    ledger: Ledger | None = None,
    retries: Retries | None = None,
    follow_ups: FollowUps = lambda request, outcome: (),
    is_repeated: Callable[[Call, Reply | CallError], bool] | None = None,
) -> Forecast:
    """Count the calls, tokens and cost of a run without sending anything.

    Args:
        requests: requests of the run, which are read once.
        model: the model that would answer.
        prices: price table; the user's by default.
        ledger: outcomes of earlier calls; ``None`` for no ledger.
        retries: how failed calls are repeated.
        follow_ups: function that returns the requests that may follow a request, such as corrections.
        is_repeated: whether a call with a stored outcome is repeated; none is by default.
    """
    keys, seen = ContentKeys(model), set[bytes]()
    n_requests = answered = open_ended = n_corrections = 0
    most = corrected = Usage(0, 0)
    async for batch in _batches(requests):
        n_requests += len(batch)
        new = {key: request for request in batch if (key := keys.of(request)) not in seen}
        seen.update(new)
        outcomes = {} if ledger is None else await _look_up(ledger, new)
        for key, request in new.items():
            outcome = outcomes.get(key)
            if outcome is not None and is_repeated is not None and is_repeated(request, outcome):
                outcome = None
            for correction in follow_ups(request, outcome):
                n_corrections += 1
                corrected = corrected.plus(correction.most_tokens)
            if outcome is not None:
                answered += 1
                continue
            most = most.plus(request.most_tokens)
            open_ended += isinstance(request, Request) and request.parameters.max_tokens is None
    table = prices or PriceTable.load()
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


def forecast_of_forms(forecasts: Sequence[Forecast], *, decides: bool) -> Forecast:
    """Choose the forecast of the form that a model took before, or else of the first that it is asked in.

    Args:
        forecasts: at least one, of the forms in the order to try.
        decides: whether the first form is a typed decision, which the model may not support. Then the
            dearest form is the possible surcharge, unless the ledger has replies.
    """
    chosen = max(forecasts, key=lambda forecast: forecast.answered)
    if not decides or chosen.answered:
        return chosen
    dearest = max(forecasts, key=lambda forecast: forecast.calls)
    return replace(chosen, stand_ins=dearest.less(chosen))


async def _batches(requests: Calls) -> AsyncIterator[list[Call]]:
    """Yield batches of requests that are looked up together."""
    batch: list[Call] = []
    async for _, request in enumerate_calls(requests):
        batch.append(request)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


async def _look_up(ledger: Ledger, keys: Collection[bytes]) -> dict[bytes, Reply | CallError | None]:
    return dict(zip(keys, await asyncio.gather(*map(ledger.find, keys)), strict=True))


@dataclass(frozen=True, repr=False)
class ForecastSummary(Presentable):
    """Forecast of the calls, tokens and cost of a run.

    Attributes:
        source: name of the table.
        forecasts: forecast of each model, by its name.
        n: number of items with calls.
        left_out: number of items without calls, by status.
        noun: word for an item.
        note: explanation of the counts.
        cautions: reasons why the run would end early, such as caps that it would reach.
    """

    source: str
    forecasts: Mapping[str, Forecast]
    n: int
    left_out: Mapping[str, int]
    noun: str = "row"
    note: str = "Nothing was sent."
    cautions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ForecastSummary(source={self.source!r}, n={self.n:,}, models={list(self.forecasts)})"

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "forecast",
            "source": self.source,
            "asked": self.n,
            "left_out": self.left_out,
            "models": [_record(name, plan) for name, plan in self.forecasts.items()],
        }


def _record(name: str, plan: Forecast) -> dict[str, Any]:
    return {
        "model": name,
        "requests": plan.requests,
        "answered": plan.answered,
        "repeated": plan.repeated,
        "calls": plan.calls,
        "prompt_tokens": plan.most.prompt_tokens,
        "reply_tokens": plan.most.completion_tokens,
        "open_ended": plan.open_ended,
        "money": plan.money,
        "currency": plan.currency or None,
        "price_note": plan.price_note or None,
        "corrections": _further(plan.corrections),
        "repetitions": _further(plan.repetitions),
        "stand_ins": _further(plan.stand_ins),
    }


def _further(calls: FurtherCalls) -> dict[str, Any]:
    return {
        "calls": calls.calls,
        "prompt_tokens": calls.most.prompt_tokens,
        "reply_tokens": calls.most.completion_tokens,
        "money": calls.money,
    }
