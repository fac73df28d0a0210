"""Runs of many calls against a real server: in order, each by itself, and no more than is asked for."""

import asyncio

import pytest
from tests.support.endpoint import completion
from tests.support.made_up_requests import SERIAL, requests, statuses

from semscale.chat import FailureKind, Request
from semscale.chat.runner import Runner, run_to_end
from semscale.chat.settings import Limits
from semscale.errors import ReplyError


@pytest.mark.needs("api")
def test_outcomes_are_in_the_order_of_the_requests(runner):
    outcomes = runner(limits=Limits(concurrency=5)).run(requests(20))
    assert [outcome.index for outcome in outcomes] == list(range(20))
    assert [outcome.reply.text for outcome in outcomes] == [f"echo: question {n}" for n in range(20)]


@pytest.mark.needs("api")
def test_a_failure_leaves_the_rest_unaffected(runner, endpoint):
    endpoint.plan(
        (400, {"error": {"message": "too long"}}), (200, completion(None, message={"refusal": "no"}))
    )
    outcomes = runner(limits=SERIAL).run(requests(3))
    assert statuses(outcomes) == ["failed", "refused", "replied"]
    assert outcomes[0].failure.kind is FailureKind.REJECTED


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    ("status", "message"), [(401, "OPENAI_API_KEY"), (404, "the model's name"), (402, "no credit left")]
)
def test_a_failure_that_all_calls_would_share_ends_the_run(runner, endpoint, status, message):
    endpoint.plan((200, completion("fine")), (status, {"error": {"message": "no"}}))
    with pytest.raises(ReplyError, match=message):
        runner(limits=SERIAL).run(requests(1000))
    assert len(endpoint.requests) == 2


@pytest.mark.needs("api")
def test_a_model_that_raises_anything_is_isolated(tmp_path, endpoint):
    class Odd:
        name = "odd"
        signature = endpoint.model().signature

        async def complete(self, request: Request):
            raise ZeroDivisionError("bad code")

    (outcome,) = Runner(Odd(), ledger=tmp_path / "l").run(requests(1))
    assert (outcome.failure.kind, str(outcome.failure)) == (FailureKind.BROKEN, "odd: bad code")


@pytest.mark.needs("api")
def test_a_stream_yields_ready_outcomes_while_requests_arrive(runner):
    async def questions():
        for number in range(3):
            yield Request.of(f"question {number}")

    async def run() -> list[int]:
        asked = runner(limits=SERIAL)
        return [outcome.index async for outcome in asked.stream(questions())]

    assert asyncio.run(run()) == [0, 1, 2]


@pytest.mark.needs("api")
def test_requests_are_not_consumed_before_they_are_needed(runner):
    consumed = []

    def questions():
        for number in range(1000):
            consumed.append(number)
            yield Request.of(f"question {number}")

    async def run() -> None:
        asked = runner(limits=Limits(concurrency=3))
        outcomes = asked.stream(questions())
        await anext(outcomes)
        await asyncio.sleep(0.2)  # the server's turn: whatever can be taken without us is taken
        await outcomes.aclose()

    asyncio.run(run())
    # One handed on, three ready, three done and waiting, and none taken beyond.
    assert len(consumed) <= 7


@pytest.mark.needs("api")
def test_an_error_in_the_requests_reaches_the_caller(runner):
    def questions():
        yield Request.of("fine")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner().run(questions())


@pytest.mark.needs("api")
def test_progress_counts_up_to_the_total(runner):
    seen = []
    runner(limits=SERIAL).run(requests(3), progress=lambda *step: seen.append(step))
    assert list(dict.fromkeys(seen)) == [("asking m", done, 3) for done in range(4)]


@pytest.mark.needs("api")
def test_progress_counts_no_reply_that_was_there_already(runner):
    seen = []
    runner(limits=SERIAL).run(requests(2))
    runner(limits=SERIAL).run(requests(4), progress=lambda *step: seen.append(step))
    assert seen[0] == ("asking m", 0, 4)
    steps = list(dict.fromkeys(seen))  # slow calls repeat a step
    assert steps[-3:] == [("asking m", 0, 2), ("asking m", 1, 2), ("asking m", 2, 2)]


@pytest.mark.needs("api")
def test_spending_is_reported_even_if_a_run_fails(runner, endpoint):
    spent = []
    runner(limits=SERIAL, on_spent=spent.append).run(requests(1))
    endpoint.plan((401, {"error": {"message": "no"}}))
    with pytest.raises(ReplyError):
        runner(limits=SERIAL, on_spent=spent.append).run(requests(3))  # the first reply is in the ledger
    assert [(spending.calls, spending.replies) for spending in spent] == [(1, 1), (1, 1)]


@pytest.mark.needs("api")
def test_a_runner_works_inside_a_running_event_loop(runner):
    async def in_a_notebook() -> list:
        return runner().run(requests(2))

    assert statuses(asyncio.run(in_a_notebook())) == ["replied", "replied"]


ASKED = [Request.of(f"question {number}") for number in range(4)]


async def later():
    for request in ASKED:
        await asyncio.sleep(0)
        yield request


@pytest.mark.needs("api")
@pytest.mark.parametrize("asked", [lambda: ASKED, later])
def test_requests_are_answered_once_under_their_number(runner, endpoint, asked):
    outcomes = runner(limits=Limits(concurrency=3)).run(asked())
    texts = [f"echo: question {number}" for number in range(4)]
    assert [(outcome.index, outcome.reply.text) for outcome in outcomes] == list(enumerate(texts))
    assert len(endpoint.requests) == 4


def test_run_to_end_returns_a_result_without_writing_its_repr():
    class Replies:
        def __repr__(self):
            raise AssertionError("a repr of thousands of replies takes seconds")

    async def ask():
        return Replies()

    assert isinstance(run_to_end(ask()), Replies)
