"""The calls, tokens and cost of a run before anything is sent."""

import asyncio

import pytest

from semscale.chat import Request
from semscale.chat.budget import Budget, FurtherCalls, Price, PriceTable, forecast
from semscale.chat.ledger import Ledger
from semscale.chat.messages import Usage
from semscale.chat.runner import Runner

pytestmark = pytest.mark.needs("api")


def test_a_forecast_counts_what_is_new(endpoint, tmp_path):
    model = endpoint.model()
    requests = [Request.of(f"question {number}", max_tokens=5) for number in range(4)]
    Runner(model, ledger=tmp_path / "l").run(requests[:1])
    prices = PriceTable({"m": Price(0.01, 0.1, "EUR")})
    with Ledger(tmp_path / "l") as ledger:
        plan = asyncio.run(forecast([*requests, requests[1]], model, prices=prices, ledger=ledger))
    assert (plan.requests, plan.answered, plan.repeated, plan.calls) == (5, 1, 1, 3)
    # A question has 10 bytes, which make 4 tokens, and 8 for the message: 12 each, and 5 for the reply.
    assert plan.most == Usage(36, 15)
    assert plan.money == pytest.approx(0.36 + 1.5)
    assert plan.currency == "EUR"
    # Three calls, each repeated six times.
    assert plan.repetitions == FurtherCalls(18, Usage(216, 90), pytest.approx(6 * 1.86))
    assert plan.corrections == FurtherCalls(0, Usage(0, 0), 0.0)
    assert plan.beyond(Budget(calls=2, tokens=51, money=1.0)) == [
        "3 calls, of 2 allowed",
        "1.86 EUR, of 1 allowed",
    ]
    assert len(endpoint.requests) == 1


class AskedTogether:
    """A ledger that answers when n replies are being looked up at once."""

    def __init__(self, n):
        self.all_asked = asyncio.Barrier(n)

    async def find(self, key):
        await self.all_asked.wait()


def test_replies_are_looked_up_together(endpoint):
    async def found():
        requests = [Request.of(f"question {number}") for number in range(4)]
        return await asyncio.wait_for(
            forecast(requests, endpoint.model(), ledger=AskedTogether(4)), timeout=60
        )

    assert asyncio.run(found()).calls == 4


def test_an_unknown_price_is_said_and_not_zero(endpoint):
    plan = asyncio.run(forecast([Request.of("a")], endpoint.model()))
    assert plan.money is None
    assert plan.price_note.startswith("the price of m is not known; add it to ")
    assert plan.open_ended == 1
