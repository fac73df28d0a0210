"""A progress callback that raises cancels a run within a second, however long its calls take."""

import time

import pytest

from semscale.answer_consistency.consistency import Consistency
from semscale.chat import Request
from semscale.chat.decisions import DecisionRequest, PredicateQuestion, decide
from semscale.chat.pacing import Limits
from semscale.chat.runner import Runner, Running
from semscale.judging.judge import Judge, Panel

pytestmark = pytest.mark.needs("api")
QUESTIONS = ["first?", "second?", "third?"]


class CancelledByUserError(Exception):
    """Raised by the progress callback of a user who has had enough."""


class Cancelling:
    """Progress callback that raises once the endpoint holds a call back."""

    def __init__(self, endpoint, holds):
        self.endpoint, self.holds = endpoint, holds
        self.held_since = None

    def __call__(self, stage, done, total):
        if self.held_since is None:
            if any(self.holds(str(body["messages"])) for body, _, _ in self.endpoint.requests):
                self.held_since = time.monotonic()
        else:
            raise CancelledByUserError


def run_calls(endpoint, progress):
    requests = [Request.of(question) for question in QUESTIONS]
    Runner(endpoint.model(), ledger=False).run(requests, progress=progress)


def judge(endpoint, progress):
    Judge(endpoint.model()).judge(QUESTIONS, ["a"] * 3, running=Running(ledger=False), progress=progress)


def judge_by_panel(endpoint, progress):
    panel = Panel([Judge(endpoint.model()), Judge(endpoint.model(), template="true_false")])
    panel.judge(QUESTIONS, ["a"] * 3, running=Running(ledger=False), progress=progress)


def ask_for_answers(endpoint, progress):
    tool = Consistency(endpoint.model(), measures=["exact_match"])
    tool.ask(QUESTIONS, 2, runner=Runner(endpoint.model(), ledger=False), progress=progress)


def ask_for_p_true(endpoint, progress):
    tool = Consistency(endpoint.model(), measures=["exact_match", "p_true"])
    tool.ask(QUESTIONS, 1, runner=Runner(endpoint.model(), ledger=False), progress=progress)


def decide_questions(endpoint, progress):
    asked = [DecisionRequest.of(text, {"ok": PredicateQuestion("Is it good?")}) for text in QUESTIONS]
    decide(endpoint.model(), asked, ledger=False, progress=progress)


@pytest.mark.parametrize(
    ("run", "held"),
    [
        (run_calls, ""),
        (decide_questions, ""),
        (judge, ""),
        (judge_by_panel, ""),
        (ask_for_answers, ""),
        (ask_for_p_true, "Is the proposed answer"),
    ],
)
def test_a_callback_that_raises_cancels_calls_that_do_not_return(endpoint, run, held):
    endpoint.fault = lambda prompt, n_asked: "wait" if held in prompt else None  # 30 s, longer than the test
    progress = Cancelling(endpoint, lambda messages: held in messages)
    try:
        with pytest.raises(CancelledByUserError):
            run(endpoint, progress)
        assert time.monotonic() - progress.held_since < 1
    finally:
        endpoint.go.set()


def test_a_callback_is_called_after_each_call_and_sends_no_further_one_after_it_raised(endpoint):
    steps = []

    def progress(*step):
        steps.append(step)
        if step[1] == 2:
            raise CancelledByUserError

    requests = [Request.of(f"question {number}") for number in range(9)]
    runner = Runner(endpoint.model(), limits=Limits(concurrency=1), ledger=False)
    with pytest.raises(CancelledByUserError):
        runner.run(requests, progress=progress)
    assert [done for _, done, _ in dict.fromkeys(steps)] == [0, 1, 2]
    assert len(endpoint.requests) <= 4  # the next call is sent before an outcome is read
