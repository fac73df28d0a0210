"""Loading chat models by name, address or object, and what is contacted."""

import asyncio
import subprocess
import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from semscale.chat import Request, load_chat_model, loading
from semscale.chat.chat_model import validate_chat_model
from semscale.chat.endpoint import EndpointChat
from semscale.chat.runner import Runner
from semscale.errors import InputError, ModelError, UnknownNameError
from semscale.signature import Signature

SIGNATURE = Signature.of("chat", model="mine")


def model(name="mine", signature=SIGNATURE):
    return SimpleNamespace(name=name, signature=signature, complete=print)


@pytest.mark.parametrize(
    "take", [validate_chat_model, load_chat_model, lambda candidate: Runner(candidate).model]
)
def test_a_model_with_a_signature_is_accepted_as_is(take):
    mine = model()
    assert take(mine) is mine


@pytest.mark.parametrize("take", [validate_chat_model, load_chat_model, Runner])
@pytest.mark.parametrize(
    ("mine", "message"),
    [
        (
            model(signature="mine-v1"),
            "signature of a chat model must be a semscale.signature.Signature",
        ),
        (
            model(signature=None),
            'Signature.of("chat", model="simplenamespace"), got None',
        ),
        (model(name=7), "name of a chat model must be a text, got 7 from SimpleNamespace"),
        (model(name=""), "name of a chat model must be a text, got '' from SimpleNamespace"),
    ],
)
def test_models_without_a_usable_signature_are_refused(take, mine, message):
    with pytest.raises(InputError) as caught:
        take(mine)
    assert message in str(caught.value)


def test_a_run_needs_all_that_makes_a_model():
    with pytest.raises(InputError, match="must have name, signature and complete, got str"):
        Runner("gpt-5")


class Other:
    name = "other"
    signature = Signature.of("chat", model="other")

    async def complete(self, request):
        """Say nothing."""


def build(name, base_url, progress):
    return Other()


@pytest.mark.needs("api")
def test_no_key_says_which():
    with pytest.raises(InputError, match="is not set; set it, or name another endpoint with base_url"):
        Runner(load_chat_model("gpt-5"))
    with pytest.raises(InputError, match="MY_KEY is not set"):
        Runner(load_chat_model("gpt-5", key_variable="MY_KEY"))


@pytest.mark.needs("api")
def test_a_variable_that_was_named_for_an_endpoints_key_must_be_set(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    url = "http://localhost:9/v1"
    with pytest.raises(InputError, match="MY_KEY is not set; set it, or leave out key_variable"):
        Runner(load_chat_model("m", base_url=url, key_variable="MY_KEY"))
    Runner(load_chat_model("m", base_url=url))  # local servers need no key
    monkeypatch.setenv("MY_KEY", "x")
    Runner(load_chat_model("m", base_url=url, key_variable="MY_KEY"))


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


def test_a_chat_model_is_returned_unchanged():
    model = Other()
    assert load_chat_model(model) is model


def test_a_value_that_is_no_model_is_refused():
    with pytest.raises(InputError, match="must be a name, a LangChain chat model or a ChatModel, got int"):
        load_chat_model(3)


def test_engines_of_other_packages(monkeypatch):
    point = EntryPoint(name="chat.other", value="test_loading:build", group="semscale")
    monkeypatch.setattr(loading, "entry_points", lambda group: [point])
    monkeypatch.setattr(EntryPoint, "load", lambda self: build)
    assert isinstance(load_chat_model("m", engine="other"), Other)
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        load_chat_model("m", engine="othr")


def test_base_url_does_not_belong_to_a_local_model():
    with pytest.raises(InputError, match="base_url is of an endpoint, and local is a model"):
        load_chat_model("local", engine="local", base_url="http://localhost:9/v1")


def test_an_embedding_model_is_no_chat_model():
    from semscale.chat.local import find_local_model

    with pytest.raises(ModelError, match="is an embedding model"):
        find_local_model("all-MiniLM-L6-v2")
    with pytest.raises(ModelError, match="is not a local chat model"):
        find_local_model("nothing.gguf")


# What Python itself reports of every attempt, whichever library makes it and however it spells the call.
PROGRAM = """
import sys
seen = []
def note(event, arguments):
    if event == "socket.connect":
        seen.append(":".join(map(str, arguments[1][:2])))
    # The client names the system in its headers, for which Python's own "platform" may start uname.
    if event in {"socket.getaddrinfo", "socket.sendto", "subprocess.Popen"} and arguments[0] != "uname":
        seen.append(f"{event} {arguments[0]}")
sys.addaudithook(note)
from semscale.chat import Request, load_chat_model
from semscale.chat.runner import Runner
model = load_chat_model("local") if sys.argv[1] == "local" else load_chat_model("m", base_url=sys.argv[1])
(outcome,) = Runner(model, ledger=sys.argv[2]).run([Request.of("hello", max_tokens=3)])
print(outcome.status.value, *sorted(set(seen)))
"""


def run_watched(model: str, ledger) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, model, str(ledger)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_only_the_endpoint(endpoint, tmp_path):
    address = endpoint.url.removeprefix("http://").removesuffix("/v1")
    assert run_watched(endpoint.url, tmp_path / "l") == ["replied", address]


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_a_redirect_is_not_followed(endpoint, tmp_path):
    endpoint.plan((307, b"", {"Location": "http://127.0.0.2:9/v1/chat/completions"}))
    address = endpoint.url.removeprefix("http://").removesuffix("/v1")
    assert run_watched(endpoint.url, tmp_path / "l") == ["failed", address]


@pytest.mark.needs("api")
@pytest.mark.exhaustive
@pytest.mark.needs("local")
def test_a_local_model_contacts_nothing(tmp_path):
    from semscale.weights.known import DEFAULT_CHAT_MODEL
    from semscale.weights.resolving import resolve

    resolve(DEFAULT_CHAT_MODEL)
    assert run_watched("local", tmp_path / "l") == ["replied"]
