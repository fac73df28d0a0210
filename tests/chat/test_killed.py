"""A run that is killed in the middle, and started again: no call that was paid for is made twice."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from semscale.chat import Request
from semscale.chat.pacing import Limits
from semscale.chat.runner import Runner

pytestmark = [pytest.mark.needs("api"), pytest.mark.exhaustive]

CHILD = """
import sys
from semscale.chat import Request, load_chat_model
from semscale.chat.pacing import Limits
from semscale.chat.runner import Runner
url, ledger, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
runner = Runner(load_chat_model("m", base_url=url), limits=Limits(concurrency=8), ledger=ledger)
requests = [Request.of(f"question {number}") for number in range(count)]
print(len(runner.run(requests, progress=lambda _, done, __: print(done, flush=True))))
"""
CONCURRENCY, COUNT = 8, 200


def start(endpoint, ledger) -> subprocess.Popen:
    command = [sys.executable, "-c", CHILD, endpoint.url, str(ledger), str(COUNT)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX thing")
@pytest.mark.parametrize("after", [1, 60, 150])
def test_killed_and_resumed(endpoint, tmp_path, after):
    ledger = tmp_path / "ledger.sqlite"
    with start(endpoint, ledger) as child:
        delivered = 0
        while delivered < after:
            delivered = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        delivered = max([delivered, *(int(line) for line in child.stdout)])
    connection = sqlite3.connect(ledger)
    (kept,) = connection.execute("SELECT count(*) FROM semscale_attempts WHERE status = 'replied'").fetchone()
    connection.close()
    before = len(endpoint.requests)
    assert delivered <= kept <= before < COUNT
    assert before - kept <= CONCURRENCY  # lost is at most what was under way

    # The killed run's claims are not waited for: time stands still here.
    runner = Runner(endpoint.model(), limits=Limits(concurrency=CONCURRENCY), ledger=ledger)
    outcomes = runner.run([Request.of(f"question {number}") for number in range(COUNT)])
    assert [outcome.reply.text for outcome in outcomes] == [f"echo: question {n}" for n in range(COUNT)]
    assert runner.spent.calls == COUNT - kept
    late = len(endpoint.requests) - before - runner.spent.calls
    assert 0 <= late <= CONCURRENCY  # what the killed run had sent may arrive after its end
    twice = len(endpoint.prompts) - len(set(endpoint.prompts))
    assert twice <= CONCURRENCY


def test_several_processes_share_the_calls(endpoint, tmp_path):
    children = [start(endpoint, tmp_path / "ledger.sqlite") for _ in range(3)]
    assert [child.communicate()[0].splitlines()[-1] for child in children] == [str(COUNT)] * 3
    assert sorted(endpoint.prompts) == sorted(f"question {number}" for number in range(COUNT))
