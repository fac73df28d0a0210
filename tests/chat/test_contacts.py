"""Nothing but the endpoint that was named is contacted, and for a local model nothing at all."""

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.needs("api"), pytest.mark.exhaustive]

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


def test_only_the_endpoint(endpoint, tmp_path):
    place = endpoint.url.removeprefix("http://").removesuffix("/v1")
    assert run_watched(endpoint.url, tmp_path / "l") == ["replied", place]


def test_a_redirect_is_not_followed(endpoint, tmp_path):
    endpoint.plan((307, b"", {"Location": "http://127.0.0.2:9/v1/chat/completions"}))
    place = endpoint.url.removeprefix("http://").removesuffix("/v1")
    assert run_watched(endpoint.url, tmp_path / "l") == ["failed", place]


@pytest.mark.needs("local")
def test_a_local_model_contacts_nothing(tmp_path):
    from semscale.weights.known import DEFAULT_CHAT_MODEL
    from semscale.weights.resolving import resolve

    resolve(DEFAULT_CHAT_MODEL)
    assert run_watched("local", tmp_path / "l") == ["replied"]
