"""An endpoint on this machine that speaks OpenAI's chat interface, and misbehaves where it is told to."""

import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}


def completion(text: str | None, **choice: object) -> dict:
    message = {"role": "assistant", "content": text} | choice.pop("message", {})
    found = {"index": 0, "message": message, "finish_reason": "stop"} | choice
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m-2",
        "choices": [found],
        "usage": USAGE,
    }


class ChatEndpoint(BaseHTTPRequestHandler):
    """Answers a prompt with ``echo: PROMPT``; first does whatever waits in ``planned``.

    What is planned is a pair of status and content, with headers as a third if any, or one of the words
    ``drop`` (hang up without a word), ``cut`` (hang up amid the body) and ``wait`` (until ``go``).
    """

    protocol_version = "HTTP/1.1"
    planned: deque
    requests: list
    lock: threading.Lock
    go: threading.Event

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            self.requests.append((asked, dict(self.headers), self.path))
            plan = self.planned.popleft() if self.planned else None
        if plan == "drop":
            self.close_connection = True
            return
        if plan == "wait":
            self.go.wait(30)
        if not isinstance(plan, tuple):
            status, content, headers = 200, completion(f"echo: {prompt_of(asked)}"), {}
        else:
            status, content, headers = (*plan, {})[:3]
        self.answer(status, content, headers, cut=plan == "cut")

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


def prompt_of(asked: dict) -> str:
    content = asked["messages"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]
