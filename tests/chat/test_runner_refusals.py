"""Parameters that a model refuses: asked without them, once found out, counted, and kept with the reply."""

import pytest
from endpoint import REFUSALS, error
from made_up_requests import requests, statuses

from semscale.chat import FailureKind
from semscale.chat.budget import Budget
from semscale.chat.pacing import Limits
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError

pytestmark = pytest.mark.needs("api")

MANY = Limits(concurrency=8)


@pytest.mark.parametrize("words", REFUSALS)
def test_one_call_finds_out_for_all(runner, endpoint, words):
    endpoint.refuse("temperature", words=words)
    asked = runner(limits=MANY)
    outcomes = asked.run(requests(20, temperature=0.0, top_p=0.5))
    assert statuses(outcomes) == ["replied"] * 20
    assert {outcome.reply.left_out for outcome in outcomes} == {("temperature",)}
    assert len(endpoint.requests) == asked.spent.calls == 21
    assert [body.get("top_p") for body, _, _ in endpoint.requests] == [0.5] * 21
    assert sum("temperature" in body for body, _, _ in endpoint.requests) == 1
    assert sorted(outcome.attempts for outcome in outcomes) == [1] * 19 + [2]


def test_what_a_run_found_out_the_next_one_knows(runner, endpoint):
    endpoint.refuse("seed", words="pydantic")
    asked = runner()
    asked.run(requests(1, seed=1))
    asked.run(requests(3, seed=1))
    assert len(endpoint.requests) == 4


def test_the_limit_goes_by_its_other_name(runner, endpoint):
    endpoint.refuse("max_tokens")
    (outcome,) = runner().run(requests(1, max_tokens=7))
    assert outcome.reply.left_out == ()
    assert [body.get("max_completion_tokens") for body, _, _ in endpoint.requests] == [None, 7]


@pytest.mark.parametrize("words", REFUSALS)
def test_all_parameters_refused_one_after_the_other(runner, endpoint, words):
    names = ("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop", "top_logprobs")
    endpoint.refuse(*names, words=words)
    settings = {"temperature": 0.0, "max_tokens": 5, "top_p": 0.5, "seed": 1, "stop": ("END",)}
    (outcome,) = runner().run(requests(1, **settings, top_logprobs=2))
    assert set(outcome.reply.left_out) == {*settings, "top_logprobs"}
    assert set(endpoint.requests[-1][0]) == {"model", "messages"}
    assert len(endpoint.requests) == outcome.attempts == 8


def test_the_same_requests_find_their_replies_and_what_was_left_out(runner, endpoint, tmp_path):
    endpoint.refuse("temperature")
    asked = requests(3, temperature=0.0)
    first = runner().run(asked)
    sent = len(endpoint.requests)
    again = Runner(endpoint.model(), ledger=tmp_path / "ledger.sqlite").run(asked)
    assert [outcome.reply for outcome in again] == [outcome.reply for outcome in first]
    assert {outcome.reply.left_out for outcome in again} == {("temperature",)}
    assert len(endpoint.requests) == sent


def test_a_refused_call_counts_against_the_cap(runner, endpoint):
    endpoint.refuse("temperature")
    with pytest.raises(InterruptedRunError, match="the cap of 3 calls is reached; replies that came"):
        runner(budget=Budget(calls=3)).run(requests(9, temperature=0.0))
    assert len(endpoint.requests) == 3


def test_a_parameter_is_kept_where_a_call_without_it_is_refused_too(runner, endpoint):
    refusal = (400, error("'temperature' and pictures of this kind are not supported"))
    endpoint.plan(refusal, (400, error("pictures of this kind are not supported")))
    outcomes = runner(limits=Limits(concurrency=1)).run(requests(2, temperature=0.0))
    assert statuses(outcomes) == ["failed", "replied"]
    assert outcomes[0].failure.kind is FailureKind.REJECTED
    assert outcomes[1].reply.left_out == ()
    assert endpoint.requests[-1][0]["temperature"] == 0.0
