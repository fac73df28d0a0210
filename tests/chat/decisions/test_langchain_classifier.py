"""LangChain's decision models, whose interface came with langchain-core 1.8."""

import asyncio
import sys
from types import ModuleType, SimpleNamespace

import pytest
from decision_endpoint import REQUEST
from langchain_core.runnables import RunnableLambda

from semscale.chat.decisions import LangChainClassifier, decide, is_classifier
from semscale.chat.messages import CallError, FailureKind
from semscale.errors import InputError

FOUND = {
    "model": "c-1",
    "answers": {
        "angry": {"type": "noul", "noul": 0.25},
        "team": {"type": "choice", "choice": "sales", "probabilities": {"billing": 0.25, "sales": 0.75}},
        "tone": {"type": "score", "score": 1.0, "probabilities": {0: 0.0, 1: 1.0}},
    },
    "usage": {"input_tokens": 7, "output_tokens": 1},
}


class Classifier:
    """What a ``BaseDecisionModel`` has: a model's name, ``ainvoke``, and a response with ``model_dump``."""

    model = "c"

    def __init__(self) -> None:
        self.seen: list = []

    async def ainvoke(self, content: dict) -> SimpleNamespace:
        self.seen.append(content)
        return SimpleNamespace(model_dump=lambda: FOUND)


def decided(model: object):
    return asyncio.run(LangChainClassifier(model).decide(REQUEST))


def test_a_classifier_gets_state_and_questions_and_its_answers_are_read():
    model = Classifier()
    found = decided(model)
    assert model.seen[0]["state"] == "It broke."
    assert model.seen[0]["questions"]["angry"] == {"type": "noul", "instructions": "Is it angry?"}
    assert [answer.masses for answer in found.answers.values()] == [(0.75, 0.25), (0.25, 0.75), (0.0, 1.0)]
    assert (found.usage.prompt_tokens, found.model) == (7, "c-1")


def test_questions_are_of_langchains_classes_where_these_are_loaded(monkeypatch):
    module = ModuleType("langchain_core.decisions")
    for name in ("Noul", "Choice", "Score"):
        setattr(module, name, type(name, (SimpleNamespace,), {}))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    model = Classifier()
    decided(model)
    questions = model.seen[0]["questions"].values()
    assert [type(question).__name__ for question in questions] == ["Noul", "Choice", "Score"]


def test_a_runnable_that_returns_a_mapping_is_taken():
    model = RunnableLambda(lambda content: {"answers": {"angry": {"noul": 1.0}}})
    assert is_classifier(model)
    found = decided(model)
    assert found.answers["angry"].masses == (0.0, 1.0)
    assert found.answers["team"].refused


@pytest.mark.parametrize(
    ("said", "kind"),
    [("a text", FailureKind.UNSUPPORTED), ({"result": 1}, FailureKind.MALFORMED)],
)
def test_a_runnable_that_returns_something_else_fails(said, kind):
    with pytest.raises(CallError) as caught:
        decided(RunnableLambda(lambda content: said))
    assert caught.value.kind is kind


def test_a_runnable_without_a_name_is_refused_where_answers_are_stored(tmp_path):
    answers = {"answers": {"angry": {"noul": 1.0}}}
    model = RunnableLambda(lambda content: answers)
    with pytest.raises(InputError, match="states neither model_name nor _identifying_params"):
        decide(model, [REQUEST], ledger=tmp_path / "l")
    assert decide(model, [REQUEST], ledger=False).answers[0]["angry"].masses == (0.0, 1.0)
