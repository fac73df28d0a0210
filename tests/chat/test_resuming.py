"""Results in the ledger: paid calls are not repeated, not even after a kill; failed ones are."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest
from tests.support.endpoint import completion
from tests.support.made_up_requests import SERIAL, requests, statuses

from semscale.chat import Request
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Runner
from semscale.chat.settings import Limits
from semscale.errors import InputError
from semscale.signature import Signature


@pytest.mark.needs("api")
def test_a_second_run_sends_nothing(runner, endpoint):
    endpoint.plan((200, completion(None, message={"refusal": "no"})))
    first = runner(limits=SERIAL).run(requests(4))
    second = runner(limits=SERIAL)
    again = second.run(requests(4))
    assert len(endpoint.requests) == 4
    assert statuses(again) == statuses(first) == ["refused", "replied", "replied", "replied"]
    assert [outcome.reply for outcome in again] == [outcome.reply for outcome in first]
    assert [outcome.attempts for outcome in again] == [0] * 4
    assert second.spent.calls == 0


WITHOUT_TEXT = {
    "empty": completion(""),
    "null": completion(None),
    "reasoning in the text": completion("<think>2 + 2</think>\n"),
    "reasoning apart": completion(None, message={"content": None, "reasoning_content": "2 + 2"}),
    "tool call": completion(None, message={"content": None, "tool_calls": [{"id": "1"}]}),
}


@pytest.mark.needs("api")
@pytest.mark.parametrize("body", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
@pytest.mark.exhaustive
def test_a_reply_without_text_is_repeated_and_asked_again_by_the_next_run(runner, endpoint, body):
    endpoint.plan(*[(200, body)] * 3)
    (outcome,) = runner(limits=SERIAL, retries=Retries(most=1)).run(requests(1))
    assert (outcome.status, outcome.attempts, outcome.failure.kind) == ("failed", 2, FailureKind.SILENT)
    assert "m answered without text" in str(outcome.failure)
    (outcome,) = runner(limits=SERIAL, retries=Retries(most=1)).run(requests(1))
    assert (outcome.reply.text, outcome.attempts) == ("echo: question 0", 2)


@pytest.mark.needs("api")
def test_an_empty_reply_of_a_custom_model_is_a_failure(tmp_path):
    class Mute:
        name, signature = "mute", Signature.of("chat", model="mute")

        async def complete(self, request):
            return Reply(" ")

    (outcome,) = Runner(Mute(), retries=Retries(most=0), ledger=tmp_path / "l").run(requests(1))
    assert str(outcome.failure) == "mute answered without text (finish reason stop)"


@pytest.mark.needs("api")
def test_failed_requests_are_sent_again(runner, endpoint):
    endpoint.plan((400, {}))
    assert statuses(runner(limits=SERIAL).run(requests(1))) == ["failed"]
    assert statuses(runner(limits=SERIAL).run(requests(1))) == ["replied"]


@pytest.mark.needs("api")
def test_equal_requests_are_sent_once_and_samples_are_not_equal(runner, endpoint):
    same = requests(1) * 5
    outcomes = runner(limits=Limits(concurrency=5)).run([*same, same[0].with_sample(1)])
    assert statuses(outcomes) == ["replied"] * 6
    assert len(endpoint.requests) == 2


@pytest.mark.needs("api")
def test_different_parameters_or_models_are_separate_calls(endpoint, tmp_path):
    path = tmp_path / "ledger.sqlite"
    for model in ("m", "n"):
        for temperature in (0.0, 1.0):
            Runner(endpoint.model(model), ledger=path).run(requests(1, temperature=temperature))
    assert len(endpoint.requests) == 4


@pytest.mark.needs("api")
def test_without_a_ledger_everything_is_asked_again(runner, endpoint):
    for _ in range(2):
        runner(ledger=False).run(requests(3))
    assert len(endpoint.requests) == 6


@pytest.mark.needs("api")
def test_a_file_that_is_no_ledger_is_refused(tmp_path, endpoint):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this is no ledger at all" * 100)
    with pytest.raises(InputError, match="is not an SQLite file: move it away, or name another file"):
        Runner(endpoint.model(), ledger=path).run(requests(2))
    assert endpoint.requests == []


@pytest.mark.needs("api")
@pytest.mark.exhaustive
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


@pytest.mark.needs("api")
def test_key_is_in_no_file(endpoint, monkeypatch, tmp_path):
    key = "sk-sentinel-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    endpoint.plan((200, completion(f"your key is {key}")), (401, {"error": {"message": f"wrong key {key}"}}))
    with pytest.raises(CallError, match="wrong key"):
        Runner(endpoint.model(), limits=SERIAL, ledger=tmp_path / "ledger.sqlite").run(requests(3))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(b"sentinel" in path.read_bytes() for path in files)
    assert any(b"your key is" in path.read_bytes() for path in files)


@pytest.mark.needs("api")
def test_a_reply_says_how_long_its_call_took_also_from_the_ledger(fake, tmp_path):
    class Slow:
        """Takes 2 seconds of the fake clock for its first attempt, which fails, and 3 for the next one."""

        name, signature = "slow", Signature.of("chat", model="slow")

        attempts = 0

        async def complete(self, request):
            self.attempts += 1
            fake.time += 1.0 + self.attempts
            if self.attempts == 1:
                raise CallError("busy", kind=FailureKind.SERVER)
            return Reply("4")

    model = Slow()
    runner = Runner(model, ledger=tmp_path / "ledger.sqlite", clock=fake.clock)
    assert [runner.run(requests(1))[0].reply.seconds for _ in range(2)] == [3.0, 3.0]
    assert model.attempts == 2


@pytest.mark.needs("api")
def test_a_model_that_says_how_long_it_took_is_believed(fake):
    class Queue:
        """Answers one after the other; the wait of the others is no time of theirs."""

        name, signature = "queue", Signature.of("chat", model="queue")

        async def complete(self, request):
            fake.time += 10.0
            return Reply("4", seconds=1.5)

    outcomes = Runner(Queue(), ledger=False, clock=fake.clock).run(requests(3))
    assert [outcome.reply.seconds for outcome in outcomes] == [1.5] * 3


CHILD = """
import sys
from semscale.chat import Request, load_chat_model
from semscale.chat.settings import Limits
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


@pytest.mark.needs("api")
@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX thing")
def test_killed_and_resumed(endpoint, tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    with start(endpoint, ledger) as child:
        delivered = 0
        while delivered < COUNT // 3:
            delivered = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        delivered = max([delivered, *(int(line) for line in child.stdout)])
    connection = sqlite3.connect(ledger)
    (stored,) = connection.execute(
        "SELECT count(*) FROM semscale_attempts WHERE status = 'replied'"
    ).fetchone()
    connection.close()
    before = len(endpoint.requests)
    assert delivered <= stored <= before < COUNT
    assert before - stored <= CONCURRENCY  # lost is at most what was under way

    # The killed run's claims are not waited for: time stands still here.
    runner = Runner(endpoint.model(), limits=Limits(concurrency=CONCURRENCY), ledger=ledger)
    outcomes = runner.run([Request.of(f"question {number}") for number in range(COUNT)])
    assert [outcome.reply.text for outcome in outcomes] == [f"echo: question {n}" for n in range(COUNT)]
    assert runner.spent.calls == COUNT - stored
    late = len(endpoint.requests) - before - runner.spent.calls
    assert 0 <= late <= CONCURRENCY  # what the killed run had sent may arrive after its end
    twice = len(endpoint.prompts) - len(set(endpoint.prompts))
    assert twice <= CONCURRENCY


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_several_processes_share_the_calls(endpoint, tmp_path):
    children = [start(endpoint, tmp_path / "ledger.sqlite") for _ in range(3)]
    assert [child.communicate()[0].splitlines()[-1] for child in children] == [str(COUNT)] * 3
    assert sorted(endpoint.prompts) == sorted(f"question {number}" for number in range(COUNT))
