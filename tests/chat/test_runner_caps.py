"""A cap on calls, tokens or money ends a run before it is passed, and keeps what is done."""

import asyncio

import pytest
from made_up_requests import requests

from semscale.chat.budget import Budget, Price, PriceTable
from semscale.chat.pacing import Limits
from semscale.errors import InputError, InterruptedRunError

pytestmark = pytest.mark.needs("api")


def test_a_cap_on_calls_is_exact_and_keeps_what_is_done(runner, endpoint):
    capped = runner(limits=Limits(concurrency=4), budget=Budget(calls=5))
    said = (
        r"cap of 5 calls is reached; replies that came are kept; a cap counts for each run, so the same "
        r"command goes on from there$"
    )
    with pytest.raises(InterruptedRunError, match=said):
        capped.run(requests(20))
    assert len(endpoint.requests) == capped.spent.calls == 5
    with pytest.raises(InterruptedRunError, match=said):
        capped.run(requests(20))
    assert len(endpoint.requests) == 10  # the same run went on
    assert len(runner().run(requests(20))) == 20
    assert len(endpoint.requests) == 20


def test_a_cap_on_tokens(runner, endpoint):
    # Each call sets 12 + 8 tokens aside and takes 15: after two, 30 + 20 would pass 49.
    with pytest.raises(InterruptedRunError, match="30 spent so far, up to 20 more for the call; replies"):
        runner(limits=Limits(concurrency=4), budget=Budget(tokens=49)).run(requests(9, max_tokens=8))
    assert len(endpoint.requests) == 2


def test_a_cap_on_money(runner, endpoint):
    prices = PriceTable({"m": Price(0.01, 0.1, "EUR")})
    # A call takes .12 + .3 = .42 and sets .12 + .8 = .92 aside: one fits 1.3, a second would be 1.34.
    capped = runner(prices=prices, budget=Budget(money=1.3))
    with pytest.raises(InterruptedRunError, match=r"0\.42 spent so far, up to 0\.92 more"):
        capped.run(requests(9, max_tokens=8))
    assert capped.spent.money == pytest.approx(0.42)


def test_a_cap_below_the_first_call_asks_for_a_higher_one(runner, endpoint):
    with pytest.raises(InterruptedRunError, match="0 spent so far, .*; no reply came, so give a higher cap$"):
        runner(budget=Budget(tokens=5)).run(requests(2))
    assert not endpoint.requests


def test_a_cap_that_leaves_no_repetition_keeps_why_the_call_failed(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (503, {"error": {"message": "overloaded"}})

    async def outcomes():
        found, said = [], ""
        try:
            async for outcome in runner(limits=Limits(concurrency=1), budget=Budget(calls=3)).stream(
                requests(9)
            ):
                found.append(outcome)
        except InterruptedRunError as error:
            said = str(error)
        return found, said

    found, said = asyncio.run(outcomes())
    assert [(one.status, one.attempts) for one in found] == [("failed", 3)]
    assert "overloaded" in str(found[0].failure)
    assert said.startswith("the cap of 3 calls is reached; no reply came")


def test_without_a_ledger_nothing_is_said_to_be_kept(runner):
    with pytest.raises(
        InterruptedRunError, match="reached; without a ledger a higher cap asks for everything"
    ):
        runner(budget=Budget(calls=1), ledger=False).run(requests(2))


def test_money_cannot_be_capped_without_a_price(runner):
    with pytest.raises(InputError, match=r"the price of m is not known; add it to .*prices.yaml"):
        runner(budget=Budget(money=1.0))
    assert runner().spent.money is None
