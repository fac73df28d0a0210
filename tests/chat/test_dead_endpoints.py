"""Endpoints that do not answer, or fail every call: the run ends, and progress shows the wait."""

import asyncio
import itertools

import pytest
from tests.support.endpoint import completion, misbehaving_endpoint
from tests.support.made_up_requests import SERIAL, requests

from semscale.chat import load_chat_model, runner
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Clock, FirstFailures, ReplyWatch, Retries
from semscale.chat.runner import Runner, WaitProgress
from semscale.chat.settings import Limits
from semscale.errors import InterruptedRunError, ReplyError

DOWN = CallError("down", kind=FailureKind.CONNECTION)


class Time:
    now = 0.0


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def watch(time):
    reply_watch = ReplyWatch(lambda: time.now, patience=60.0)
    reply_watch.request_begins()
    reply_watch.call_begins()
    return reply_watch


def test_a_reply_ends_the_failure_before_it(watch):
    watch.call_ends(DOWN)
    watch.call_begins()
    watch.call_ends(Reply("4"))
    assert watch.failure is None


def test_seconds_are_counted_from_the_first_call_over_all_failures(watch, time):
    time.now = 3.0
    watch.call_ends(DOWN)
    time.now = 5.0
    watch.call_begins()
    time.now = 9.0
    assert (watch.seconds, watch.failure) == (9.0, DOWN)


@pytest.mark.parametrize(
    "result",
    [Reply("4"), *(CallError("no", kind=kind) for kind in (FailureKind.REFUSED, FailureKind.REJECTED))],
)
def test_an_answer_ends_them(watch, time, result):
    time.now = 3.0
    watch.call_ends(result)
    time.now = 9.0
    assert watch.seconds == 0.0


def test_after_a_reply_the_wait_restarts_for_calls_in_flight(watch, time):
    watch.call_begins()
    time.now = 3.0
    watch.call_ends(Reply("4"))
    time.now = 9.0
    assert watch.seconds == 6.0


def test_a_cancelled_call_does_not_count_as_a_reply(watch, time):
    watch.call_ends(None)
    time.now = 9.0
    assert watch.seconds == 9.0


def test_time_without_a_request_does_not_count(watch, time):
    time.now = 3.0
    watch.call_ends(DOWN)
    watch.request_ends()
    time.now = 1000.0
    assert watch.seconds == 3.0
    watch.request_begins()
    time.now = 1004.0
    assert watch.seconds == 7.0


def test_a_pause_that_the_endpoint_asks_for_does_not_count_as_far_as_patience_goes(watch, time):
    watch.endpoint_pauses(50.0)
    watch.endpoint_pauses(50.0)
    time.now = 100.0
    assert watch.seconds == 40.0


def test_other_time_is_left_out(watch, time):
    watch.leave_out(200.0)
    time.now = 250.0
    assert watch.seconds == 50.0


def test_an_endpoint_is_unreached_if_all_calls_failed_to_connect(watch):
    assert not watch.is_unreached
    watch.call_ends(DOWN)
    assert watch.is_unreached
    watch.note_answer()
    assert not watch.is_unreached


@pytest.mark.parametrize(
    "result",
    [Reply("4"), *(CallError("x", kind=FailureKind[name]) for name in ("TIMEOUT", "SERVER", "REFUSED"))],
)
def test_an_endpoint_that_answered_in_any_way_was_reached(watch, result):
    watch.call_ends(result)
    watch.call_begins()
    watch.call_ends(DOWN)
    assert not watch.is_unreached


def test_a_model_that_answered_in_an_earlier_run_was_reached(time):
    reply_watch = ReplyWatch(lambda: time.now, patience=60.0, was_reached=True)
    reply_watch.call_begins()
    reply_watch.call_ends(DOWN)
    assert not reply_watch.is_unreached


PAGE = CallError("m answered with text that is no JSON", kind=FailureKind.MALFORMED)


REJECTED = CallError("m: no such field", kind=FailureKind.REJECTED)


def are_alike(failures, kinds):
    return [failures.are_all_alike(*failure) for failure in kinds]


def test_a_page_counts_after_four_retries_of_the_same_call():
    failures = FirstFailures(has_replies=False)
    assert are_alike(failures, [(PAGE, n) for n in range(5)]) == [False, False, False, False, True]


def test_failures_without_retry_count_after_twenty_calls():
    failures = FirstFailures(has_replies=False)
    assert are_alike(failures, [(REJECTED, 0)] * 20) == [False] * 19 + [True]


@pytest.mark.parametrize(
    "other",
    [
        CallError("m: the text is too long", kind=FailureKind.REJECTED),
        CallError("m refused", kind=FailureKind.REFUSED),
        CallError("m did not answer in time", kind=FailureKind.TIMEOUT),
    ],
)
def test_a_different_failure_among_them_lets_the_run_continue(other):
    failures = FirstFailures(has_replies=False)
    assert not any(are_alike(failures, [(REJECTED, 0), (other, 0), *[(REJECTED, 0)] * 30]))


def test_after_a_reply_no_failures_end_the_run():
    assert not any(are_alike(FirstFailures(has_replies=True), [(PAGE, n) for n in range(9)]))
    failures = FirstFailures(has_replies=False)
    failures.note_reply()
    assert not any(are_alike(failures, [(PAGE, n) for n in range(9)]))


@pytest.mark.needs("api")
def test_an_endpoint_that_answers_with_a_page(runner, endpoint, fake):
    endpoint.fault = lambda prompt, n_asked: (200, b"<html>login</html>")
    message = (
        r"no call brought a usable reply, and the first 5 failed in the same way: m answered with text that "
        r"is not JSON: '<html>login</html>'; check the endpoint's address"
    )
    with pytest.raises(ReplyError, match=message):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 5
    assert fake.time == 7.5  # .5 + 1 + 2 + 4 seconds of waiting between five calls


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_an_endpoint_with_empty_replies_ends_the_run(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (200, completion(None, finish_reason="length"))
    with pytest.raises(
        ReplyError, match="the first 20 failed in the same way: m answered without .* too small"
    ):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 20


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_an_endpoint_that_rejects_every_request(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (422, {"error": {"message": "no such field"}})
    with pytest.raises(ReplyError, match="the first 20 failed in the same way: m: Error code: 422"):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 20


SOON = Limits(concurrency=4, give_up_after=0.3)


QUICK = Retries(first_wait=0.01, longest_wait=0.02)


def stopped(model, tmp_path, *, retries=QUICK, by=InterruptedRunError, **settings):
    with pytest.raises(by) as caught:
        Runner(model, limits=SOON, retries=retries, ledger=tmp_path / "l").run(requests(1000), **settings)
    return str(caught.value)


@pytest.mark.needs("api")
@pytest.mark.parametrize("first_wait", [0.01, 600.0])  # all repetitions fail, or none is sent in time
@pytest.mark.exhaustive
def test_an_unreachable_endpoint_ends_the_run(tmp_path, first_wait):
    model = load_chat_model("m", base_url="http://127.0.0.1:9/v1")
    retries = Retries(first_wait=first_wait, longest_wait=first_wait)
    assert stopped(model, tmp_path, retries=retries, by=ReplyError) == (
        "m cannot be reached at http://127.0.0.1:9/v1: Connection refused; check the address, and that the "
        "server runs"
    )


@pytest.mark.needs("api")
def test_every_call_hangs(endpoint, tmp_path):
    endpoint.fault = lambda prompt, n_asked: "wait"
    assert stopped(endpoint.model(), tmp_path).startswith(
        "no reply came for 0.3 s; received replies are stored"
    )
    endpoint.go.set()
    assert len(endpoint.requests) == 4


@pytest.mark.needs("api")
def test_progress_says_for_how_long_it_has_waited(monkeypatch, endpoint, tmp_path):
    monkeypatch.setattr(runner, "_TICK", 0.01)
    endpoint.fault = lambda prompt, n_asked: "wait"
    seen, seconds = [], itertools.count()
    waiting = Runner(
        endpoint.model(),
        limits=Limits(give_up_after=60),
        ledger=tmp_path / "l",
        clock=Clock(now=lambda: float(next(seconds))),  # a second passes between any two looks
    )
    with pytest.raises(InterruptedRunError, match="no reply came for 60 s"):
        waiting.run(requests(9), progress=lambda *step: seen.append(step))
    endpoint.go.set()
    assert seen.pop(0) == ("asking m", 0, 9)
    shown = [done for _, done, _ in seen]
    assert {(stage, total) for stage, _, total in seen} == {("waiting for m (seconds without a reply)", 60)}
    assert shown == sorted(shown)
    assert 10 <= shown[0] < shown[-1] < 60


@pytest.mark.needs("api")
def test_progress_shows_the_wait_for_a_first_connection(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "_TICK", 0.01)
    seen, seconds = [], itertools.count()
    waiting = Runner(
        load_chat_model("m", base_url="http://127.0.0.1:9/v1"),
        limits=Limits(give_up_after=60),
        retries=QUICK,
        ledger=tmp_path / "l",
        clock=Clock(now=lambda: float(next(seconds))),  # a second passes between any two looks
    )
    with pytest.raises(ReplyError, match="m cannot be reached"):
        waiting.run(requests(9), progress=lambda *step: seen.append(step))
    assert any(stage == "waiting for a connection to m (seconds)" for stage, _, _ in seen)


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_a_slow_caller_is_no_dead_endpoint(endpoint, tmp_path):
    """Outcomes that wait to be taken do not count as silence."""

    async def run():
        asked = Runner(
            endpoint.model(), limits=Limits(concurrency=1, give_up_after=0.1), ledger=tmp_path / "l"
        )
        n_outcomes = 0
        async for _ in asked.stream(requests(4)):
            n_outcomes += 1
            await asyncio.sleep(0.15)
        return n_outcomes

    assert asyncio.run(run()) == 4


@pytest.mark.needs("api")
def test_a_request_that_fails_for_good_does_not_stop_the_rest(runner, endpoint):
    endpoint.plan(*[(500, {})] * 7)
    outcomes = runner(limits=SERIAL).run(requests(3))
    assert [outcome.status.value for outcome in outcomes] == ["failed", "replied", "replied"]


def waited(monkeypatch, model, tmp_path, limits, n=99):
    """The seconds, of a clock that adds one at each look, after which a run ended."""
    monkeypatch.setattr(runner, "_TICK", 0.001)
    seconds = itertools.count()
    asked = Runner(
        model,
        limits=limits,
        retries=QUICK,
        ledger=tmp_path / "l",
        clock=Clock(now=lambda: float(next(seconds))),
    )
    with pytest.raises(InterruptedRunError) as caught:
        asked.run(requests(n))
    return float(str(caught.value).split("no reply came for ")[1].split(" s")[0].replace(",", ""))


@pytest.mark.needs("api")
@pytest.mark.parametrize(("give_up_after", "longest"), [(None, 30), (50, 50)])
@pytest.mark.exhaustive
def test_a_run_ends_soon_if_the_endpoint_was_never_reached(monkeypatch, tmp_path, give_up_after, longest):
    monkeypatch.setattr(runner, "_TICK", 0.001)
    seen, looks = [], itertools.count()
    asked = Runner(
        load_chat_model("m", base_url="http://127.0.0.1:9/v1"),
        limits=Limits(give_up_after=give_up_after),
        retries=Retries(first_wait=600.0, longest_wait=600.0),  # longer than the run waits
        ledger=tmp_path / "l",
        clock=Clock(now=lambda: 0.02 * next(looks)),
    )
    with pytest.raises(ReplyError, match="m cannot be reached"):
        asked.run(requests(99), progress=lambda *step: seen.append(step))
    waits = [(done, total) for stage, done, total in seen if "connection" in stage]
    assert {total for _, total in waits} == {longest}
    assert max(done for done, _ in waits) < longest


@pytest.mark.needs("api")
def test_an_endpoint_that_has_answered_once_may_restart(monkeypatch, tmp_path):
    with misbehaving_endpoint() as endpoint:
        model = load_chat_model("m", base_url=endpoint.url)
        Runner(model, ledger=tmp_path / "first").run(requests(1))
    assert waited(monkeypatch, model, tmp_path, Limits()) == 300


UNREACHED = CallError("m cannot be reached", kind=FailureKind.CONNECTION)


BUSY = CallError("m is busy", kind=FailureKind.SERVER)


def steps_shown(*steps, **states):
    seen = []
    waiting = WaitProgress("m", lambda *step: seen.append(step))
    for step in steps:
        waiting.show(step[0], 300.0, *step[1:], **states)
    return seen


def test_an_endpoint_that_was_never_reached_is_waited_for_without_a_reason():
    stage = "waiting for a connection to m (seconds)"
    assert steps_shown((2.9, UNREACHED), (3.0, UNREACHED), is_unreached=True) == [(stage, 3, 300)]


def test_the_reason_of_a_lost_connection_is_shown_after_three_seconds():
    stage = "waiting for m (seconds without a reply: m cannot be reached)"
    assert steps_shown((2.9, UNREACHED), (3.0, UNREACHED), (4.2, UNREACHED)) == [
        (stage, 3, 300),
        (stage, 4, 300),
    ]


def test_waits_are_reported_from_the_tenth_second_on():
    stage = "waiting for m (seconds without a reply: m is busy)"
    assert steps_shown((9.9, BUSY), (10.0, BUSY)) == [(stage, 10, 300)]


def test_a_reason_that_comes_later_is_added_and_stays():
    plain, busy = (
        "waiting for m (seconds without a reply",
        "waiting for m (seconds without a reply: m is busy)",
    )
    assert steps_shown((10.0, None), (11.0, BUSY), (12.0, UNREACHED)) == [
        (f"{plain})", 10, 300),
        (busy, 11, 300),
        (busy, 12, 300),
    ]


def test_a_reply_ends_the_wait_and_the_next_wait_has_a_separate_reason():
    busy = "waiting for m (seconds without a reply: m is busy)"
    assert steps_shown((10.0, BUSY), (0.0, None), (1.0, None), (3.0, UNREACHED)) == [
        (busy, 10, 300),
        (busy, 0, 300),
        ("waiting for m (seconds without a reply: m cannot be reached)", 3, 300),
    ]


def test_without_a_callback_nothing_is_reported():
    WaitProgress("m", None).show(20.0, 300.0, UNREACHED)
