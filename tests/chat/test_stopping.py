"""Ctrl-C while calls are under way: a signal in a process of its own, and runs that are asked to end."""

import asyncio
import os
import subprocess
import sys

import pytest

from semscale.chat import Reply, Request
from semscale.chat.runner import RUNS, Runner, StoppableRuns, run_to_end
from semscale.chat.settings import Limits
from semscale.signature import Signature

SIGNALLED = """
import asyncio, os, signal, sys
from semscale.chat import Reply, Request
from semscale.chat.settings import Limits
from semscale.chat.runner import Runner
from semscale.cli.process import catch_interrupts
from semscale.signature import Signature

class Model:
    name, signature, sent = "m", Signature.of("chat", model="m"), 0

    async def complete(self, request):
        Model.sent += 1
        if Model.sent == 3:
            signal.raise_signal(signal.SIGINT)
        for _ in range(100):
            await asyncio.sleep(0)
        return Reply("yes")

catch_interrupts()
requests = [Request.of(f"question {n}") for n in range(50)]
for _ in range(2):
    try:
        found = Runner(Model(), limits=Limits(concurrency=3), ledger=sys.argv[1]).run(requests)
        print("sent", Model.sent, "replies", len(found))
    except KeyboardInterrupt:
        print("stopped after", Model.sent)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows delivers no signals to itself")
@pytest.mark.exhaustive
def test_calls_under_way_finish_and_none_is_sent_twice(tmp_path):
    command = [sys.executable, "-c", SIGNALLED, str(tmp_path / "ledger.sqlite")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout.splitlines() == ["stopped after 3", "sent 50 replies 50"]
    assert "waiting up to 10 s for 3 calls under way; Ctrl-C again stops at once" in ended.stderr
    assert "Traceback" not in ended.stderr


class Slow:
    """Answers when it is let go."""

    name, signature = "slow", Signature.of("chat", model="slow")

    def __init__(self):
        self.sent, self.may_answer = 0, asyncio.Event()

    async def complete(self, request):
        self.sent += 1
        await self.may_answer.wait()
        return Reply("yes")


def run_of(model, path, n=20):
    runner = Runner(model, limits=Limits(concurrency=2), ledger=path)
    return runner.collect([Request.of(f"question {number}") for number in range(n)])


async def until(condition):
    while not condition():
        await asyncio.sleep(0)


def test_concurrent_runs_wait_for_all_calls_in_flight(tmp_path):
    first, second = Slow(), Slow()

    async def stop():
        await until(lambda: first.sent == second.sent == 2)
        assert RUNS.stop()
        first.may_answer.set()
        await until(lambda: RUNS.n_calls == 2)
        second.may_answer.set()

    async def both():
        runs = (run_of(model, tmp_path / str(number)) for number, model in enumerate((first, second)))
        await asyncio.gather(*runs, stop())

    with pytest.raises(KeyboardInterrupt):
        run_to_end(both())
    assert (first.sent, second.sent) == (2, 2)
    for number in range(2):
        again = Slow()
        again.may_answer.set()
        run_to_end(run_of(again, tmp_path / str(number), n=3))
        assert again.sent == 1


def test_a_call_beyond_the_longest_wait_is_abandoned(tmp_path, monkeypatch):
    monkeypatch.setattr("semscale.chat.runner.LONGEST_WAIT", 0.0)
    model = Slow()

    async def stopped():
        await until(lambda: model.sent == 2)
        assert RUNS.stop()

    async def both():
        await asyncio.gather(run_of(model, tmp_path / "ledger"), stopped())

    with pytest.raises(KeyboardInterrupt):
        run_to_end(both())
    assert model.sent == 2
    assert RUNS.n_calls == 0


def test_without_a_call_under_way_nothing_is_stopped():
    assert not StoppableRuns().stop()
