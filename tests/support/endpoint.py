"""The misbehaving chat endpoint of all tests: it speaks OpenAI's interface, and fails as it is told to."""

import json
import random
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

from tests.support.local_servers import serving

from semscale.chat import load_chat_model

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
MEGABYTES = 5 * 2**20


def completion(text: str | None, **choice: object) -> dict:
    message = {"role": "assistant", "content": text} | choice.pop("message", {})
    entry = {"index": 0, "message": message, "finish_reason": "stop"} | choice
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m-2",
        "choices": [entry],
        "usage": USAGE,
    }


def error(message: str, **fields: object) -> dict:
    return {"error": {"message": message, "type": "invalid_request_error", **fields}}


def _echoed(status: int) -> Callable[[dict, dict], tuple]:
    """Repeat the key, as a proxy's error page or a chatty model may."""

    def echo(asked: dict, headers: dict) -> tuple:
        reply_text = f"You sent {headers['authorization']}."
        return (status, completion(reply_text) if status == 200 else error(reply_text))

    return echo


FAULTS: dict[str, object] = {
    "429 with Retry-After": (429, error("slow down"), {"Retry-After": "0.02"}),
    "429 without": (429, error("slow down")),
    "500": (500, error("oops")),
    "503 as a page": (503, b"<html><body>Service unavailable</body></html>", {"Content-Type": "text/html"}),
    "no answer": "drop",
    "half a body": "cut",
    "hanging": "wait",
    "JSON of another kind": (200, {"result": "4"}),
    "a choice without a message": (200, {"choices": [{"index": 0}]}),
    "no choice": (200, {"choices": []}),
    "a page": (200, b"<!doctype html><title>Sign in</title>", {"Content-Type": "text/html"}),
    "a stream": (200, b'data: {"choices": [{"delta": {"content": "4"}}]}\n\ndata: [DONE]\n\n'),
    "no UTF-8": (200, b'{"choices": [{"message": {"content": "\xff\xfe\x80"}}'),
    "5 MB that are no JSON": (200, b"4 " * (MEGABYTES // 2)),
    "5 MB of text": (200, json.dumps(completion("word " * (MEGABYTES // 5))).encode()),
    "a reply with the key": _echoed(200),
    "an error with the key": _echoed(500),
    "a request refused with the key": _echoed(400),
}
"""What an endpoint may do instead of replying, by its name."""


def _by_openai(name: str) -> tuple:
    if name == "temperature":
        reply_text = (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is."
        )
        return 400, error(reply_text, param=name, code="unsupported_value")
    reply_text = f"Unsupported parameter: '{name}' is not supported. Use 'max_completion_tokens' instead."
    return 400, error(reply_text, param=name, code="unsupported_parameter")


def _by_pydantic(name: str) -> tuple:
    entry = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
    return 422, {"detail": [entry]}


def _by_serde(name: str) -> tuple:
    return 400, f"unknown field `{name}`, expected one of `model`, `messages`, `n`".encode()


REFUSALS = {"OpenAI": _by_openai, "pydantic": _by_pydantic, "serde": _by_serde}
"""How an endpoint says that it does not take a parameter, by whose words they are."""


def faulty(share: float, seed: int = 0) -> Callable[[str, int], object]:
    """Make what says how a call goes wrong: a share of all calls, the same ones in every run.

    Args:
        share: of calls that go wrong, 0 to 1.
        seed: other seeds pick other calls.
    """

    names = list(FAULTS)
    weights = [0.1 if name.startswith("5 MB") else 1.0 for name in names]  # these take long

    def fault(prompt: str, n_asked: int) -> object:
        chance = random.Random(f"{seed} {n_asked} {prompt}")
        return FAULTS[chance.choices(names, weights)[0]] if chance.random() < share else None

    return fault


class ChatEndpoint(BaseHTTPRequestHandler):
    """Answers a prompt with what ``state.reply`` makes of it, after whatever is planned or goes wrong.

    It chats only: other requests, such as decisions, find no route. A plan is a pair of status and content,
    with headers as a third if any, or one of the words ``drop`` (hang up without a word), ``cut`` (hang up
    amid the body) and ``wait`` (until ``go``), or a function that gives a pair for the request and its
    headers.
    """

    protocol_version = "HTTP/1.1"
    state: "Endpoint"

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:  # who asked has hung up
            self.close_connection = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if "messages" not in asked:
            self.answer(404, error(f"no route {self.path}"), {}, cut=False)
            return
        plan = self.state.plan_for(asked, headers, self.path)
        if plan == "drop":
            self.close_connection = True
            return
        if plan == "wait":
            self.state.go.wait(30)
        if callable(plan):
            plan = plan(asked, headers)
        if not isinstance(plan, tuple):
            reply = self.state.reply(asked)
            text, choice = reply if isinstance(reply, tuple) else (reply, {})
            status, content, more = 200, completion(text, **choice), {}
        else:
            status, content, more = (*plan, {})[:3]
        try:
            self.answer(status, content, more, cut=plan == "cut")
        except OSError:  # who asked has given up
            self.close_connection = True

    def answer(self, status: int, content: object, headers: dict, *, cut: bool) -> None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        for name, value in (usual | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if cut else raw)
        self.close_connection = self.close_connection or cut

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


class Endpoint(SimpleNamespace):
    """What a test sees of the server: what to plan, what it refuses, and what was asked.

    Attributes:
        url: its address.
        requests: body, headers and path of each chat request, in the order they came.
        go: ends the waiting of hanging calls.
        reply: makes the text of a reply to a body, alone or with further fields of its choice; repeats the
            prompt unless set.
        fault: gives the plan of a call, from its prompt and how often that was asked before, or ``None``.
    """

    def __init__(self) -> None:
        super().__init__(url="", requests=[], go=threading.Event(), fault=lambda prompt, n_asked: None)
        self.reply: Callable[[dict], str | tuple[str, dict]] = lambda asked: f"echo: {prompt_of(asked)}"
        self._planned: deque = deque()
        self._refused: dict[str, str | None] = {}
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def plan(self, *steps: object) -> None:
        """Do this with the next requests, before anything else."""
        self._planned.extend(steps)

    def refuse(self, *names: str, words: str | None = "OpenAI") -> None:
        """Refuse these parameters, but a temperature of 1; without words it does not say which."""
        self._refused |= dict.fromkeys(names, words)

    def plan_for(self, asked: dict, headers: dict, path: str) -> object:
        with self._lock:
            self.requests.append((asked, headers, path))
            prompt = prompt_of(asked)
            n_asked = self._asked[prompt]
            self._asked[prompt] += 1
            if self._planned:
                return self._planned.popleft()
        for name, words in self._refused.items():
            if name in asked and not (name == "temperature" and asked[name] == 1):
                return (400, error("unknown field")) if words is None else REFUSALS[words](name)
        return self.fault(prompt, n_asked)

    def model(self, name: str = "m", **settings: object):
        return load_chat_model(name, base_url=self.url, **settings)

    @property
    def prompts(self) -> list[str]:
        return [prompt_of(asked) for asked, _, _ in self.requests]


def prompt_of(asked: dict) -> str:
    content = asked["messages"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


@contextmanager
def misbehaving_endpoint() -> Iterator[Endpoint]:
    state = Endpoint()
    with serving(ChatEndpoint, state=state) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield state
        state.go.set()
