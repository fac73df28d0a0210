"""Runs of many calls against a real server: isolation, repetition, limits, caps, and nothing paid twice."""

import asyncio
import threading

import pytest
from chat_server import completion

from semscale.chat import FailureKind, Request
from semscale.chat.budget import Budget
from semscale.chat.limits import Limits
from semscale.chat.prices import Price, PriceTable
from semscale.chat.replies import CallError
from semscale.chat.retrying import Retries
from semscale.chat.runner import Runner
from semscale.errors import InputError, InterruptedRunError, ReplyError

ONE = Limits(concurrency=1)


def requests(n: int, **parameters: object) -> list[Request]:
    return [Request.of(f"question {number}", **parameters) for number in range(n)]


def statuses(outcomes) -> list[str]:
    return [outcome.status.value for outcome in outcomes]


@pytest.fixture
def runner(endpoint, fake, tmp_path):
    def make(**settings: object) -> Runner:
        settings = {"ledger": tmp_path / "ledger.sqlite", "clock": fake.clock} | settings
        return Runner(endpoint.model(), **settings)

    return make


def test_outcomes_are_in_the_order_of_the_requests(runner):
    outcomes = runner(limits=Limits(concurrency=5)).run(requests(20))
    assert [outcome.index for outcome in outcomes] == list(range(20))
    assert [outcome.reply.text for outcome in outcomes] == [f"echo: question {n}" for n in range(20)]


def test_one_failure_leaves_the_others(runner, endpoint):
    endpoint.plan(
        (400, {"error": {"message": "too long"}}), (200, completion(None, message={"refusal": "no"}))
    )
    outcomes = runner(limits=ONE).run(requests(3))
    assert statuses(outcomes) == ["failed", "refused", "replied"]
    assert outcomes[0].failure.kind is FailureKind.REJECTED


def test_calls_that_may_succeed_later_are_repeated_with_growing_waits(runner, endpoint, fake):
    endpoint.plan((500, {}), "drop", "cut", (200, b"{"), (200, {"choices": []}))
    (outcome,) = runner(limits=ONE).run(requests(1))
    assert outcome.reply.text == "echo: question 0"
    assert outcome.attempts == 6
    assert fake.slept == [0.5, 1.0, 2.0, 4.0, 8.0]  # doubled each time; the clock's chance takes nothing off


def test_repetition_ends(runner, endpoint):
    endpoint.plan((500, {}), (500, {}), (500, {}))
    (outcome,) = runner(limits=ONE, retries=Retries(most=2)).run(requests(1))
    assert (outcome.status.value, outcome.attempts, outcome.failure.kind) == ("failed", 3, FailureKind.SERVER)


def test_retry_after_is_honoured_and_holds_back_every_call(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "7"}))
    outcomes = runner(limits=ONE).run(requests(2))
    assert statuses(outcomes) == ["replied", "replied"]
    assert fake.slept == [7.0]


def test_other_calls_wait_as_long_as_the_endpoint_asked(endpoint, fake):
    from semscale.chat.limits import Pacer

    async def two_turns() -> None:
        pacer = Pacer(Limits(), fake.clock)
        pacer.hold(7.0)
        await pacer.turn(10)

    asyncio.run(two_turns())
    assert fake.slept == [7.0]


def test_an_endpoint_that_asks_for_too_much_patience(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "9999"}))
    (outcome,) = runner(limits=ONE).run(requests(1))
    assert (outcome.status.value, fake.slept) == ("failed", [])


def test_a_call_that_takes_too_long_is_given_up(runner, endpoint):
    endpoint.plan("wait")
    limits = Limits(concurrency=1, timeout=0.2)
    outcomes = runner(limits=limits, retries=Retries(most=0)).run(requests(1))
    endpoint.go.set()
    assert outcomes[0].failure.kind is FailureKind.TIMEOUT
    assert "did not answer within 0.2 s" in str(outcomes[0].failure)


@pytest.mark.parametrize(
    ("limits", "waits"),
    [
        (Limits(concurrency=1, requests_per_minute=30), [2.0, 2.0]),  # 60 s / 30
        # "question 0" has 10 bytes: 4 tokens and 8 for the message, and 8 for the reply: 20 expected. The
        # server says 12 + 3, which takes 5 off: 15 tokens at 60 a minute are 15 s.
        (Limits(concurrency=1, tokens_per_minute=60), [15.0, 15.0]),
    ],
)
def test_calls_are_spread_over_the_minute(runner, fake, limits, waits):
    runner(limits=limits).run(requests(3, max_tokens=8))
    assert fake.slept == waits


def test_concurrency_is_bounded(runner, endpoint):
    seen = []
    endpoint.plan(*["wait"] * 4)

    async def run() -> None:
        work = asyncio.create_task(runner(limits=Limits(concurrency=2)).collect(requests(4)))
        while len(endpoint.requests) < 2:
            await asyncio.sleep(0)
        for _ in range(200):  # as many turns of the loop as any further call would need
            await asyncio.sleep(0)
        seen.append(len(endpoint.requests))
        endpoint.go.set()
        await work

    asyncio.run(run())
    assert seen == [2]


def test_a_second_run_sends_nothing(runner, endpoint):
    endpoint.plan((200, completion(None, message={"refusal": "no"})), (200, completion("")))
    first = runner(limits=ONE).run(requests(4))
    second = runner(limits=ONE)
    again = second.run(requests(4))
    assert len(endpoint.requests) == 4
    assert statuses(again) == statuses(first) == ["refused", "failed", "replied", "replied"]
    assert [outcome.reply for outcome in again] == [outcome.reply for outcome in first]
    assert [outcome.attempts for outcome in again] == [0] * 4
    assert second.spent.calls == 0


def test_what_failed_is_asked_again(runner, endpoint):
    endpoint.plan((400, {}))
    assert statuses(runner(limits=ONE).run(requests(1))) == ["failed"]
    assert statuses(runner(limits=ONE).run(requests(1))) == ["replied"]


def test_equal_requests_are_sent_once_and_samples_are_not_equal(runner, endpoint):
    same = requests(1) * 5
    outcomes = runner(limits=Limits(concurrency=5)).run([*same, same[0].resampled(1)])
    assert statuses(outcomes) == ["replied"] * 6
    assert len(endpoint.requests) == 2


def test_parameters_and_model_make_another_call(endpoint, tmp_path):
    path = tmp_path / "ledger.sqlite"
    for model in ("m", "n"):
        for temperature in (0.0, 1.0):
            Runner(endpoint.model(model), ledger=path).run(requests(1, temperature=temperature))
    assert len(endpoint.requests) == 4


def test_without_a_ledger_everything_is_asked_again(runner, endpoint):
    for _ in range(2):
        runner(ledger=False).run(requests(3))
    assert len(endpoint.requests) == 6


def test_a_cap_on_calls_is_exact_and_keeps_what_is_done(runner, endpoint):
    capped = runner(limits=Limits(concurrency=4), budget=Budget(calls=5))
    with pytest.raises(
        InterruptedRunError, match=r"cap of 5 calls is reached; 5 requests are finished and kept"
    ):
        capped.run(requests(20))
    assert len(endpoint.requests) == capped.spent.calls == 5
    assert len(runner().run(requests(20))) == 20
    assert len(endpoint.requests) == 20


def test_a_cap_on_tokens(runner, endpoint):
    # Each call sets 12 + 8 tokens aside and takes 15: after two, 30 + 20 would pass 49.
    with pytest.raises(InterruptedRunError, match="cap of 49 tokens is reached; 2 requests"):
        runner(limits=Limits(concurrency=4), budget=Budget(tokens=49)).run(requests(9, max_tokens=8))
    assert len(endpoint.requests) == 2


def test_a_cap_on_money(runner, endpoint):
    prices = PriceTable({"m": Price(0.01, 0.1, "EUR")})
    # A call takes .12 + .3 = .42 and sets .12 + .8 = .92 aside: one fits 1.3, a second would be 1.34.
    capped = runner(prices=prices, budget=Budget(money=1.3))
    with pytest.raises(InterruptedRunError, match="cap of 1.3 EUR is reached; 1 requests"):
        capped.run(requests(9, max_tokens=8))
    assert capped.spent.money == pytest.approx(0.42)


def test_money_cannot_be_capped_without_a_price(runner):
    with pytest.raises(InputError, match=r"the price of m is not known; add it to .*prices.yaml"):
        runner(budget=Budget(money=1.0))
    assert runner().spent.money is None


@pytest.mark.parametrize(
    ("status", "words"), [(401, "OPENAI_API_KEY"), (404, "the model's name"), (402, "nothing left")]
)
def test_a_failure_that_all_calls_would_share_ends_the_run(runner, endpoint, status, words):
    endpoint.plan((200, completion("fine")), (status, {"error": {"message": "no"}}))
    with pytest.raises(ReplyError, match=words):
        runner(limits=ONE).run(requests(1000))
    assert len(endpoint.requests) == 2


def test_a_stream_hands_on_what_is_ready_and_takes_what_comes(runner):
    async def questions():
        for number in range(3):
            yield Request.of(f"question {number}")

    async def run() -> list[int]:
        asked = runner(limits=ONE)
        return [outcome.index async for outcome in asked.stream(questions())]

    assert asyncio.run(run()) == [0, 1, 2]


def test_requests_are_not_taken_before_they_are_needed(runner):
    taken = []

    def questions():
        for number in range(1000):
            taken.append(number)
            yield Request.of(f"question {number}")

    async def run() -> None:
        asked = runner(limits=Limits(concurrency=3))
        outcomes = asked.stream(questions())
        await anext(outcomes)
        await asyncio.sleep(0.2)  # the server's turn: whatever can be taken without us is taken
        await outcomes.aclose()

    asyncio.run(run())
    # One handed on, three ready, three done and waiting, and none taken beyond.
    assert len(taken) <= 7


def test_an_error_in_the_requests_reaches_the_caller(runner):
    def questions():
        yield Request.of("fine")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner().run(questions())


def test_progress_counts_up_to_the_total(runner):
    seen = []
    runner(limits=ONE).run(requests(3), progress=lambda *step: seen.append(step))
    assert seen == [("asking m", 1, 3), ("asking m", 2, 3), ("asking m", 3, 3)]


def test_a_model_that_raises_anything_is_isolated(tmp_path, endpoint):
    class Odd:
        name = "odd"
        signature = endpoint.model().signature

        async def complete(self, request: Request):
            raise ZeroDivisionError("bad code")

    (outcome,) = Runner(Odd(), ledger=tmp_path / "l").run(requests(1))
    assert (outcome.failure.kind, str(outcome.failure)) == (FailureKind.BROKEN, "odd: bad code")


def test_it_runs_where_an_event_loop_runs_already(runner):
    async def in_a_notebook() -> list:
        return runner().run(requests(2))

    assert statuses(asyncio.run(in_a_notebook())) == ["replied", "replied"]


def test_a_ledger_that_is_none(tmp_path, endpoint):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this is no ledger at all" * 100)
    with pytest.raises(InputError, match="cannot be used as a ledger"):
        Runner(endpoint.model(), ledger=path).run(requests(2))
    assert endpoint.requests == []


def test_two_runs_at_once_share_the_calls(endpoint, tmp_path):
    path, counted = tmp_path / "ledger.sqlite", []
    threads = [
        threading.Thread(
            target=lambda: counted.append(len(Runner(endpoint.model(), ledger=path).run(requests(60))))
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == [60, 60]
    assert len(endpoint.requests) == 60


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"timeout": -1.0}, {"requests_per_minute": 0}])
def test_limits_out_of_range(bad):
    with pytest.raises(InputError, match="must be > 0"):
        Limits(**bad)


def test_key_is_in_no_file(endpoint, monkeypatch, tmp_path):
    key = "sk-sentinel-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    endpoint.plan((200, completion(f"your key is {key}")), (401, {"error": {"message": f"wrong key {key}"}}))
    with pytest.raises(CallError, match="wrong key"):
        Runner(endpoint.model(), limits=ONE, ledger=tmp_path / "ledger.sqlite").run(requests(3))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(b"sentinel" in path.read_bytes() for path in files)
    assert any(b"your key is" in path.read_bytes() for path in files)
