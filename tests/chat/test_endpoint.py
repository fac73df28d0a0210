"""OpenAI-compatible endpoints: bodies, replies, failures, keys and connections."""

import asyncio
import json
import logging
import traceback
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from tests.support.endpoint import completion

from semscale.chat import ChatModel, ImagePart, Message, Reply, Request, TextPart
from semscale.chat.chat_model import keep_open
from semscale.chat.endpoint import (
    Scrubber,
    environment_secrets,
    failure_of,
    limit_name_at,
    parse_reply,
    read_retry_after,
    request_body,
    token_logprobs,
)
from semscale.chat.messages import CallError, FailureKind, TokenLogprob, Usage
from semscale.errors import InputError


def test_the_body_contains_only_configured_settings():
    assert request_body("m", Request.of("a", system="b")) == {
        "model": "m",
        "messages": [{"role": "system", "content": "b"}, {"role": "user", "content": "a"}],
    }


def test_zeros_are_settings():
    assert request_body("m", Request.of("a", temperature=0.0, seed=0)).items() >= {
        ("temperature", 0.0),
        ("seed", 0),
    }


def test_every_parameter_in_openais_form():
    schema = {"type": "object"}
    request = Request.of("a", max_tokens=5, stop=("x",), top_logprobs=0, schema=schema, extra={"n": 2})
    body = request_body("m", request, limit_name="max_completion_tokens")
    assert (body["max_completion_tokens"], body["stop"], body["n"]) == (5, ["x"], 2)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 0)
    assert body["response_format"]["json_schema"] == {"name": "reply", "schema": schema, "strict": True}
    assert "max_tokens" not in body


def test_texts_and_images_are_parts():
    message = Message("user", (TextPart("What?"), ImagePart("https://example.org/a.png")))
    (result,) = request_body("m", Request((message,)))["messages"]
    assert result["content"] == [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
        ("https://openai.com.example.org/v1", "max_tokens"),
    ],
)
def test_the_limits_name_depends_on_the_host(url, name):
    assert limit_name_at(url) == name


KEY = "sk-0123456789abcdef"


def body(message=None, **fields):
    choice = {"message": {"content": "Paris"} if message is None else message, **fields.pop("choice", {})}
    return json.dumps({"choices": [choice], **fields})


def parsed(text):
    return parse_reply(text, Scrubber([KEY]), model="m")


def test_fields_of_a_reply():
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    reply = parsed(body(model="m-2026", usage=usage, choice={"finish_reason": "length"}))
    assert (reply.text, reply.finish_reason, reply.usage) == ("Paris", "length", Usage(7, 2))
    assert reply.model == "m-2026"
    assert reply.logprobs is None


def test_missing_fields_of_a_reply_have_defaults():
    reply = parsed(body())
    assert (reply.finish_reason, reply.usage, reply.model) == ("stop", None, "m")


def test_parts_of_a_message_are_joined():
    assert parsed(body({"content": [{"text": "Pa"}, {"text": "ris"}, "?"]})).text == "Paris?"


def test_half_of_a_surrogate_pair_is_no_character():
    assert parsed(body({"content": "good \ud83d, \U0001f600"})).text == "good \ufffd, \U0001f600"


def test_an_echoed_key_is_in_no_field():
    reply = parsed(body({"content": f"Your key is {KEY}."}))
    assert reply.text == "Your key is [key]."
    assert KEY not in reply.raw


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("<html>", FailureKind.MALFORMED, "m answered with text that is not JSON: '<html>'"),
        ("[]", FailureKind.MALFORMED, "answered without choices"),
        ('{"error": "busy"}', FailureKind.MALFORMED, "answered without choices: busy"),
        ('{"choices": []}', FailureKind.EMPTY, "empty list of choices"),
        ('{"choices": [{}]}', FailureKind.MALFORMED, "a choice that cannot be read"),
        (body({"refusal": "No."}), FailureKind.REFUSED, "m refused: No."),
        (
            body({"content": "a"}, choice={"finish_reason": "content_filter"}),
            FailureKind.REFUSED,
            "stopped by its content filter",
        ),
        (body({"content": "word " * 250_000}), FailureKind.MALFORMED, "with 1,250,000 characters of text"),
        (body({"content": " "}), FailureKind.SILENT, "without text (finish reason stop)"),
        (body({"content": None, "tool_calls": [{}]}), FailureKind.SILENT, "without text (a tool call, "),
        (body({"content": "", "reasoning": "2"}), FailureKind.SILENT, "without text (reasoning alone, "),
        (body({"content": [{"type": "thinking", "text": "2"}]}), FailureKind.SILENT, "without text ("),
        (
            body({"content": None}, choice={"finish_reason": "length"}),
            FailureKind.SILENT,
            "max_tokens may be too small",
        ),
    ],
)
def test_invalid_replies_raise_a_call_error(text, kind, expected):
    with pytest.raises(CallError) as caught:
        parsed(text)
    assert caught.value.kind is kind
    assert expected in str(caught.value)
    assert caught.value.raw


def test_a_refusal_states_its_usage():
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    with pytest.raises(CallError) as caught:
        parsed(body({"refusal": "No."}, usage=usage))
    assert caught.value.usage == Usage(7, 2)


def test_log_probabilities_above_zero_by_rounding_are_zero():
    token = {"token": "a", "logprob": 1e-9, "top_logprobs": [{"token": "b", "logprob": -2.5}]}
    assert token_logprobs({"content": [token]}) == (TokenLogprob("a", 0.0, (("b", -2.5),)),)
    assert token_logprobs(None) is None


@pytest.mark.parametrize("logprob", [0.5, float("nan"), "high"])
def test_invalid_log_probabilities_are_refused(logprob):
    with pytest.raises(ValueError, match="logarithm|could not convert"):
        token_logprobs({"content": [{"token": "a", "logprob": logprob}]})


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


def failed_call(model: ChatModel, **parameters: object) -> CallError:
    with pytest.raises(CallError) as caught:
        ask(model, **parameters)
    return caught.value


@pytest.mark.needs("api")
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


@pytest.mark.needs("api")
def test_a_request_sends_exactly_its_settings(endpoint):
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


@pytest.mark.needs("api")
def test_images_are_parts_of_a_message(endpoint):
    ask(endpoint.model(), Request((Message("user", (TextPart("what is it?"), ImagePart.of(PNG))),)))
    text, image = endpoint.requests[0][0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "what is it?"}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


@pytest.mark.needs("api")
def test_logprobs_are_read(endpoint):
    token = {
        "token": "4",
        "logprob": -0.25,
        "top_logprobs": [{"token": "4", "logprob": -0.25}, {"token": "5", "logprob": -1.5}],
    }
    endpoint.plan((200, completion("4", logprobs={"content": [token]})))
    assert ask(endpoint.model(), top_logprobs=2).logprobs == (
        TokenLogprob("4", -0.25, (("4", -0.25), ("5", -1.5))),
    )


@pytest.mark.needs("api")
def test_an_endpoint_without_logprobs_is_not_pretended_to_have_them(endpoint):
    assert ask(endpoint.model(), top_logprobs=2).logprobs is None


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    ("plan", "kind", "expected"),
    [
        ((429, {"error": {"message": "slow down"}}), FailureKind.RATE_LIMITED, "slow down"),
        (
            (429, {"error": {"message": "no credit", "code": "insufficient_quota"}}),
            FailureKind.NO_QUOTA,
            "no credit left",
        ),
        ((500, {"error": {"message": "oops"}}), FailureKind.SERVER, "oops"),
        ((503, b"<html>busy</html>"), FailureKind.SERVER, "busy"),
        ((400, {"error": {"message": "too long"}}), FailureKind.REJECTED, "too long"),
        ((401, {"error": {"message": "wrong"}}), FailureKind.DENIED, "check the key in OPENAI_API_KEY, and"),
        ((404, {"error": {"message": "no m"}}), FailureKind.UNKNOWN_MODEL, "check the model's name"),
        ((302, b"", {"Location": "http://127.0.0.2:9/"}), FailureKind.REJECTED, "redirects"),
        ("drop", FailureKind.CONNECTION, "m cannot be reached at http://127.0.0.1:"),
        ("cut", FailureKind.CONNECTION, "m cannot be reached at http://127.0.0.1:"),
        ((200, b'{"choices": [{"mess'), FailureKind.MALFORMED, "not JSON"),
        ((200, completion("4", logprobs={"content": [{"token": "4"}]})), FailureKind.MALFORMED, "logprob"),
        ((200, completion(None, message={"refusal": "I cannot"})), FailureKind.REFUSED, "I cannot"),
    ],
)
@pytest.mark.exhaustive
def test_failures_name_their_kind_in_a_single_line(endpoint, plan, kind, expected):
    endpoint.plan(plan)
    caught = failed_call(endpoint.model())
    assert caught.kind is kind
    assert expected in str(caught)
    assert "\n" not in str(caught)
    assert len(endpoint.requests) == 1  # the client's own retries are off


@pytest.mark.needs("api")
def test_usage_of_a_refusal_counts(endpoint):
    endpoint.plan((200, completion(None, message={"refusal": "no"})))
    assert failed_call(endpoint.model()).usage == Usage(12, 3)


@pytest.mark.needs("api")
def test_retry_after_is_read(endpoint):
    endpoint.plan((429, {}, {"Retry-After": "7"}), (429, {}, {"Retry-After-Ms": "250"}), (429, {}))
    assert [failed_call(endpoint.model()).retry_after for _ in range(3)] == [7.0, 0.25, None]


@pytest.mark.needs("api")
def test_an_unreachable_endpoint_is_a_connection_failure():
    from semscale.chat import load_chat_model

    caught = failed_call(load_chat_model("m", base_url="http://127.0.0.1:9/v1"))
    assert caught.kind is FailureKind.CONNECTION
    # What the connection met, not what the library had looked for before it ("no running event loop").
    assert "at http://127.0.0.1:9/v1: Connect" in str(caught)


@pytest.mark.needs("api")
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
    failures = [failed_call(model) for _ in range(3)]
    assert endpoint.requests[0][1]["authorization"] == f"Bearer {key}"
    assert reply.text == "your key is [key]"
    seen = [repr(reply), repr(model), str(model.signature), caplog.text]
    for caught in failures:
        seen += [str(caught), repr(caught), caught.raw, "".join(traceback.format_exception(caught))]
    for text in seen:
        assert "sentinel" not in text


@pytest.mark.needs("api")
def test_signature_names_model_and_endpoint(endpoint):
    fields = dict(endpoint.model("some:model|x").signature.fields)
    port = endpoint.url.split(":")[2]
    assert fields == {
        "model": "some@model_x",
        "engine": "openai",
        "endpoint": f"127.0.0.1/{port.replace('/v1', '')}/v1",
    }


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://user:secret-word@h/v1",
        "http://h/v1\n",
        "http://h h/v1",
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


class StatusError(Exception):
    def __init__(self, status, text="{}", code="", headers=None):
        super().__init__(f"Error code: {status} with {KEY}")
        self.status_code, self.code = status, code
        self.response = SimpleNamespace(text=text, headers=headers or {})


def converted(error, **settings):
    return failure_of(error, Scrubber([KEY]), model="m", **settings)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "", FailureKind.REJECTED),
        (401, "", FailureKind.DENIED),
        (402, "", FailureKind.NO_QUOTA),
        (404, "", FailureKind.UNKNOWN_MODEL),
        (408, "", FailureKind.SERVER),
        (429, "", FailureKind.RATE_LIMITED),
        (429, "insufficient_quota", FailureKind.NO_QUOTA),
        (500, "", FailureKind.SERVER),
        (503, "", FailureKind.SERVER),
    ],
)
def test_kind_by_status_and_code(status, code, kind):
    result = converted(StatusError(status, code=code))
    assert result.kind is kind
    assert str(result).startswith(f"m: Error code: {status} with [key]")


def test_the_remedy_names_variable_or_address():
    assert str(converted(StatusError(401), variable="MY_KEY")).endswith(
        "; check the key in MY_KEY, and what it gives access to"
    )
    moved = str(converted(StatusError(302)))
    assert moved.endswith("; the endpoint redirects; give the address that it redirects to")


def test_a_page_that_is_no_json_is_shown_and_stored():
    result = converted(StatusError(502, text=f"<html>\nBad gateway {KEY}"))
    assert str(result).endswith(" - <html> Bad gateway [key]")
    assert result.raw == "<html>\nBad gateway [key]"


def test_the_wait_comes_from_the_headers():
    assert converted(StatusError(429, headers={"Retry-After": "7"})).retry_after == 7.0
    assert converted(StatusError(429)).retry_after is None


def test_a_timeout_inside_a_client_error_is_recognised():
    error = RuntimeError("wrapped")
    error.__cause__ = TimeoutError()
    result = converted(error)
    assert (result.kind, str(result)) == (FailureKind.TIMEOUT, "m did not answer in time")


def test_a_broken_connection_names_the_systems_reason():
    class ConnectError(Exception):
        pass

    error = ConnectError("all connection attempts failed")
    error.__cause__ = OSError(111, "Connection refused")
    result = converted(error, address="http://localhost:1")
    assert result.kind is FailureKind.CONNECTION
    assert str(result) == "m cannot be reached at http://localhost:1: Connection refused"


def test_an_error_in_the_code_of_the_model_is_marked_broken():
    result = converted(ZeroDivisionError())
    assert (result.kind, str(result)) == (FailureKind.BROKEN, "m: ZeroDivisionError")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "later", "retry-after": "3"}, 3.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 0.0),  # 40 seconds ago
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_seconds_from_now(headers, seconds):
    assert read_retry_after(headers, now=100.0) == seconds


@pytest.mark.parametrize("now", [-1e8, 0.0, 1e8])
def test_a_date_counts_from_the_time_of_the_endpoint(now):
    headers = {"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT", "date": "Thu, 01 Jan 1970 00:01:50 GMT"}
    assert read_retry_after(headers, now=now) == 10.0
    assert read_retry_after(headers | {"date": "today"}, now=90.0) == 30.0


SPECIAL_KEY = 'sk-"ü/0123456789\\'


@pytest.mark.parametrize(
    "spelled",
    [
        SPECIAL_KEY,
        json.dumps(SPECIAL_KEY),
        json.dumps(SPECIAL_KEY, ensure_ascii=False),
        repr(SPECIAL_KEY),
        quote(SPECIAL_KEY, safe=""),
    ],
)
def test_a_key_is_removed_in_every_spelling(spelled):
    scrubber = Scrubber([SPECIAL_KEY])
    for clean in (scrubber.line(f"Bearer {spelled} is wrong"), scrubber.reply(f"Bearer {spelled} is wrong")):
        assert "0123456789" not in clean
        assert "[key]" in clean


def test_a_longer_key_is_removed_before_its_beginning():
    assert Scrubber(["secret-one", "secret-one-and-more"]).line("secret-one-and-more") == "[key]"


def test_short_keys_stay_in_replies_but_not_in_messages():
    scrubber = Scrubber(["EMPTY", "abc"])
    assert scrubber.reply("the EMPTY set, abc") == "the EMPTY set, abc"
    # Fewer than four characters are no secret at all.
    assert scrubber.line("the EMPTY set, abc") == "the [key] set, abc"


def test_a_message_becomes_a_short_single_line():
    assert Scrubber([]).line("a\n  b\tc") == "a b c"
    assert Scrubber([]).line("x" * 20, longest=10) == "xxxxxxx..."


def test_a_scrubber_shows_no_secret():
    assert repr(Scrubber([SPECIAL_KEY])) == "Scrubber()"


def test_variables_named_like_keys_are_secrets(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "one-of-them")
    monkeypatch.setenv("my_token", "another")
    monkeypatch.setenv("MY_NAME", "not this")
    result = environment_secrets()
    assert {"one-of-them", "another"} <= set(result)
    assert "not this" not in result


class Model:
    def __init__(self):
        self.closed = 0

    async def aclose(self):
        self.closed += 1


def test_the_last_of_two_runs_closes_the_model():
    async def runs(model):
        async with keep_open(model):
            async with keep_open(model):
                pass
            return model.closed

    model = Model()
    assert asyncio.run(runs(model)) == 0
    assert model.closed == 1


def test_the_model_is_closed_after_an_error_and_again_after_the_next_run():
    async def failing(model):
        async with keep_open(model):
            raise RuntimeError

    async def fine(model):
        async with keep_open(model):
            pass

    model = Model()
    for run in (failing, fine):
        try:
            asyncio.run(run(model))
        except RuntimeError:
            assert model.closed == 1
    assert model.closed == 2


def test_a_model_without_connections_needs_no_closing():
    async def run():
        async with keep_open(object()):
            return True

    assert asyncio.run(run())


@pytest.mark.needs("api")
@pytest.mark.parametrize("variable", [None, "MY_KEY"])
def test_headers_of_a_different_account_are_not_sent(endpoint, monkeypatch, variable):
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MY_KEY", "sk-mine")
    ask(endpoint.model(key_variable=variable))
    headers = endpoint.requests[0][1]
    assert headers["authorization"] == ("Bearer none" if variable is None else "Bearer sk-mine")
    assert {"openai-organization", "openai-project", "x-team-key"}.isdisjoint(headers)


@pytest.mark.needs("api")
def test_headers_of_the_account_are_sent_with_its_key(endpoint, monkeypatch):
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    ask(endpoint.model())
    headers = endpoint.requests[0][1]
    assert (headers["openai-organization"], headers["x-team-key"]) == ("org-1", "secret-1")


ACCOUNT = {
    "OPENAI_API_KEY": "sk-openai",
    "OPENAI_ORG_ID": "org-1",
    "OPENAI_PROJECT_ID": "project-1",
    "OPENAI_CUSTOM_HEADERS": "X-Team-Key: secret-1",
}
