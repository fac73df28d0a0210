"""The meter of a budget: what is reserved, what is spent, and when a call is refused or waits."""

import asyncio
from dataclasses import replace

import pytest

from semscale.chat.budget import Budget, Meter, Price, Spent
from semscale.chat.messages import Usage
from semscale.errors import InputError


def reserve(meter, usage):
    return asyncio.run(meter.reserve(usage))


def test_a_reservation_is_replaced_by_what_the_call_used():
    meter = Meter(Budget(), Price(0.5, 2.0, "EUR"))
    number, reason = reserve(meter, Usage(100, 100))
    assert (number, reason) == (1, None)
    assert meter.spent == Spent(1, Usage(0, 0), 0.0)
    meter.settle(number, Usage(10, 3))
    assert meter.spent == Spent(1, Usage(10, 3), 10 * 0.5 + 3 * 2.0)


def test_money_is_unknown_without_a_price():
    assert Meter(Budget(), None).spent.money is None


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(calls=0), "the cap of 0 calls is reached"),
        (Budget(calls=2).divided(3, "judges"), "the cap of 2 calls, 0 for each of 3 judges, is reached"),
        # 10 + 20 are wanted
        (
            Budget(tokens=29),
            "the cap of 29 tokens has no room for the next call: 0 spent so far, up to 30 more for the call",
        ),
        # 10 at 1 and 20 at 2
        (
            Budget(money=49.0),
            "the cap of 49 EUR has no room for the next call: 0 spent so far, up to 50 more for the call",
        ),
        (
            Budget(tokens=1000).divided(40, "judges"),
            "the cap of 1,000 tokens, 25 for each of 40 judges, has no room for the next call: 0 spent so "
            "far, up to 30 more for the call",
        ),
        (
            Budget(money=1234567.891).divided(10**6, "judges"),
            "the cap of 1,234,567.891 EUR, 1.23 for each of 1,000,000 judges, has no room for the next call: "
            "0 spent so far, up to 50 more for the call",
        ),
        (Budget(calls=1, tokens=30, money=50.0), None),
    ],
)
def test_a_call_that_does_not_fit_alone_is_refused(budget, reason):
    assert reserve(Meter(budget, Price(1.0, 2.0, "EUR")), Usage(10, 20))[1] == reason


def test_a_call_waits_while_another_may_use_up_the_rest():
    async def two_calls():
        meter = Meter(Budget(tokens=100), None)
        first, _ = await meter.reserve(Usage(30, 40))
        second = asyncio.create_task(meter.reserve(Usage(30, 40)))
        await asyncio.sleep(0)
        waited = not second.done()
        meter.settle(first, Usage(20, 10))  # 30 used, so 70 more fit
        return waited, await second

    assert asyncio.run(two_calls()) == (True, (2, None))


@pytest.mark.parametrize("cap", ["calls", "tokens", "money"])
def test_a_cap_below_zero(cap):
    with pytest.raises(InputError, match=f"a budget's {cap} must be >= 0, got -1"):
        Budget(**{cap: -1})
    with pytest.raises(InputError) as caught:
        Budget(**{cap: -1})
    option = {"calls": "--max-calls", "tokens": "--max-total-tokens", "money": "--max-cost"}[cap]
    assert caught.value.shell_message == f"{option} must be >= 0, got -1"


def test_the_cap_that_is_named_is_the_one_that_was_given():
    left = Budget(calls=9, tokens=90, money=9.0).divided(3, "judges").after(Spent(2, Usage(20, 5), 1.0))
    assert (left.calls, left.tokens, left.money) == (1, 5, 2.0)
    # A third of 90 is 30, of which 25 are spent.
    assert reserve(Meter(left, None), Usage(10, 20))[1] == (
        "the cap of 90 tokens, 30 for each of 3 judges, has no room for the next call: 25 spent so far, "
        "up to 30 more for the call"
    )
    # A third of 9 calls is 3: 2 were made before, and one more is left.
    meter = Meter(replace(left, tokens=None), None)
    assert reserve(meter, Usage(1, 1))[1] is None
    assert reserve(meter, Usage(1, 1))[1] == "the cap of 9 calls, 3 for each of 3 judges, is reached"
    assert left.divided(2, "checks").whole == Budget(calls=9, tokens=90, money=9.0)


def test_a_cap_with_no_room_names_what_is_spent_and_what_the_next_call_may_cost():
    price = Price(1e-6, 2e-6, "USD")
    meter = Meter(Budget(money=3.0).after(Spent(1, Usage(400_000, 0), 0.4, 1)), price)
    number, _ = reserve(meter, Usage(90_000, 0))
    meter.settle(number, Usage(90_000, 0))
    # .40 + .09 are spent, and a call of 1.5 million tokens in a reply may cost 3.
    assert reserve(meter, Usage(0, 1_500_000))[1] == (
        "the cap of 3 USD has no room for the next call: 0.49 spent so far, up to 3 more for the call"
    )
    # One token of a prompt costs a millionth, two of a reply four of them.
    assert reserve(Meter(Budget(money=1e-6), price), Usage(1, 2))[1] == (
        "the cap of 0.000001 USD has no room for the next call: 0 spent so far, "
        "up to 0.000005 more for the call"
    )
