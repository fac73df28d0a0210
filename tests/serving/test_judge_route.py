"""The route that lets a chat model judge answers: verdicts, the cap of all requests, and refusals."""

import asyncio
import threading

import pytest

pytest.importorskip("fastapi", reason='fastapi is not installed: pip install "semscale[serve]"')

from tests.serving.test_openapi import check_answer
from tests.support.services import abandon, client_of

import semscale
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.serving.requests import ServiceLimits
from semscale.signature import Signature

ROWS = {"questions": ["Where is the Louvre?", None], "answers": ["In Paris.", "In Lyon."]}


class Four:
    """A chat model that gives every answer 4 of 5 points."""

    name = "four"
    signature = Signature.of("chat", model="four")

    def __init__(self):
        self.prompts = []
        self.error = None

    async def complete(self, request):
        self.prompts.append(request.messages[-1].text)
        if self.error is not None:
            raise self.error
        return Reply('{"score": 4, "explanation": "as it should be"}')


class Waiting(Four):
    """The same, but its first call does not end."""

    def __init__(self):
        super().__init__()
        self.begun, self.ended = threading.Event(), threading.Event()

    async def complete(self, request):
        reply = await super().complete(request)
        if len(self.prompts) == 1:
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.set()
        return reply


@pytest.fixture
def judged():
    """A function that returns a service with a chat model and without embedding models."""
    from semscale.serving.judging import JudgeCalls
    from semscale.serving.service import Service

    def start(model, *, limits=None, **budget):
        judge = JudgeCalls(lambda: model, Running(budget=Budget(**budget), ledger=False))
        service = Service(lambda _: None, ServiceLimits(**(limits or {})), judge=judge)
        service.state.set_loaded()
        return service

    return start


def test_verdicts_are_those_of_the_function(judged):
    client = client_of(judged(Four()))
    answer = client.post("/judge", json={**ROWS, "references": [["In the capital."], None]})
    assert answer.status_code == 200
    content = answer.json()
    verdicts = semscale.judge(
        **ROWS, references=[["In the capital."], None], chat_model=Four(), running=Running(ledger=False)
    )
    assert [row["score"] for row in content["results"]] == [0.75, None]  # the fourth of five levels
    assert content["results"][0]["explanation"] == "as it should be"
    assert content["counts"] == {"scored": 1, "missing": 1}
    assert content["signature"] == str(verdicts.signature)
    assert content["stopped"] is None
    check_answer(client.get("/openapi.json").json(), "POST", "/judge", answer)


def test_all_requests_share_the_cap(judged):
    model = Four()
    client = client_of(judged(model, calls=3))
    first = client.post("/judge", json={"questions": ["a", "b"], "answers": ["c", "d"]}).json()
    second = client.post("/judge", json={"questions": ["e", "f"], "answers": ["g", "h"]}).json()
    assert (first["counts"], second["counts"]) == ({"scored": 2}, {"scored": 1, "unfinished": 1})
    assert first["stopped"] is None
    assert "cap of 3 calls is reached" in second["stopped"]
    assert len(model.prompts) == 3


def test_calls_of_a_request_that_takes_too_long_count_and_the_next_request_is_answered(judged):
    model = Waiting()
    client = client_of(judged(model, limits={"max_seconds": 1}, calls=2))
    late = client.post("/judge", json={"questions": ["a"], "answers": ["b"]})
    assert late.status_code == 504
    answer = client.post("/judge", json={"questions": ["c", "d"], "answers": ["e", "f"]})
    assert answer.json()["counts"] == {"scored": 1, "unfinished": 1}
    assert len(model.prompts) == 2


def test_calls_of_a_client_that_goes_away_are_cancelled(judged):
    model = Waiting()
    app = client_of(judged(model)).app
    rows = {"questions": ["a", "b"], "answers": ["c", "d"]}

    async def conversation():
        status = await abandon(app, "/judge", rows, model.begun.is_set)
        async with asyncio.timeout(60):
            while not model.ended.is_set():
                await asyncio.sleep(0)
        return status

    assert asyncio.run(conversation()) == 499
    assert len(model.prompts) == 1  # the second is sent after the first, which shows the form of replies


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"answers": ["b", "c"]}, "questions", "must have equal lengths"),
        ({"samples": 0}, "samples", "samples must be >= 1, got 0"),
        ({"samples": 1001}, "samples", "samples must be <= 1000"),
        ({"samples": 51}, "samples", "samples times answers must be at most 50, got 51"),
        ({"template": "likerd"}, None, "did you mean 'likert'?"),
        ({"template": __file__}, None, "unknown template"),
        ({"questions": ["x"] * 6}, "questions", "must have at most 5 texts, got 6"),
        ({"references": [["x"] * 6]}, "references", "must have at most 5 texts, got 6"),
        ({"rubric": "x" * 101}, "rubric", "must have at most 100 characters"),
        ({"chat_model": "gpt"}, None, "unknown key 'chat_model'"),
        ({"criteria": __file__}, None, "unknown key 'criteria'"),
        ({"base_url": "http://localhost"}, None, "unknown key 'base_url'"),
        ({"temperature": 0, "samples": 2}, "temperature", "temperature must be > 0"),
    ],
)
def test_a_wrong_field_is_refused_before_anything_is_asked(judged, fields, field, message):
    model = Four()
    client = client_of(judged(model, limits={"max_texts": 5, "max_characters": 100}))
    answer = client.post("/judge", json={"questions": ["a"], "answers": ["b"], **fields})
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
    assert field is None or answer.json()["error"]["param"] == field
    assert model.prompts == []


def test_an_endpoint_that_no_call_can_use_is_named(judged):
    model = Four()
    model.error = CallError("four: the key is wrong", kind=FailureKind.NO_QUOTA)
    answer = client_of(judged(model)).post("/judge", json={"questions": ["a"], "answers": ["b"]})
    assert (answer.status_code, answer.json()["error"]["message"]) == (500, "four: the key is wrong")


def test_a_service_without_a_judge_names_the_option(client):
    answer = client.post("/judge", json=ROWS)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "this service has no judge: start it with --chat-model NAME"


def test_a_chat_model_that_cannot_be_loaded_ends_the_service(toy_embedder):
    from semscale.errors import InputError
    from semscale.serving.judging import JudgeCalls
    from semscale.serving.service import Service

    def load():
        raise InputError("no such model")

    service = Service(lambda _: toy_embedder, judge=JudgeCalls(load, Running(ledger=False)))
    service.start().join()
    assert str(service.state.error) == "no such model"
    service.close()


def test_too_many_waiting_requests_are_refused(judged):
    import httpx

    from semscale.serving.application import application

    model = Waiting()
    service = judged(model)
    app = application(service)

    async def conversation():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            rows = {"questions": ["a"], "answers": ["b"]}
            waiting = [asyncio.create_task(client.post("/judge", json=rows)) for _ in range(64)]
            await asyncio.to_thread(model.begun.wait, 60)
            while service.state.under_way < 64:
                await asyncio.sleep(0)
            refused = await client.post("/judge", json=rows)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return refused

    refused = asyncio.run(conversation())
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
