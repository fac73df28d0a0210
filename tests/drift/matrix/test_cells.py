"""Cells of a matrix: their names, and what becomes of a model that is down."""

import asyncio

import pytest
from made_up_cells import NamedChat, items_to_ask

from semscale.chat.budget import Budget
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.drift.asking import AskSettings, PromptTemplate
from semscale.drift.matrix.cells import ask_cells, cells_of, text_of
from semscale.errors import InputError, InterruptedRunError, ReplyError

WELL, BADLY = PromptTemplate("well.txt", "Well: {input}"), PromptTemplate("badly.txt", "Badly: {input}")


class Chat(NamedChat):
    async def complete(self, request):
        if self.name == "lost":
            raise CallError("no such model", kind=FailureKind.UNKNOWN_MODEL)
        return Reply(f"{self.name}: {request.messages[-1].text}")


def asked(cells, n=2, **running):
    work = ask_cells(
        cells,
        items_to_ask(n),
        settings=AskSettings(),
        running=Running(ledger=False, retries=Retries(most=0), **running),
    )
    return asyncio.run(work)


@pytest.mark.parametrize(
    ("models", "templates", "names"),
    [
        (["x", "y"], [None], ["x", "y"]),
        (["x", "y"], [WELL], ["x", "y"]),
        (["x"], [WELL, BADLY], ["well.txt", "badly.txt"]),
        (["x", "y"], [WELL, BADLY], ["well.txt, x", "well.txt, y", "badly.txt, x", "badly.txt, y"]),
    ],
)
def test_a_cell_is_named_by_what_tells_it_from_the_others(models, templates, names):
    assert [cell.name for cell in cells_of([Chat(name) for name in models], templates)] == names


def test_one_cell_or_one_twice_is_refused():
    with pytest.raises(InputError, match="a matrix compares at least two cells"):
        cells_of([Chat("x")], [None])
    with pytest.raises(InputError, match="chat_model must name each one once, got 'x' twice"):
        cells_of([Chat("x"), Chat("x")], [None])
    with pytest.raises(InputError, match=r"prompts must name each one once, got 'well.txt' twice"):
        cells_of([Chat("x")], [WELL, WELL])


def test_the_others_finish_where_one_model_is_down():
    found, left = asked(cells_of([Chat("lost"), Chat("x")], [None]), budget=Budget(calls=10))
    assert found[0].answers is None
    assert "no such model" in found[0].down
    assert (found[1].down, text_of(found[1].answers.asked[0][1])) == (None, "x: What is 1?")
    assert left.budget.calls <= 8


def test_a_cap_holds_for_all_cells_together():
    with pytest.raises(InterruptedRunError, match="the cap of 3 calls is reached"):
        asked(cells_of([Chat("x"), Chat("y")], [None]), budget=Budget(calls=3))


def test_where_all_are_down_nothing_is_compared():
    with pytest.raises(ReplyError, match=r"no model answered; well.txt: no such model"):
        asked(cells_of([Chat("lost")], [PromptTemplate("well.txt", "x"), PromptTemplate("b.txt", "y")]))


PROMPTS = [PromptTemplate("well.txt", "Do well."), PromptTemplate("badly.txt", "Do badly.")]


class Failing(NamedChat):
    """Fails every prompt that has a word, or all of them."""

    def __init__(self, name, kind, only=""):
        super().__init__(name)
        self.kind, self.only, self.asked = kind, only, []

    async def complete(self, request):
        self.asked.append(request.messages[-1].text)
        if self.only in self.asked[-1]:
            raise CallError("failed", kind=self.kind)
        return Reply("fine")


@pytest.mark.parametrize("kind", [FailureKind.CONNECTION, FailureKind.TIMEOUT, FailureKind.DENIED])
def test_a_model_that_cannot_be_reached_is_down_for_all_its_prompts(kind):
    lost = Failing("lost", kind)
    found, _ = asked(cells_of([lost, Chat("x")], PROMPTS))
    assert [one.answers is None for one in found] == [True, False, True, False]
    assert found[0].down == found[2].down
    # The second prompt is not tried.
    assert set(lost.asked) == {"Do well."}


def test_a_model_that_rejects_one_prompt_is_asked_the_next():
    picky = Failing("picky", FailureKind.REJECTED, only="well")
    found, _ = asked(cells_of([picky, Chat("x")], PROMPTS))
    assert [one.answers is None for one in found] == [True, False, False, False]
