"""Runs that Python programs ask for: new calls for each rerun, and for each later asking."""

import pytest

from semscale.chat.budget import Budget
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.drift.asking.asked_runs import ask_runs
from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError, InterruptedRunError
from semscale.signature import Signature

ITEMS = [ItemToAsk("a", "A?", {"input": "A?"}, {"topic": "x"}), ItemToAsk("b", "B?", {"input": "B?"})]


class Chat:
    name, signature = "chat", Signature.of("chat", model="chat")

    def __init__(self):
        self.asked, self.busy = [], False

    async def complete(self, request):
        self.asked.append(request.messages[-1].text)
        if self.busy and "B" in self.asked[-1]:
            raise CallError("busy", kind=FailureKind.SERVER)
        return Reply(f"{self.asked[-1]} {len(self.asked)}")


@pytest.fixture
def running(tmp_path):
    return lambda **settings: Running(
        **{"ledger": tmp_path / "l.sqlite", "retries": Retries(most=0), **settings}
    )


def test_a_run_and_its_rerun_by_new_calls_each_time(running):
    chat = Chat()
    first, rerun = ask_runs(ITEMS, chat, dataset="exam", reruns=1, running=running())
    assert (first.dataset, first.model, rerun.rerun_of, first.rerun_of) == ("exam", "chat", first.id, None)
    assert [dict(item.groups) for item in first.items] == [{"topic": "x"}, {}]
    assert sorted(chat.asked) == ["A?", "A?", "B?", "B?"]
    ask_runs(ITEMS, chat, dataset="exam", running=running())
    assert len(chat.asked) == 6


def test_an_asking_that_was_stopped_goes_on(running):
    chat = Chat()
    with pytest.raises(InterruptedRunError, match="the cap of 1 calls"):
        ask_runs(ITEMS, chat, dataset="exam", running=running(budget=Budget(calls=1)))
    ask_runs(ITEMS, chat, dataset="exam", running=running())
    assert sorted(chat.asked) == ["A?", "B?"]


@pytest.mark.parametrize("ledger", [True, False])
def test_an_outage_is_no_run(running, ledger):
    chat = Chat()
    chat.busy = True
    with pytest.raises(InterruptedRunError, match="1 of 2 calls failed, most often because: busy"):
        ask_runs(ITEMS, chat, dataset="exam", running=running(**({} if ledger else {"ledger": False})))


def test_a_template_and_no_negative_reruns(running):
    chat = Chat()
    ask_runs(ITEMS, chat, dataset="exam", template=PromptTemplate("t", "Q: {input}"), running=running())
    assert sorted(chat.asked) == ["Q: A?", "Q: B?"]
    with pytest.raises(InputError, match="reruns must be at least 0, got -1"):
        ask_runs(ITEMS, chat, dataset="exam", reruns=-1)


def test_langchain_models_are_asked_as_they_are(running):
    pytest.importorskip("langchain_core")
    from langchain_core.language_models import FakeListChatModel

    (run,) = ask_runs(ITEMS[:1], FakeListChatModel(responses=["Yes."]), dataset="exam", running=running())
    assert run.items[0].outputs[0].text == "Yes."
