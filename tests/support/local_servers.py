"""Servers on this machine that stand for an endpoint of embeddings and for the Hugging Face hub."""

import hashlib
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

LIMIT = 30  # characters the made-up model reads
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "README.md": b"# not needed",
    "config.json": b'{"model_type": "bert"}',
    "modules.json": b'[{"type": "a.Transformer", "path": ""}, {"type": "a.Pooling", "path": "1_Pooling"}]',
    "1_Pooling/config.json": b"{}",
    "onnx/config.json": b"not needed",
    "tokenizer.json": b"{}",
    "pytorch_model.bin": b"not needed",
    "model.safetensors": bytes(range(256)) * 8_000,  # 2 MB
}


class Endpoint(BaseHTTPRequestHandler):
    """Gives a text of n characters the vector (n, 1); first gives whatever replies wait in ``planned``."""

    planned: deque
    requests: list
    lock: Lock

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            self.requests.append((asked, self.headers, self.path))
            status, content, headers = self.planned.popleft() if self.planned else self.usual(asked)
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in (
            {"Content-Type": "application/json", "Content-Length": str(len(raw))} | headers
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def usual(self, asked: dict) -> tuple[int, object, dict]:
        if any(len(text) > LIMIT for text in asked["input"]):
            return 400, {"error": {"message": f"maximum context length is {LIMIT}", "type": "invalid"}}, {}
        vectors = [[float(len(text)), 1.0] for text in asked["input"]]
        if "dimensions" in asked:
            vectors = [(vector + [0.0] * asked["dimensions"])[: asked["dimensions"]] for vector in vectors]
        return 200, reply(vectors), {}

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def reply(vectors: list, indices: list[int] | None = None) -> dict:
    positions = indices if indices is not None else range(len(vectors))
    items = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in zip(positions, vectors, strict=True)
    ]
    return {"object": "list", "model": "m", "data": items, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's interface as its client needs to bring a model."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        self.asked.append(f"{self.command} {self.path}")
        if self.path.startswith("/api/models/some/model"):
            siblings = [{"rfilename": name} for name in FILES]
            content = json.dumps({"id": "some/model", "sha": COMMIT, "siblings": siblings}).encode()
        else:
            content = FILES.get(self.path.partition("/some/model/resolve/")[2].partition("/")[2])
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(content or b"").hexdigest()}"')
        self.end_headers()
        if body:
            self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **state: object) -> Iterator[ThreadingHTTPServer]:
    """Answer requests until the block ends, with a handler of its own that has this state."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type(handler.__name__, (handler,), state))
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
