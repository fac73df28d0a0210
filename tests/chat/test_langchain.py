"""LangChain's chat models as they are."""

import asyncio

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import SecretStr

from semscale.chat import (
    CallError,
    ChatModel,
    FailureKind,
    ImagePart,
    Message,
    Request,
    TextPart,
    Usage,
    load_chat_model,
)
from semscale.chat.runner import Runner
from semscale.errors import InputError

KEY = "sk-sentinel-0123456789"


class Recording(BaseChatModel):
    """An integration as LangChain asks authors to write one."""

    model_name: str = "recorder"
    api_key: SecretStr = SecretStr(KEY)
    answer: AIMessage
    error: Exception | None = None
    seen: list = []
    model_config = {"arbitrary_types_allowed": True}

    @property
    def _llm_type(self) -> str:
        return "recording"

    @property
    def _identifying_params(self) -> dict:
        return {"model_name": self.model_name, "api_key": KEY, "temperature": 0.5}

    def _generate(self, messages: list[BaseMessage], stop=None, run_manager=None, **kwargs) -> ChatResult:
        self.seen.append((messages, stop, kwargs))
        if self.error is not None:
            raise self.error
        return ChatResult(generations=[ChatGeneration(message=self.answer)])


def ask(model: object, request: Request):
    return asyncio.run(load_chat_model(model).complete(request))


def test_a_fake_list_model_answers_in_a_run(tmp_path):
    model = FakeListChatModel(responses=["yes", "no"])
    outcomes = Runner(load_chat_model(model), ledger=tmp_path / "l").run(
        [Request.of(f"q{n}") for n in range(4)]
    )
    assert sorted(outcome.reply.text for outcome in outcomes) == ["no", "no", "yes", "yes"]


def test_a_generic_fake_model_gives_messages():
    assert ask(GenericFakeChatModel(messages=iter([AIMessage("hello")])), Request.of("hi")).text == "hello"


def test_messages_and_parameters_are_passed_on():
    model = Recording(answer=AIMessage("4"), seen=[])
    png = b"\x89PNG\r\n\x1a\n"
    parts = (TextPart("what?"), ImagePart.of(png))
    request = Request.of(
        parts, system="be brief", temperature=0.0, max_tokens=3, stop=("END",), extra={"tag": 1}
    )
    ask(model, request)
    ((messages, stop, settings),) = model.seen
    assert [message.type for message in messages] == ["system", "human"]
    assert messages[1].content[0] == {"type": "text", "text": "what?"}
    assert messages[1].content[1]["image_url"]["url"].startswith("data:image/png")
    assert (stop, settings) == (["END"], {"temperature": 0.0, "max_tokens": 3, "tag": 1})


def test_metadata_of_the_answer_are_read():
    token = {"token": "4", "logprob": -0.5, "top_logprobs": []}
    answer = AIMessage(
        "4",
        usage_metadata={"input_tokens": 9, "output_tokens": 1, "total_tokens": 10},
        response_metadata={"finish_reason": "length", "model_name": "m-2", "logprobs": {"content": [token]}},
    )
    reply = ask(Recording(answer=answer), Request.of("2 + 2"))
    assert (reply.text, reply.finish_reason, reply.model, reply.usage) == ("4", "length", "m-2", Usage(9, 1))
    assert reply.logprobs[0].logprob == -0.5


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (AIMessage("", additional_kwargs={"refusal": "no"}), FailureKind.REFUSED),
        (AIMessage(""), FailureKind.SILENT),
    ],
)
def test_no_answer(answer, kind):
    with pytest.raises(CallError) as caught:
        ask(Recording(answer=answer), Request.of("a"))
    assert caught.value.kind is kind


def test_a_schema_is_refused_and_not_ignored():
    with pytest.raises(CallError, match="no uniform way to ask for a schema"):
        ask(Recording(answer=AIMessage("4")), Request.of("a", schema={"type": "object"}))


class LimitError(Exception):
    status_code = 429

    class response:  # noqa: N801  # as clients name it
        headers = {"Retry-After": "3"}
        text = f"slow down, {KEY}"


@pytest.mark.parametrize(
    ("error", "kind", "wait"),
    [
        (LimitError(f"slow down, {KEY}"), FailureKind.RATE_LIMITED, 3.0),
        (TimeoutError(), FailureKind.TIMEOUT, None),
        (ConnectionResetError("gone"), FailureKind.CONNECTION, None),
        (ValueError("odd"), FailureKind.BROKEN, None),
    ],
)
def test_errors_have_their_kind_and_no_key(error, kind, wait):
    with pytest.raises(CallError) as caught:
        ask(Recording(answer=AIMessage("4"), error=error), Request.of("a"))
    assert (caught.value.kind, caught.value.retry_after) == (kind, wait)
    assert "sentinel" not in f"{caught.value!r} {caught.value.raw}"


def test_signature_has_the_settings_and_no_key():
    model = load_chat_model(Recording(answer=AIMessage(f"my key is {KEY}")))
    assert isinstance(model, ChatModel)
    assert "sentinel" not in f"{model!r} {model.signature}"
    assert '"temperature"_ 0.5' in str(model.signature)
    assert asyncio.run(model.complete(Request((Message("user", "a"),)))).text == "my key is [key]"


class Plain(BaseChatModel):
    """An integration that states neither a name nor identifying parameters."""

    answer: str
    temperature: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.answer))])


class Other(Plain):
    """Another class with the same settings."""


class Named(Plain):
    model: str = "n"
    base_url: str = "https://a.example/v1"
    api_key: str = KEY

    @property
    def _identifying_params(self) -> dict:
        return {"model": self.model}


def text_of(model, ledger):
    (outcome,) = Runner(load_chat_model(model), ledger=ledger).run([Request.of("a")])
    return outcome.reply.text, outcome.attempts


def test_models_without_a_name_differ_by_class_and_settings(tmp_path):
    ledger = tmp_path / "l"
    assert text_of(Plain(answer="yes"), ledger) == ("yes", 1)
    assert text_of(Plain(answer="no"), ledger) == ("no", 1)
    assert text_of(Other(answer="yes"), ledger) == ("yes", 1)
    assert text_of(Plain(answer="yes", temperature=1.0), ledger) == ("yes", 1)
    assert text_of(Plain(answer="yes"), ledger) == ("yes", 0)
    assert text_of(Plain(answer="yes", verbose=True), ledger) == ("yes", 0)


def test_models_of_the_same_name_differ_by_their_endpoint(tmp_path):
    ledger = tmp_path / "l"
    assert text_of(Named(answer="yes"), ledger) == ("yes", 1)
    assert text_of(Named(answer="no", base_url="https://ann:pw@b.example/v1"), ledger) == ("no", 1)
    assert text_of(Named(answer="no", api_key="sk-other-0123456789"), ledger) == ("yes", 0)
    assert "pw" not in str(load_chat_model(Named(answer="no", base_url="https://ann:pw@b.example")).signature)


def test_a_model_without_an_identity_is_refused_if_replies_are_stored(tmp_path):
    def fake():
        return GenericFakeChatModel(messages=iter([AIMessage("hello")]))

    with pytest.raises(InputError, match="its setting 'messages' .* give the model a model_name"):
        text_of(fake(), tmp_path / "l")
    assert text_of(fake(), False) == ("hello", 1)

    class Local(Plain):
        """A class that is created anew with each call of this function."""

    with pytest.raises(InputError, match="its class, which a function creates, cannot be compared"):
        text_of(Local(answer="yes"), tmp_path / "l")


def test_a_tool_call_is_no_reply():
    call = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    with pytest.raises(CallError, match=r"recorder answered without text \(a tool call, "):
        ask(Recording(answer=call), Request.of("a"))
