"""An endpoint that is dead: the run shows that it waits, and stops after the seconds that it names."""

import asyncio
import itertools

import pytest
from endpoint import misbehaving_endpoint
from made_up_requests import ONE, requests

from semscale.chat import load_chat_model, runner
from semscale.chat.pacing import Clock, Limits, Retries
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError

pytestmark = pytest.mark.needs("api")

SOON = Limits(concurrency=4, give_up_after=0.3)
QUICK = Retries(first_wait=0.01, longest_wait=0.02)


def stopped(model, tmp_path, *, retries=QUICK, **settings):
    with pytest.raises(InterruptedRunError) as caught:
        Runner(model, limits=SOON, retries=retries, ledger=tmp_path / "l").run(requests(1000), **settings)
    return str(caught.value)


@pytest.mark.parametrize("first_wait", [0.01, 600.0])
def test_nobody_listens(tmp_path, first_wait):
    model = load_chat_model("m", base_url="http://127.0.0.1:9/v1")
    assert stopped(model, tmp_path, retries=Retries(first_wait=first_wait, longest_wait=first_wait)) == (
        "no reply came for 0.3 s: m cannot be reached at http://127.0.0.1:9/v1: Connect call failed "
        "('127.0.0.1', 9); replies that came are kept, and the same command goes on from there"
    )


def test_every_call_hangs(endpoint, tmp_path):
    endpoint.fault = lambda prompt, n_asked: "wait"
    assert stopped(endpoint.model(), tmp_path).startswith(
        "no reply came for 0.3 s; replies that came are kept"
    )
    endpoint.go.set()
    assert len(endpoint.requests) == 4


def test_every_answer_is_an_error_after_some_replies(endpoint, tmp_path):
    fine = {f"question {number}" for number in range(7)}
    endpoint.fault = lambda prompt, n_asked: None if prompt in fine else (500, {"error": {"message": "oops"}})
    said = stopped(endpoint.model(), tmp_path)
    assert said.startswith("no reply came for 0.3 s: m: Error code: 500")
    endpoint.fault = lambda prompt, n_asked: None
    sent = len(endpoint.requests)
    Runner(endpoint.model(), ledger=tmp_path / "l").run(requests(9))
    assert len(endpoint.requests) == sent + 2


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


def test_progress_names_the_cause_once_the_endpoint_cannot_be_reached(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "_TICK", 0.01)
    seen, seconds = [], itertools.count()
    waiting = Runner(
        load_chat_model("m", base_url="http://127.0.0.1:9/v1"),
        limits=Limits(give_up_after=60),
        retries=QUICK,
        ledger=tmp_path / "l",
        clock=Clock(now=lambda: float(next(seconds))),  # a second passes between any two looks
    )
    with pytest.raises(InterruptedRunError, match="no reply came for 60 s"):
        waiting.run(requests(9), progress=lambda *step: seen.append(step))
    assert any("cannot be reached at http://127.0.0.1:9/v1" in stage for stage, _, _ in seen)


def test_a_slow_caller_is_no_dead_endpoint(endpoint, tmp_path):
    """Outcomes that wait to be taken do not count as silence."""

    async def run():
        asked = Runner(
            endpoint.model(), limits=Limits(concurrency=1, give_up_after=0.1), ledger=tmp_path / "l"
        )
        taken = 0
        async for _ in asked.stream(requests(4)):
            taken += 1
            await asyncio.sleep(0.15)
        return taken

    assert asyncio.run(run()) == 4


def test_one_request_that_fails_for_good_does_not_stop_the_others(runner, endpoint):
    endpoint.plan(*[(500, {})] * 7)
    outcomes = runner(limits=ONE).run(requests(3))
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


def test_a_run_ends_soon_where_nothing_ever_listened(monkeypatch, tmp_path):
    model = load_chat_model("m", base_url="http://127.0.0.1:9/v1")
    assert waited(monkeypatch, model, tmp_path, Limits()) == 30
    assert waited(monkeypatch, model, tmp_path, Limits(give_up_after=50)) == 50


def test_an_endpoint_that_has_answered_once_may_restart(monkeypatch, tmp_path):
    with misbehaving_endpoint() as endpoint:
        model = load_chat_model("m", base_url=endpoint.url)
        Runner(model, ledger=tmp_path / "first").run(requests(1))
    assert waited(monkeypatch, model, tmp_path, Limits()) == 300
