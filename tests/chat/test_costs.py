"""Costs of calls: tokens, prices, budgets, caps and forecasts."""

import asyncio

import pytest
from tests.support.made_up_requests import requests

from semscale.chat import ImagePart, Message, Request, TextPart
from semscale.chat.budget import (
    CapReachedError,
    FurtherCalls,
    Meter,
    Price,
    PriceTable,
    forecast,
)
from semscale.chat.decisions import DecisionCall, DecisionRequest, PredicateQuestion
from semscale.chat.ledger import Ledger
from semscale.chat.messages import Usage
from semscale.chat.runner import Runner
from semscale.chat.settings import Budget, Limits, Spent
from semscale.errors import InputError, InterruptedRunError


def test_a_third_of_the_bytes_rounded_up_and_eight_a_message():
    # "ü" has two bytes, so the user's message has 4 and the system's 3: 2 + 8 and 1 + 8.
    assert Request.of("abü", system="abc").most_tokens.prompt_tokens == 19


def test_an_image_counts_1500():
    message = Message("user", (TextPart("abc"), ImagePart("https://example.org/a.png")))
    assert Request((message,)).most_tokens.prompt_tokens == 1 + 8 + 1500


def test_further_fields_of_the_endpoint_count():
    # {"q": "abc"} has 12 bytes: 4, beside the 1 + 8 of the message
    assert Request.of("abc", extra={"q": "abc"}).most_tokens.prompt_tokens == 13


def test_the_questions_of_a_decision_count_with_16_tokens_for_each_answer():
    call = DecisionCall(DecisionRequest.of("abc", dict.fromkeys("ab", PredicateQuestion("Is it?"))), "own")
    # {"kind": "predicate", "instructions": "Is it?", "options": [["no", ""], ["yes", ""]]} has 85 bytes, and
    # {"decision": {"form": "own", "questions": {"a": , "b": }}} has 58: 228 bytes are 76 tokens.
    assert call.most_tokens == (1 + 8 + 76, 2 * 16)


def test_an_unpaired_surrogate_is_no_error():
    assert Request.of("\ud800").most_tokens.prompt_tokens == 9  # three bytes


def test_the_longest_reply_is_the_limit_or_1024():
    assert Request.of("a", max_tokens=5).most_tokens.completion_tokens == 5
    assert Request.of("a").most_tokens.completion_tokens == 1024


TABLE = """
currency: EUR
per_tokens: 1000
models:
  m: {prompt: 10, completion: 20}
  "n-*": {prompt: 0.5, completion: 1}
  SmolLM2-135M-Instruct: {prompt: 1, completion: 0}
"""


def test_a_price_table_of_the_user_is_read(tmp_path, monkeypatch):
    (tmp_path / "prices.yaml").write_text(TABLE)
    monkeypatch.setenv("SEMSCALE_PRICES", str(tmp_path / "prices.yaml"))
    table = PriceTable.load()
    assert table.find("m").of(Usage(100, 10)) == pytest.approx(1.0 + 0.2)
    assert table.find("n-2026") == Price(0.0005, 0.001, "EUR")
    assert table.find("other") is None
    assert table.find("SmolLM2-135M-Instruct").of(Usage(100, 10)) == pytest.approx(0.1)
    monkeypatch.delenv("SEMSCALE_PRICES")
    assert PriceTable.load().find("SmolLM2-135M-Instruct").of(Usage(100, 10)) == 0


def test_the_users_folder_for_settings_is_looked_at(tmp_path, monkeypatch):
    from semscale.chat import budget

    monkeypatch.setattr(budget, "user_table", lambda: tmp_path / "mine.yaml")
    assert PriceTable.load().find("m") is None
    (tmp_path / "mine.yaml").write_text(TABLE)
    assert PriceTable.load().find("m") is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: [", "line 1: not readable as YAML"),
        ("currency: EUR\nprices: {}", "line 2: unknown key 'prices'"),
        ("models: {m: 3}", "m must be a mapping with its keys, got 3"),
        ("models: {m: {prompt: cheap, completion: 1}}", "m, prompt must be a number, got 'cheap'"),
        ("models: {m: {prompt: yes, completion: 1}}", "m, prompt must be a number, got True"),
        ("models: {m: {prompt: -1, completion: 1}}", "m, prompt must be >= 0, got -1"),
        ("models: {m: {prompt: .nan, completion: 1}}", "m, prompt must be a finite number, got nan"),
    ],
)
def test_an_invalid_price_table_is_refused(tmp_path, text, message):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        PriceTable.load(tmp_path / "prices.yaml")


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        PriceTable.load(tmp_path / "prices.yaml")


def reserve(meter, usage):
    """Reserve a call, or else return the reason why the budget does not allow it."""
    try:
        return asyncio.run(meter.reserve(usage))
    except CapReachedError as error:
        return str(error)


def test_a_reservation_is_replaced_by_the_actual_usage():
    meter = Meter(Budget(), Price(0.5, 2.0, "EUR"))
    assert reserve(meter, Usage(100, 100)) is None
    assert meter.spent == Spent(1, Usage(0, 0), 0.0)
    meter.settle(Usage(100, 100), Usage(10, 3))
    assert meter.spent == Spent(1, Usage(10, 3), 10 * 0.5 + 3 * 2.0)


def test_money_is_unknown_without_a_price():
    assert Meter(Budget(), None).spent.money is None


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(calls=0), "the cap of 0 calls is reached"),
        (Budget(calls=2).divide(3, "judges"), "the cap of 2 calls, 0 for each of 3 judges, is reached"),
        # 10 + 20 are wanted
        (
            Budget(tokens=29),
            "the cap of 29 tokens leaves no room for the next call: 0 spent so far, up to 30 more for the "
            "call",
        ),
        # 10 at 1 and 20 at 2
        (
            Budget(money=49.0),
            "the cap of 49 EUR leaves no room for the next call: 0 spent so far, up to 50 more for the call",
        ),
        (
            Budget(tokens=1000).divide(40, "judges"),
            "the cap of 1,000 tokens, 25 for each of 40 judges, leaves no room for the next call: 0 spent so "
            "far, up to 30 more for the call",
        ),
        (
            Budget(money=1234567.891).divide(10**6, "judges"),
            "the cap of 1,234,567.891 EUR, 1.23 for each of 1,000,000 judges, leaves no room for the next "
            "call: 0 spent so far, up to 50 more for the call",
        ),
        (Budget(calls=1, tokens=30, money=50.0), None),
    ],
)
def test_a_call_that_does_not_fit_alone_is_refused(budget, reason):
    assert reserve(Meter(budget, Price(1.0, 2.0, "EUR")), Usage(10, 20)) == reason


def test_a_call_waits_while_a_call_in_flight_may_use_up_the_budget():
    async def two_calls():
        meter = Meter(Budget(tokens=100), None)
        await meter.reserve(Usage(30, 40))
        second = asyncio.create_task(meter.reserve(Usage(30, 40)))
        await asyncio.sleep(0)
        waited = not second.done()
        meter.settle(Usage(30, 40), Usage(20, 10))  # 30 used, so 70 more fit
        await second
        return waited, meter.spent.calls

    assert asyncio.run(two_calls()) == (True, 2)


@pytest.mark.parametrize("cap", ["calls", "tokens", "money"])
def test_a_cap_below_zero(cap):
    with pytest.raises(InputError, match=f"^{cap} must be >= 0, got -1"):
        Budget(**{cap: -1})


def test_the_message_names_the_configured_cap():
    left = Budget(calls=9, tokens=90, money=9.0).divide(3, "judges").after(Spent(2, Usage(20, 5), 1.0))
    assert (left.calls, left.tokens, left.money) == (1, 5, 2.0)
    # A third of 90 is 30, of which 25 are spent.
    assert reserve(Meter(left, None), Usage(10, 20)) == (
        "the cap of 90 tokens, 30 for each of 3 judges, leaves no room for the next call: 25 spent so far, "
        "up to 30 more for the call"
    )
    # A third of 9 calls is 3: 2 were made before, and one more is left.
    meter = Meter(left.with_values(tokens=None), None)
    assert reserve(meter, Usage(1, 1)) is None
    assert reserve(meter, Usage(1, 1)) == "the cap of 9 calls, 3 for each of 3 judges, is reached"
    assert left.divide(2, "checks").whole == Budget(calls=9, tokens=90, money=9.0)


def test_a_cap_without_room_names_the_spent_amount_and_the_next_cost():
    price = Price(1e-6, 2e-6, "USD")
    meter = Meter(Budget(money=3.0).after(Spent(1, Usage(400_000, 0), 0.4, 1)), price)
    assert reserve(meter, Usage(90_000, 0)) is None
    meter.settle(Usage(90_000, 0), Usage(90_000, 0))
    # .40 + .09 are spent, and a call of 1.5 million tokens in a reply may cost 3.
    assert reserve(meter, Usage(0, 1_500_000)) == (
        "the cap of 3 USD leaves no room for the next call: 0.49 spent so far, up to 3 more for the call"
    )
    # One token of a prompt costs a millionth, two of a reply four of them.
    assert reserve(Meter(Budget(money=1e-6), price), Usage(1, 2)) == (
        "the cap of 0.000001 USD leaves no room for the next call: 0 spent so far, "
        "up to 0.000005 more for the call"
    )


@pytest.mark.needs("api")
def test_a_forecast_counts_only_new_calls(endpoint, tmp_path):
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


@pytest.mark.needs("api")
def test_replies_are_looked_up_together(endpoint):
    async def received():
        requests = [Request.of(f"question {number}") for number in range(4)]
        return await asyncio.wait_for(
            forecast(requests, endpoint.model(), ledger=AskedTogether(4)), timeout=60
        )

    assert asyncio.run(received()).calls == 4


@pytest.mark.needs("api")
def test_an_unknown_price_is_reported_and_not_zero(endpoint):
    plan = asyncio.run(forecast([Request.of("a")], endpoint.model()))
    assert plan.money is None
    assert plan.price_note.startswith("the price of m is not known; add it to ")
    assert plan.open_ended == 1


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_a_cap_on_calls_is_exact_and_keeps_received_replies(runner, endpoint):
    capped = runner(limits=Limits(concurrency=4), budget=Budget(calls=5))
    message = (
        r"cap of 5 calls is reached; received replies are stored; a cap counts for each run, so the same "
        r"command continues from there$"
    )
    with pytest.raises(InterruptedRunError, match=message):
        capped.run(requests(20))
    assert len(endpoint.requests) == capped.spent.calls == 5
    with pytest.raises(InterruptedRunError, match=message):
        capped.run(requests(20))
    assert len(endpoint.requests) == capped.spent.calls == 5  # the cap holds for all runs of a runner
    with pytest.raises(InterruptedRunError, match=message):
        runner(limits=Limits(concurrency=4), budget=Budget(calls=5)).run(requests(20))
    assert len(endpoint.requests) == 10  # another runner went on
    assert len(runner().run(requests(20))) == 20
    assert len(endpoint.requests) == 20


@pytest.mark.needs("api")
def test_a_cap_on_tokens(runner, endpoint):
    # Each call sets 12 + 8 tokens aside and takes 15: after two, 30 + 20 would pass 49.
    with pytest.raises(InterruptedRunError, match="30 spent so far, up to 20 more for the call; received"):
        runner(limits=Limits(concurrency=4), budget=Budget(tokens=49)).run(requests(9, max_tokens=8))
    assert len(endpoint.requests) == 2


@pytest.mark.needs("api")
def test_a_cap_on_money(runner, endpoint):
    prices = PriceTable({"m": Price(0.01, 0.1, "EUR")})
    # A call takes .12 + .3 = .42 and sets .12 + .8 = .92 aside: one fits 1.3, a second would be 1.34.
    capped = runner(prices=prices, budget=Budget(money=1.3))
    with pytest.raises(InterruptedRunError, match=r"0\.42 spent so far, up to 0\.92 more"):
        capped.run(requests(9, max_tokens=8))
    assert capped.spent.money == pytest.approx(0.42)


@pytest.mark.needs("api")
def test_a_cap_below_the_first_call_asks_for_a_higher_cap(runner, endpoint):
    with pytest.raises(InterruptedRunError, match="0 spent so far, .*; no reply arrived: set a higher cap$"):
        runner(budget=Budget(tokens=5)).run(requests(2))
    assert not endpoint.requests


@pytest.mark.needs("api")
def test_a_cap_that_leaves_no_retry_reports_why_the_call_failed(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (503, {"error": {"message": "overloaded"}})

    async def outcomes():
        received, message = [], ""
        try:
            async for outcome in runner(limits=Limits(concurrency=1), budget=Budget(calls=3)).stream(
                requests(9)
            ):
                received.append(outcome)
        except InterruptedRunError as error:
            message = str(error)
        return received, message

    received, message = asyncio.run(outcomes())
    assert [(result.status, result.attempts) for result in received] == [("failed", 3)]
    assert "overloaded" in str(received[0].failure)
    assert message.startswith("the cap of 3 calls is reached; no reply arrived")


@pytest.mark.needs("api")
def test_without_a_ledger_nothing_is_reported_as_stored(runner):
    with pytest.raises(
        InterruptedRunError, match="reached; without a ledger, a higher cap sends every call again"
    ):
        runner(budget=Budget(calls=1), ledger=False).run(requests(2))


@pytest.mark.needs("api")
def test_money_cannot_be_capped_without_a_price(runner):
    with pytest.raises(InputError, match=r"the price of m is not known; add it to .*prices.yaml"):
        runner(budget=Budget(money=1.0))
    assert runner().spent.money is None
