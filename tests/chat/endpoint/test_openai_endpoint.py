"""One call to an OpenAI-compatible endpoint: what is sent, what is read, and every way to fail."""

import asyncio
import logging
import traceback

import pytest
from endpoint import completion

from semscale.chat import (
    CallError,
    ChatModel,
    FailureKind,
    ImagePart,
    Message,
    Reply,
    Request,
    TextPart,
    TokenLogprob,
    Usage,
)
from semscale.errors import InputError

pytestmark = pytest.mark.needs("api")

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


def ask(model: ChatModel, request: Request | str = "hello", **parameters: object) -> Reply:
    async def once() -> Reply:
        try:
            return await model.complete(
                request if isinstance(request, Request) else Request.of(request, **parameters)
            )
        finally:
            await model.aclose()

    return asyncio.run(once())


def failure(model: ChatModel, **parameters: object) -> CallError:
    with pytest.raises(CallError) as caught:
        ask(model, **parameters)
    return caught.value


def test_a_reply_is_read_whole(endpoint):
    model = endpoint.model()
    reply = ask(model)
    assert (reply.text, reply.finish_reason, reply.usage, reply.model) == (
        "echo: hello",
        "stop",
        Usage(12, 3),
        "m-2",
    )
    assert reply.logprobs is None
    assert '"id":"x"' in reply.raw
    assert isinstance(model, ChatModel)


def test_what_was_asked_is_sent_and_nothing_else(endpoint):
    schema = {"type": "object", "properties": {"score": {"type": "integer"}}}
    request = Request.of(
        "hello",
        system="be brief",
        temperature=0.0,
        max_tokens=5,
        top_p=0.5,
        seed=3,
        stop=("END",),
        top_logprobs=4,
        schema=schema,
        extra={"reasoning_effort": "low"},
        sample=2,
    )
    ask(endpoint.model("some:model"), request)
    asked, _, path = endpoint.requests[0]
    assert path == "/v1/chat/completions"
    assert asked == {
        "model": "some:model",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
        "temperature": 0.0,
        "max_tokens": 5,
        "top_p": 0.5,
        "seed": 3,
        "stop": ["END"],
        "logprobs": True,
        "top_logprobs": 4,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema, "strict": True},
        },
        "reasoning_effort": "low",
    }


def test_images_are_parts_of_a_message(endpoint):
    ask(endpoint.model(), Request((Message("user", (TextPart("what is it?"), ImagePart.of(PNG))),)))
    text, image = endpoint.requests[0][0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "what is it?"}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


def test_logprobs_are_read(endpoint):
    place = {
        "token": "4",
        "logprob": -0.25,
        "top_logprobs": [{"token": "4", "logprob": -0.25}, {"token": "5", "logprob": -1.5}],
    }
    endpoint.plan((200, completion("4", logprobs={"content": [place]})))
    assert ask(endpoint.model(), top_logprobs=2).logprobs == (
        TokenLogprob("4", -0.25, (("4", -0.25), ("5", -1.5))),
    )


def test_an_endpoint_without_logprobs_is_not_pretended_to_have_them(endpoint):
    assert ask(endpoint.model(), top_logprobs=2).logprobs is None


@pytest.mark.parametrize(
    ("plan", "kind", "words"),
    [
        ((429, {"error": {"message": "slow down"}}), FailureKind.RATE_LIMITED, "slow down"),
        (
            (429, {"error": {"message": "no credit", "code": "insufficient_quota"}}),
            FailureKind.NO_QUOTA,
            "nothing left",
        ),
        ((500, {"error": {"message": "oops"}}), FailureKind.SERVER, "oops"),
        ((503, b"<html>busy</html>"), FailureKind.SERVER, "busy"),
        ((400, {"error": {"message": "too long"}}), FailureKind.REJECTED, "too long"),
        ((401, {"error": {"message": "wrong"}}), FailureKind.DENIED, "check the key in OPENAI_API_KEY"),
        ((404, {"error": {"message": "no m"}}), FailureKind.UNKNOWN_MODEL, "check the model's name"),
        ((302, b"", {"Location": "http://127.0.0.2:9/"}), FailureKind.REJECTED, "redirects"),
        ("drop", FailureKind.CONNECTION, "m cannot be reached at http://127.0.0.1:"),
        ("cut", FailureKind.CONNECTION, "m cannot be reached at http://127.0.0.1:"),
        ((200, b'{"choices": [{"mess'), FailureKind.MALFORMED, "no JSON"),
        ((200, b"[]"), FailureKind.MALFORMED, "without choices"),
        ((200, {"error": {"message": "hidden"}}), FailureKind.MALFORMED, "hidden"),
        ((200, {"choices": [{"index": 0}]}), FailureKind.MALFORMED, "cannot be read"),
        ((200, completion("4", logprobs={"content": [{"token": "4"}]})), FailureKind.MALFORMED, "logprob"),
        ((200, {"choices": [], "usage": None}), FailureKind.EMPTY, "empty list of choices"),
        ((200, completion(" ")), FailureKind.SILENT, "without text"),
        ((200, completion(None, finish_reason="length")), FailureKind.SILENT, "max_tokens may be too small"),
        ((200, completion(None, message={"refusal": "I cannot"})), FailureKind.REFUSED, "I cannot"),
        ((200, completion("", finish_reason="content_filter")), FailureKind.REFUSED, "content filter"),
    ],
)
def test_every_failure_has_its_kind_and_one_line(endpoint, plan, kind, words):
    endpoint.plan(plan)
    caught = failure(endpoint.model())
    assert caught.kind is kind
    assert words in str(caught)
    assert "\n" not in str(caught)
    assert len(endpoint.requests) == 1  # the client's own retries are off


def test_usage_of_a_refusal_counts(endpoint):
    endpoint.plan((200, completion(None, message={"refusal": "no"})))
    assert failure(endpoint.model()).usage == Usage(12, 3)


def test_retry_after_is_read(endpoint):
    endpoint.plan((429, {}, {"Retry-After": "7"}), (429, {}, {"Retry-After-Ms": "250"}), (429, {}))
    assert [failure(endpoint.model()).retry_after for _ in range(3)] == [7.0, 0.25, None]


def test_nobody_listens():
    from semscale.chat import load_chat_model

    caught = failure(load_chat_model("m", base_url="http://127.0.0.1:9/v1"))
    assert caught.kind is FailureKind.CONNECTION
    # What the connection met, not what the library had looked for before it ("no running event loop").
    assert "at http://127.0.0.1:9/v1: Connect" in str(caught)


def test_the_key_comes_from_the_environment_and_is_seen_nowhere(endpoint, monkeypatch, caplog):
    key = 'sk-sentinel-"0123456789"\\x'  # needs escaping in JSON
    monkeypatch.setenv("MY_KEY", key)
    caplog.set_level(logging.DEBUG)
    endpoint.plan(
        (200, completion(f"your key is {key}")),
        (401, {"error": {"message": f"wrong key {key}"}}),
        (200, f"no JSON, but {key}".encode()),
        (200, completion(None, message={"refusal": f"not for {key}"})),
    )
    model = endpoint.model(key_variable="MY_KEY")
    reply = ask(model)
    failures = [failure(model) for _ in range(3)]
    assert endpoint.requests[0][1]["authorization"] == f"Bearer {key}"
    assert reply.text == "your key is [key]"
    seen = [repr(reply), repr(model), str(model.signature), caplog.text]
    for caught in failures:
        seen += [str(caught), repr(caught), caught.raw, "".join(traceback.format_exception(caught))]
    for text in seen:
        assert "sentinel" not in text


def test_signature_names_model_and_endpoint(endpoint):
    fields = dict(endpoint.model("some:model|x").signature.fields)
    port = endpoint.url.split(":")[2]
    assert fields == {
        "model": "some@model_x",
        "engine": "openai",
        "endpoint": f"127.0.0.1/{port.replace('/v1', '')}/v1",
    }


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "http://user:secret-word@host/v1",
        "https://host/v1?api_key=secret-word",
        "ftp://host",
    ],
)
def test_an_address_that_is_none_or_has_a_secret(url):
    from semscale.chat import load_chat_model

    with pytest.raises(InputError, match="base_url must") as caught:
        load_chat_model("m", base_url=url)
    assert "secret-word" not in str(caught.value)


def test_openai_calls_the_limit_by_its_new_name():
    from semscale.chat.endpoint import limit_name_at, request_body

    name = limit_name_at("https://mine.openai.azure.com/openai/v1")
    assert request_body("m", Request.of("a", max_tokens=5), limit_name=name)["max_completion_tokens"] == 5
