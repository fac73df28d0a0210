"""The matrix for Python programs: any chat models, scored by references and by a judge."""

import asyncio
import json
import re

import pytest
from made_up_cells import NamedChat, items_to_ask

from semscale.chat.budget import Budget
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Limits, Retries
from semscale.chat.runner import Running
from semscale.drift import PromptTemplate, ask_matrix
from semscale.drift.asking import ItemToAsk
from semscale.errors import InputError, InterruptedRunError
from semscale.matching.settings import MatchSettings
from semscale.signature import Signature

ANSWERS = re.compile(r"\[BEGIN (\w+ ANSWER \w{12})\]\n(.*?)\n\[END \1\]", re.DOTALL)


class Chat(NamedChat):
    """Says one thing, at an endpoint of its own where it has one."""

    def __init__(self, name, said="it is great", endpoint=None):
        super().__init__(name)
        self.said, self.n_asked = said, 0
        self.signature = Signature.of("chat", model=name, endpoint=endpoint)

    async def complete(self, request):
        self.n_asked += 1
        return Reply(self.said)


class Judging(Chat):
    async def complete(self, request):
        self.n_asked += 1
        first, second = (text for _, text in ANSWERS.findall(request.messages[-1].text))
        better = ("great" in first) - ("great" in second)
        return Reply(f"Score: {2 - better}\nExplanation: so.")


def quick(**settings):
    return Running(**{"ledger": False, "retries": Retries(most=0), **settings})


def test_any_chat_models_are_scored_by_references(toy_embedder, tmp_path):
    items = [ItemToAsk(str(n), f"What is {n}?", reference="it is great") for n in range(12)]
    matrix = ask_matrix(
        items,
        [Chat("good"), Chat("poor", "it is awful")],
        reruns=1,
        method="cosine",
        matching=MatchSettings(embedder=toy_embedder),
        running=quick(),
    )
    found = matrix.summarize()
    assert (found.cells[found.best].name, found.basis, found.n_references) == ("good", "reference", 12)
    assert found.cells[0].score.value == pytest.approx(1)
    frame = matrix.to_frame()
    assert (len(frame), set(frame["asking"])) == (2 * 12 * 2, {1, 2})
    assert "match_model:toy" in str(matrix.signature)
    assert json.loads(matrix.to_json())["best"] == "good"
    assert matrix.document().kind == found.document().kind
    matrix.report(tmp_path / "page.md")
    assert "good" in (tmp_path / "page.md").read_text("utf-8")


def test_without_references_and_judge_nothing_says_who_is_better():
    found = ask_matrix(items_to_ask(2), [Chat("x"), Chat("y")], running=quick()).summarize()
    assert (found.best, found.basis, found.n_items) == (None, None, 2)


def test_a_judge_compares_each_two_cells_in_both_orders():
    judge = Judging("judge")
    matrix = ask_matrix(
        items_to_ask(12), [Chat("good"), Chat("poor", "it is awful")], judge=judge, running=quick()
    )
    found = matrix.summarize()
    assert (found.cells[found.best].name, found.basis) == ("good", "judge")
    assert judge.n_asked == 2 * 12


def test_one_model_with_several_prompts():
    templates = [PromptTemplate("well.txt", "Well: {input}"), PromptTemplate("badly.txt", "Badly: {input}")]
    items = [ItemToAsk("0", "Why?", {"input": "Why?"})]
    matrix = ask_matrix(items, [Chat("x")], templates, running=quick())
    assert matrix.to_frame()["prompt"].to_list() == ["well.txt", "badly.txt"]


def test_a_matrix_that_was_stopped_goes_on_with_its_ledger(tmp_path):
    models = [Chat("x"), Chat("y")]
    kept = {"ledger": tmp_path / "l.sqlite"}
    with pytest.raises(InterruptedRunError, match="the cap of 3 calls is reached"):
        ask_matrix(items_to_ask(2), models, running=quick(budget=Budget(calls=3), **kept))
    ask_matrix(items_to_ask(2), models, running=quick(**kept))
    assert models[0].n_asked + models[1].n_asked == 4


@pytest.mark.parametrize(
    ("items", "models", "settings", "said"),
    [
        (2, ["x"], {}, "a matrix compares at least two cells"),
        (2, ["x", "x"], {}, "chat_model must name each one once, got 'x' twice"),
        (0, ["x", "y"], {}, "items must hold at least one item to ask about, got none"),
        (2, ["x", "y"], {"reruns": -1}, "reruns must be at least 0, got -1"),
        (2, ["x", "y"], {"method": "cosin"}, "cosin"),
    ],
)
def test_what_cannot_be_asked_is_refused(items, models, settings, said):
    with pytest.raises(InputError, match=said):
        ask_matrix(items_to_ask(items), [Chat(name) for name in models], running=quick(), **settings)


class Meeting(Chat):
    """Answers only once another model was asked, too."""

    def __init__(self, name, endpoint, here, there):
        super().__init__(name, endpoint=endpoint)
        self.here, self.there = here, there

    async def complete(self, request):
        self.here.set()
        await asyncio.wait_for(self.there.wait(), 5)
        return await super().complete(request)


def test_models_at_different_endpoints_are_asked_beside_each_other():
    one, other = asyncio.Event(), asyncio.Event()
    models = [Meeting("x", "a.example", one, other), Meeting("y", "b.example", other, one)]
    matrix = ask_matrix(items_to_ask(1), models, running=quick())
    assert matrix.to_frame()["output"].to_list() == ["it is great"] * 2


class Counting(Chat):
    """Notes how many calls of all such models are under way at most."""

    under_way, most = 0, 0

    async def complete(self, request):
        kind = type(self)
        kind.under_way += 1
        kind.most = max(kind.most, kind.under_way)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        kind.under_way -= 1
        return await super().complete(request)


def test_models_of_one_endpoint_share_its_pace():
    models = [Counting(name, endpoint="a.example") for name in "xyz"]
    ask_matrix(items_to_ask(6), models, running=quick(limits=Limits(concurrency=2)))
    assert Counting.most == 2


@pytest.mark.parametrize(("cap", "most"), [({"calls": 5}, 5), ({"tokens": 60}, 7)])
def test_a_cap_holds_for_models_beside_each_other(cap, most):
    models = [Chat(name, endpoint=f"{name}.example") for name in "xyz"]
    with pytest.raises(InterruptedRunError, match="the cap of"):
        ask_matrix(items_to_ask(9), models, running=quick(budget=Budget(**cap)))
    assert sum(model.n_asked for model in models) <= most


class Broken(Chat):
    async def complete(self, request):
        raise CallError("nobody there", kind=FailureKind.CONNECTION)


def test_a_model_that_is_down_leaves_others_beside_it_to_finish():
    models = [Broken("lost", endpoint="a.example"), Chat("y", endpoint="b.example")]
    found = ask_matrix(items_to_ask(3), models, running=quick()).summarize()
    assert "nobody there" in found.cells[0].down
    assert found.cells[1].n_answered == 3
