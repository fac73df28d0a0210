"""Items with their prompts, a chat model that is asked, and rounds of asking."""

import asyncio
import json
from pathlib import Path

import pytest

from semscale.chat.budget import Price, PriceTable
from semscale.chat.ledger import Ledger
from semscale.chat.messages import CallError, FailureKind, Reply, Usage
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.chat.settings import AskSettings, Budget
from semscale.drift.asking import (
    ItemToAsk,
    ModelAsker,
    PromptColumns,
    PromptTemplate,
    ask_runs,
    close_round,
    is_template,
    items_with_answers,
    open_round,
    read_items_to_ask,
    read_template,
)
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.history.items import Item
from semscale.signature import Signature
from semscale.store.reading import open_table


def test_columns_are_filled_in_and_other_braces_stay():
    template = PromptTemplate("a.txt", 'Q: {my question}\n{"score": {n}} {} {{n}} {my question}')
    assert template.columns == ("my question", "n")
    assert template.fill({"my question": "Why {n}?", "n": "5"}) == (
        'Q: Why {n}?\n{"score": 5} {} {n} Why {n}?'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Answer.", "a.txt names no column of items.csv in braces, such as {id}"),
        ("{{question}}", "names no column"),
        ("{qestion}", "has no column 'qestion'; did you mean 'question'? its columns are id, question"),
        ("{unlike}", "has no column 'unlike'; its columns are id, question; write {{unlike}} for the word"),
    ],
)
def test_a_template_that_does_not_fit_the_table_is_refused(text, message):
    with pytest.raises(InputError) as refused:
        PromptTemplate("a.txt", text).check(("id", "question"), "items.csv")
    assert message in str(refused.value)


def test_the_hash_is_that_of_the_text():
    # printf %s Hello | sha256sum
    assert PromptTemplate("a.txt", "Hello").content_hash == "185f8db3"


def test_files_of_templates(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\ufeff {question}\n", encoding="utf-8")
    assert read_template(path) == PromptTemplate("a.txt", "{question}")
    path.write_text(" \n")
    with pytest.raises(InputError, match=r"is empty: write the prompt into it"):
        read_template(path)
    path.write_bytes(b"\xff\xfe{q}")
    with pytest.raises(InputError, match="cannot be read: not UTF-8"):
        read_template(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_template(tmp_path / "b.txt")
    assert [is_template(name) for name in ("a.TXT", "b.md", "c.csv")] == [True, True, False]


ROWS = [
    {"id": 1, "input": "Why?", "topic": "x", "known": "So.", "done": True},
    {"id": 2, "input": "How?", "topic": None, "known": None, "done": False},
]
TEMPLATE = PromptTemplate("t.txt", "Be kind. {input}")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(rows=ROWS):
        Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return open_table("items.jsonl")

    return write


def test_items_have_id_input_groups_and_reference(table):
    items = read_items_to_ask(table(), PromptColumns(by=("topic",), reference="known"))
    assert [(item.id, item.input, item.groups, item.reference) for item in items] == [
        ("1", "Why?", {"topic": "x"}, "So."),
        ("2", "How?", {}, None),
    ]
    assert items[0].prompt() == "Why?"


def test_a_template_changes_the_prompt_and_not_the_input(table):
    (first, _) = read_items_to_ask(table(), PromptColumns(), [TEMPLATE])
    assert (first.prompt(TEMPLATE), first.input) == ("Be kind. Why?", "Why?")


def test_inputs_are_read_from_prompt_too_and_groups_from_objects(table):
    rows = [{"id": "a", "prompt": "Why?", "groups": {"topic": "x"}}]
    (item,) = read_items_to_ask(table(rows), PromptColumns())
    assert (item.input, item.groups) == ("Why?", {"topic": "x"})


def test_without_an_input_the_remaining_cells_are_the_input(table):
    rows = [{"id": "a", "q": "Why?", "n": 2, "known": "So.", "topic": "x"}]
    columns = PromptColumns(by=("topic",), reference="known")
    inputs = {
        read_items_to_ask(table(rows), columns, [PromptTemplate("t.txt", text)])[0].input
        for text in ("{q}", "{n} {q}")
    }
    assert inputs == {'{"n": 2, "q": "Why?"}'}


@pytest.mark.parametrize(
    ("rows", "columns", "templates", "message"),
    [
        ([{"id": "a", "q": "Why?"}], {}, [], "input: items.jsonl has no column 'input'"),
        (ROWS, {"id": "nr"}, [], "id: items.jsonl has no column 'nr'"),
        (ROWS, {"by": ("kind",)}, [], "by: items.jsonl has no column 'kind'"),
        (ROWS, {"reference": "right"}, [], "reference: items.jsonl has no column 'right'"),
        (ROWS, {}, [PromptTemplate("t.txt", "{q}")], "t.txt: items.jsonl has no column 'q'"),
        ([{"id": "a", "input": "x"}] * 2, {}, [], "items.jsonl: ids must occur once, got 'a' more than once"),
        ([{"id": None, "input": "x"}], {}, [], "items.jsonl, data row 1: column 'id' has no id"),
        ([{"id": "a", "input": True}], {}, [], "data row 1: column 'input' holds True, which is no text"),
    ],
)
def test_a_table_that_does_not_serve_is_refused(table, rows, columns, templates, message):
    with pytest.raises(InputError) as refused:
        read_items_to_ask(table(rows), PromptColumns(**columns), templates)
    assert message in str(refused.value)


def test_a_prompt_with_nothing_in_it_is_refused(table):
    rows = [{"id": "a", "input": "Why?", "more": "x"}, {"id": "b", "input": None, "more": None}]
    template = PromptTemplate("t.txt", "{more}")
    items = read_items_to_ask(table(rows), PromptColumns(), [template])
    with pytest.raises(InputError, match=r"items.jsonl, data row 2: the prompt is empty"):
        items[1].prompt()
    with pytest.raises(InputError, match=r"data row 2: column 'more' is empty, and t.txt reads it"):
        items[1].prompt(template)


def test_an_item_without_cells_is_asked_by_its_input():
    assert ItemToAsk("a", "Why?").prompt() == "Why?"


FAILURES = {
    "refuse": FailureKind.REFUSED,
    "busy": FailureKind.SERVER,
    "too long": FailureKind.REJECTED,
}


class FailingChat:
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


def test_outputs_have_tokens_latency_and_cost_if_the_price_is_known(asker):
    prices = PriceTable({"chat": Price(0.5, 2.0, "EUR")})
    (answer,) = ask(asker(FailingChat(), prices=prices), ["a"]).every
    (output,) = answer.outputs
    # 10 tokens at 0.5 and 2 at 2.
    assert (output.fields["call_tokens"], output.fields["call_cost"]) == (12.0, 9.0)
    assert output.fields["call_latency"] >= 0
    (free,) = ask(asker(FailingChat(), prices=PriceTable()), ["b"]).every
    assert set(free.outputs[0].fields) == {"call_tokens", "call_latency"}


def test_calls_and_costs_are_summed_up(asker):
    prices = PriceTable({"chat": Price(0.5, 2.0, "EUR")})
    answers = ask(asker(FailingChat(), prices=prices), ["a", "b", "refuse", "long"])
    facts = answers.facts("items.jsonl", {"temperature": 0.5})
    assert (facts.n_calls, facts.n_cut, facts.currency) == (4, 1, "EUR")
    assert facts.sums == {"tokens": 36.0, "cost": 27.0}
    assert facts.n_known == {"tokens": 3, "cost": 3}
    assert facts.reasons == {"refuse": 1}


def test_items_keep_their_order_and_failures_have_reasons(asker):
    answers = ask(asker(FailingChat()), ["a", "refuse", "busy", "too long"])
    assert [(answer.reason, answer.is_lost) for answer in answers.every] == [
        (None, False),
        ("refuse", False),
        ("busy", True),
        ("too long", False),
    ]
    assert answers.lost == {"busy": 1}
    items = items_with_answers([Item(name, (), "x") for name in "abcd"], answers.asked[0])
    assert [len(item.outputs) for item in items] == [1, 0, 0, 0]
    assert items[0].input == "x"


def test_settings_are_sent_and_change_the_call(asker):
    chat = FailingChat()
    plain, warm = asker(chat), asker(chat, AskSettings(temperature=0.5, system="Be brief."))
    ask(plain, ["a"])
    ask(warm, ["a"])
    assert chat.asked == [("a", 0, None), ("a", 0, 0.5)]
    assert plain.keys(["a"]) != warm.keys(["a"])
    assert warm.settings.given == {"temperature": 0.5, "system": "Be brief."}
    with pytest.raises(InputError, match="max_tokens must be >= 1, got 0"):
        AskSettings(max_tokens=0)


def test_the_budget_is_handed_on(asker):
    _, left = asyncio.run(asker(FailingChat(), budget=Budget(calls=5)).ask(["a", "b"], (0,)))
    assert left.budget.calls == 3


def test_no_reply_at_all_is_no_run(asker):
    with pytest.raises(ReplyError, match="no call brought a usable reply, most often because: too long"):
        ask(asker(FailingChat()), ["too long", "refuse", "too long"])


ASKED = [ItemToAsk("a", "A?", {"input": "A?"}, {"topic": "x"}), ItemToAsk("b", "B?", {"input": "B?"})]


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


def test_a_run_and_its_rerun_send_new_calls(running):
    chat = Chat()
    first, rerun = ask_runs(ASKED, chat, dataset="exam", reruns=1, running=running())
    assert (first.dataset, first.model, rerun.rerun_of, first.rerun_of) == ("exam", "chat", first.id, None)
    assert [dict(item.groups) for item in first.items] == [{"topic": "x"}, {}]
    assert sorted(chat.asked) == ["A?", "A?", "B?", "B?"]
    ask_runs(ASKED, chat, dataset="exam", running=running())
    assert len(chat.asked) == 6


@pytest.mark.parametrize("ledger", [True, False])
def test_an_outage_is_no_run(running, ledger):
    chat = Chat()
    chat.busy = True
    with pytest.raises(InterruptedRunError, match="1 of 2 calls failed, most often because: busy"):
        ask_runs(ASKED, chat, dataset="exam", running=running(**({} if ledger else {"ledger": False})))


def test_a_template_and_no_negative_reruns(running):
    chat = Chat()
    ask_runs(ASKED, chat, dataset="exam", template=PromptTemplate("t", "Q: {input}"), running=running())
    assert sorted(chat.asked) == ["Q: A?", "Q: B?"]
    with pytest.raises(InputError, match="reruns must be at least 0, got -1"):
        ask_runs(ASKED, chat, dataset="exam", reruns=-1)


def test_langchain_models_are_supported(running):
    pytest.importorskip("langchain_core")
    from langchain_core.language_models import FakeListChatModel

    (run,) = ask_runs(ASKED[:1], FakeListChatModel(responses=["Yes."]), dataset="exam", running=running())
    assert run.items[0].outputs[0].text == "Yes."


KEYS = [b"one", b"other"]


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as inputs:
        yield inputs


def opened(ledger, keys=KEYS):
    return asyncio.run(open_round(ledger, keys))


def test_a_round_stays_open_until_it_is_closed(ledger):
    first = opened(ledger)
    assert opened(ledger, KEYS[::-1]) == first
    asyncio.run(close_round(ledger, first))
    second = opened(ledger)
    assert second.first_sample != first.first_sample
    asyncio.run(close_round(ledger, second))
    assert opened(ledger).first_sample not in {first.first_sample, second.first_sample}


def test_other_questions_have_separate_rounds(ledger):
    first, other = opened(ledger), opened(ledger, [b"one"])
    assert first.first_sample != other.first_sample
    asyncio.run(close_round(ledger, first))
    assert opened(ledger, [b"one"]) == other


def test_samples_are_numbered_from_the_first_sample_on(ledger):
    first = opened(ledger)
    assert list(first.samples(2)) == [first.first_sample, first.first_sample + 1]
    assert 0 <= first.first_sample < 2**30
