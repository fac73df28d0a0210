"""An endpoint that speaks OpenAI's Decisions and chat with log-probabilities."""

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

from tests.support.endpoint import completion
from tests.support.local_servers import serving

from semscale.chat.decisions import ChoiceQuestion, DecisionRequest, Option, PredicateQuestion, ScoreQuestion

ASKED = {
    "angry": PredicateQuestion("Is it angry?"),
    "team": ChoiceQuestion("Which team?", (Option("billing", "money"), Option("sales"))),
    "tone": ScoreQuestion("How kind?", (Option("rude"), Option("kind", "warm words"))),
}
REQUEST = DecisionRequest.of("It broke.", ASKED)
"""One request with a question of each kind."""

USAGE = {"input_tokens": 20, "output_tokens": 0, "total_tokens": 20}


class DecisionState(SimpleNamespace):
    """What a test sees of the server.

    Attributes:
        url: its address.
        speaks: the last words of the paths that exist, such as ``decisions``.
        masses: gives the probabilities of a question's options from its instructions, their names, and the
            input's text; ``None`` declines to answer.
        favours: added to the log-probability of the letter at the first place, as models prefer it.
        logprobs: whether chat replies have log-probabilities.
        say: gives the text of a chat reply; the likeliest letter unless given.
        planned: status and body of the next answers, before anything else; a text is sent as it is.
        requests: path and body of each request.
    """

    def __init__(self) -> None:
        super().__init__(
            url="",
            speaks=("decisions", "completions"),
            favours=0.0,
            logprobs=True,
            say=None,
            planned=deque(),
            requests=[],
        )
        self.masses: Callable[[str, list[str], str], list[float] | None] = lambda asked, names, text: (
            [1 / len(names)] * len(names)
        )

    @property
    def paths(self) -> list[str]:
        return [path.rpartition("/")[2] for path, _ in self.requests]


class DecisionEndpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: DecisionState

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append((self.path, asked))
        if self.state.planned:
            status, body = self.state.planned.popleft()
        else:
            status, body = self.replied(self.path.rpartition("/")[2], asked)
        raw = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def replied(self, path: str, asked: dict) -> tuple[int, dict]:
        if path not in self.state.speaks:
            return 404, {"error": {"message": f"no route {path}"}}
        return 200, (self.decisions if path == "decisions" else self.chat)(asked)

    def decisions(self, asked: dict) -> dict:
        text = "\n".join(
            part if isinstance(part, str) else json.dumps(part)
            for part in (message["content"] for message in asked["input"])
        )
        answers = [self.decision(question, text) for question in asked["questions"]]
        return {"model": "d-2", "answers": answers, "usage": USAGE}

    def decision(self, question: dict, text: str) -> dict:
        kind = question["type"]
        names = {
            "predicate": lambda: ["no", "yes"],
            "choice": lambda: [choice["value"] for choice in question["choices"]],
            "score": lambda: [level["label"] for level in question["levels"]],
        }[kind]()
        masses = self.state.masses(question["instructions"], names, text)
        if masses is None:
            return {"type": "refusal", "name": question["name"]}
        if kind == "predicate":
            return {"type": kind, "name": question["name"], "probability": masses[1]}
        named = [
            {"probability": mass, **({"value": index, "label": name} if kind == "score" else {"value": name})}
            for index, (name, mass) in enumerate(zip(names, masses, strict=True))
        ]
        more = {"score": 0.0} if kind == "score" else {"choice": names[0]}
        return {"type": kind, "confidence": 0.5, "probabilities": named, **more}

    def chat(self, asked: dict) -> dict:
        content = asked["messages"][-1]["content"]
        prompt = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        if self.state.say is not None and "Reply with exactly one letter" not in prompt:
            return completion(self.state.say(asked))
        listed = re.findall(r"^([A-J]): (.*)$", prompt, re.MULTILINE)
        masses = self.state.masses(prompt, [name for _, name in listed], prompt)
        if masses is None or not listed:
            return completion("I cannot say.")
        logs = [math.log(max(mass, 1e-9)) for mass in masses]
        logs[0] += self.state.favours
        total = math.log(sum(map(math.exp, logs)))
        top = [
            {"token": letter, "logprob": log - total} for (letter, _), log in zip(listed, logs, strict=True)
        ]
        top.sort(key=lambda entry: -entry["logprob"])
        if not self.state.logprobs:
            return completion(top[0]["token"])
        return completion(top[0]["token"], logprobs={"content": [{**top[0], "top_logprobs": top}]})

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def deciding_endpoint() -> Iterator[DecisionState]:
    state = DecisionState()
    with serving(DecisionEndpoint, state=state) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield state
