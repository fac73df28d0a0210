"""What a chat model may be called, and what is said where there is none."""

import asyncio
from importlib.metadata import EntryPoint

import pytest

from semscale.chat import Request, chat_model, load_chat_model
from semscale.chat.endpoint import EndpointChat
from semscale.chat.runner import Runner
from semscale.errors import InputError, ModelError, UnknownNameError
from semscale.signature import Signature


class Other:
    name = "other"
    signature = Signature.of("chat", model="other")

    async def complete(self, request):
        """Say nothing."""


def build(name, base_url, progress):
    return Other()


@pytest.mark.needs("api")
def test_no_key_says_which():
    with pytest.raises(
        InputError, match="is not set; set it, or name another endpoint with base_url"
    ) as caught:
        Runner(load_chat_model("gpt-5"))
    assert caught.value.shell_message.endswith("is not set; set it, or name another endpoint with --chat-url")
    with pytest.raises(InputError, match="MY_KEY is not set"):
        Runner(load_chat_model("gpt-5", key_variable="MY_KEY"))


@pytest.mark.needs("api")
def test_a_local_name_that_is_nearly_right():
    with pytest.raises(InputError, match="did you mean 'SmolLM2-135M-Instruct', on this machine"):
        Runner(load_chat_model("SmolLM2-135M-instruct"))


@pytest.mark.needs("api")
def test_without_a_key_nothing_is_sent():
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        asyncio.run(load_chat_model("gpt-5").complete(Request.of("a")))


@pytest.mark.needs("api")
def test_the_endpoint_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9/v1")
    assert repr(load_chat_model("m")) == "EndpointChat('m', base_url='http://localhost:9/v1')"


@pytest.mark.needs("api")
def test_offline_contacts_only_an_endpoint_that_was_named(monkeypatch):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    with pytest.raises(InputError, match="SEMSCALE_OFFLINE is set"):
        Runner(load_chat_model("m"))
    assert isinstance(load_chat_model("m", base_url="http://localhost:9/v1"), EndpointChat)


def test_a_chat_model_is_returned_as_it_is():
    model = Other()
    assert load_chat_model(model) is model


def test_what_is_no_model():
    with pytest.raises(InputError, match="must be a name, a LangChain chat model or a ChatModel, got int"):
        load_chat_model(3)


def test_engines_of_other_packages(monkeypatch):
    point = EntryPoint(name="chat.other", value="test_loading:build", group="semscale")
    monkeypatch.setattr(chat_model, "entry_points", lambda group: [point])
    monkeypatch.setattr(EntryPoint, "load", lambda self: build)
    assert isinstance(load_chat_model("m", engine="other"), Other)
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        load_chat_model("m", engine="othr")


def test_base_url_does_not_belong_to_a_local_model():
    with pytest.raises(InputError, match="base_url belongs to engine='openai'"):
        load_chat_model("local", engine="local", base_url="http://localhost:9/v1")


def test_an_embedding_model_is_no_chat_model():
    from semscale.chat.local import find_local_model

    with pytest.raises(ModelError, match="turns texts into vectors"):
        find_local_model("all-MiniLM-L6-v2")
    with pytest.raises(ModelError, match="is no local chat model"):
        find_local_model("nothing.gguf")
