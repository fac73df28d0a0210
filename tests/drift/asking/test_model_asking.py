"""Asking a chat model: new replies for each sample, what they took, and what did not come."""

import asyncio

import pytest

from semscale.chat.budget import Budget, Price, PriceTable
from semscale.chat.messages import CallError, FailureKind, Reply, Usage
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.drift.asking.answers import answered_items, facts_of
from semscale.drift.asking.model_asking import AskSettings, ModelAsker
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.history.items import Item
from semscale.signature import Signature

FAILURES = {
    "refuse": FailureKind.REFUSED,
    "busy": FailureKind.SERVER,
    "too long": FailureKind.REJECTED,
}


class Chat:
    """Answers a prompt with itself and the number of the call; fails where the prompt names a failure."""

    name, signature = "chat", Signature.of("chat", model="chat")

    def __init__(self):
        self.asked = []

    async def complete(self, request):
        prompt = request.messages[-1].text
        self.asked.append((prompt, request.sample, request.parameters.temperature))
        if prompt in FAILURES:
            raise CallError(prompt, kind=FAILURES[prompt])
        reason = "length" if prompt == "long" else "stop"
        return Reply(f"{prompt} {len(self.asked)}", reason, Usage(10, 2))


@pytest.fixture
def asker(tmp_path):
    def make(chat, settings=None, **running):
        running = {"ledger": tmp_path / "ledger.sqlite", "retries": Retries(most=0)} | running
        return ModelAsker(chat, settings or AskSettings(), Running(**running))

    return make


def ask(asker, prompts, samples=(0,)):
    return asyncio.run(asker.ask(prompts, samples))[0]


def test_each_sample_is_a_call_of_its_own_and_is_paid_once(asker):
    chat = Chat()
    answers = ask(asker(chat), ["a"], (7, 8))
    texts = [output.text for answer in answers.every for output in answer.outputs]
    assert sorted(texts) == ["a 1", "a 2"]
    assert answers.n_calls == 2
    again = ask(asker(chat), ["a"], (7, 8))
    assert (again.n_calls, again.asked) == (0, answers.asked)
    assert ask(asker(chat), ["a"], (9,)).n_calls == 1


def test_outputs_have_tokens_latency_and_where_the_price_is_known_cost(asker):
    prices = PriceTable({"chat": Price(0.5, 2.0, "EUR")})
    (answer,) = ask(asker(Chat(), prices=prices), ["a"]).every
    (output,) = answer.outputs
    # 10 tokens at 0.5 and 2 at 2.
    assert (output.fields["call_tokens"], output.fields["call_cost"]) == (12.0, 9.0)
    assert output.fields["call_latency"] >= 0
    (free,) = ask(asker(Chat(), prices=PriceTable()), ["b"]).every
    assert set(free.outputs[0].fields) == {"call_tokens", "call_latency"}


def test_what_took_part_is_summed_up(asker):
    prices = PriceTable({"chat": Price(0.5, 2.0, "EUR")})
    answers = ask(asker(Chat(), prices=prices), ["a", "b", "refuse", "long"])
    facts = facts_of(answers, prompts="items.jsonl", settings={"temperature": 0.5})
    assert (facts.n_calls, facts.n_cut, facts.currency) == (4, 1, "EUR")
    assert facts.sums == {"tokens": 36.0, "cost": 27.0}
    assert facts.n_known == {"tokens": 3, "cost": 3}
    assert facts.reasons == {"refuse": 1}


def test_items_keep_their_place_and_failures_have_reasons(asker):
    answers = ask(asker(Chat()), ["a", "refuse", "busy", "too long"])
    assert [(answer.reason, answer.is_lost) for answer in answers.every] == [
        (None, False),
        ("refuse", False),
        ("busy", True),
        ("too long", False),
    ]
    assert answers.lost == {"busy": 1}
    items = answered_items([Item(name, (), "x") for name in "abcd"], answers.asked[0])
    assert [len(item.outputs) for item in items] == [1, 0, 0, 0]
    assert items[0].input == "x"


def test_settings_are_sent_and_make_another_call(asker):
    chat = Chat()
    plain, warm = asker(chat), asker(chat, AskSettings(temperature=0.5, system="Be brief."))
    ask(plain, ["a"])
    ask(warm, ["a"])
    assert chat.asked == [("a", 0, None), ("a", 0, 0.5)]
    assert plain.keys(["a"]) != warm.keys(["a"])
    assert warm.settings.given == {"temperature": 0.5, "system": "Be brief."}
    with pytest.raises(InputError, match="max_tokens must be >= 1, got 0"):
        AskSettings(max_tokens=0)


def test_a_cap_stops_and_the_same_call_goes_on(asker):
    chat = Chat()
    with pytest.raises(InterruptedRunError, match="the cap of 2 calls is reached"):
        ask(asker(chat, budget=Budget(calls=2)), ["a", "b", "c"])
    assert ask(asker(chat), ["a", "b", "c"]).n_calls == 1


def test_the_budget_is_handed_on(asker):
    _, left = asyncio.run(asker(Chat(), budget=Budget(calls=5)).ask(["a", "b"], (0,)))
    assert left.budget.calls == 3


def test_no_reply_at_all_is_no_run(asker):
    with pytest.raises(ReplyError, match="no call brought a usable reply, most often because: too long"):
        ask(asker(Chat()), ["too long", "refuse", "too long"])
