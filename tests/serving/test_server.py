"""A real process: a shutdown that loses nothing, jobs that survive a kill, HTTP, and nginx before it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.nginx import needs_nginx, own_paths, write_certificate
from tests.support.services import MODEL, SECRET, until

from semscale.errors import InputError

TEXTS = [f"The {thing} was {word}." for thing in ("room", "food", "staff") for word in ("fine", "bad")]


class ServerProcess:
    """``semscale serve`` in a process of its own."""

    def __init__(self, *options, **environment) -> None:
        command = [sys.executable, "-m", "semscale", "serve", "--port", "0", "--embedder", MODEL, *options]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self.said = [self.process.stderr.readline()]
        assert "listening on http" in self.said[0], self.said[0] + self.process.stderr.read()
        self.address = self.said[0].split()[3]

    def until_ready(self):
        while "ready" not in self.said[-1]:
            assert self.process.poll() is None
            self.said.append(self.process.stderr.readline())
        return self

    def end(self):
        """Wait for the end, and give the exit code."""
        self.said += self.process.communicate(timeout=60)[1].splitlines()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def test_openais_client_works_and_a_shutdown_loses_no_request(engine):
    openai = pytest.importorskip("openai")
    with ServerProcess("--host", "0.0.0.0", SEMSCALE_TOKEN=SECRET) as server:
        base = server.until_ready().address.replace("0.0.0.0", "127.0.0.1")
        client = openai.OpenAI(base_url=f"{base}/v1", api_key=SECRET)
        result = client.embeddings.create(input=TEXTS, model=MODEL)  # as base64, unless a format is asked for
        vectors = np.array([entry.embedding for entry in result.data], np.float32)
        np.testing.assert_array_equal(vectors, engine.embed(TEXTS).vectors)
        assert result.usage.prompt_tokens == engine.embed(TEXTS).tokens.sum()
        wrong = openai.OpenAI(base_url=f"{base}/v1", api_key="wrong", max_retries=0)
        with pytest.raises(openai.AuthenticationError):
            wrong.embeddings.create(input="a", model=MODEL)
        answered, refused = asyncio.run(until_stopped(base, server.process))
        assert server.end() == 0
    assert answered >= CLIENTS
    assert refused <= CLIENTS
    assert any("a second signal stops at once" in line for line in server.said)
    assert SECRET not in "".join(server.said)


CLIENTS = 8


async def until_stopped(base, process):
    """Send requests from several clients, stop the server meanwhile, and count answers and refusals.

    Every request gets an answer: 200, or 503 for those that come after the signal.
    """
    import httpx

    statuses, begun = [], asyncio.Event()

    async def ask(number):
        async with httpx.AsyncClient(timeout=60) as client:
            while True:
                texts = [f"{text} Number {number}-{len(statuses)}." for text in TEXTS * 4]
                sent = {"input": texts, "model": MODEL, "encoding_format": "base64"}
                headers = {"Authorization": f"Bearer {SECRET}"}
                answer = await client.post(f"{base}/v1/embeddings", json=sent, headers=headers)
                statuses.append(answer.status_code)
                if answer.status_code != 200:
                    return
                if len(statuses) >= CLIENTS:
                    begun.set()

    async def stop():
        await begun.wait()
        process.send_signal(signal.SIGTERM)

    await asyncio.wait_for(asyncio.gather(stop(), *map(ask, range(CLIENTS))), 60)
    assert set(statuses) == {200, 503}
    return statuses.count(200), statuses.count(503)


def test_a_job_fails_after_a_kill_continues_on_request_and_waits_after_a_shutdown(tmp_path):
    import httpx

    rows = "".join(f"{number},Room {number} was fine and so was the food.\n" for number in range(4_000))
    options = ["--jobs", str(tmp_path / "jobs"), "--part-rows", "50"]
    with ServerProcess(*options) as server:
        server.until_ready()
        address = f"{server.address}/jobs?kind=embed&text=comment"
        name = httpx.post(address, content="id,comment\n" + rows, timeout=60).json()["id"]
        parts = tmp_path / "jobs" / name / "result.parquet.parts"
        until(lambda: bool(list(parts.glob("part-*.json"))))
        server.process.kill()
        server.process.communicate()
    stored = {path.name: path.stat().st_mtime_ns for path in parts.glob("part-*.json")}
    assert stored
    with ServerProcess(*options) as server:
        server.until_ready()
        record = httpx.get(f"{server.address}/jobs/{name}").json()
        assert record["status"] == "failed"
        assert httpx.post(f"{server.address}/jobs/{name}").status_code == 200
        until(lambda: httpx.get(f"{server.address}/jobs/{name}").json()["status"] == "running")
        # Parts that were finished are not made again.
        assert {path: (parts / path).stat().st_mtime_ns for path in stored} == stored
        server.process.send_signal(signal.SIGTERM)
        assert server.end() == 0
    assert (parts / "manifest.json").exists()
    with ServerProcess(*options) as server:  # which continues by itself after a shutdown
        server.until_ready()
        until(lambda: httpx.get(f"{server.address}/jobs/{name}").json()["status"] == "running")


def test_a_second_signal_stops_at_once():
    with ServerProcess() as server:
        host, port = server.until_ready().address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as client:
            head = "POST /rate HTTP/1.1", "host: localhost", "content-length: 10", "expect: 100-continue"
            client.sendall("\r\n".join([*head, "\r\n"]).encode())
            assert b"100 Continue" in client.recv(100)  # the body is awaited, so the request is under way
            server.process.send_signal(signal.SIGTERM)
            assert "finishing 1 request under way" in server.process.stderr.readline()
            server.process.send_signal(signal.SIGTERM)
            assert server.end() == 3


def test_an_address_that_cannot_be_listened_on_is_refused(monkeypatch):
    from semscale.serving.server import listen

    with listen("127.0.0.1", 0) as accepted:
        port = accepted.getsockname()[1]
        with pytest.raises(InputError, match=f"port: {port} on 127.0.0.1 cannot be used"):
            listen("127.0.0.1", port)

    def unknown(*_, **__):
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(InputError, match="host must be an address of this machine, got 'nowhere'"):
        listen("nowhere", 0)


def test_the_end_of_an_answer_does_not_wait_for_the_client_to_confirm_its_beginning():
    from semscale.serving.server import listen

    async def accepted():
        transports = asyncio.Queue()

        class RecordingProtocol(asyncio.Protocol):
            def connection_made(self, transport):
                transports.put_nowait(transport)

        loop = asyncio.get_running_loop()
        with listen("127.0.0.1", 0) as listener:
            server = await loop.create_server(RecordingProtocol, sock=listener)
            _, writer = await asyncio.open_connection(*listener.getsockname())
            connection_socket = (await transports.get()).get_extra_info("socket")
            result = connection_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            server.close()
        return result

    assert asyncio.run(accepted())


@pytest.fixture(scope="module")
def running():
    with ServerProcess("--log-level", "warning") as server:
        server.until_ready()
        host, port = server.address.removeprefix("http://").split(":")
        yield host, int(port)


def sent_raw(address, *parts):
    """Send bytes, and return all that comes back until the connection is closed."""
    with socket.create_connection(address, timeout=60) as client:
        answer = b""
        try:
            for part in parts:
                client.sendall(part)
            while received := client.recv(65536):
                answer += received
        except ConnectionError:
            return answer
        return answer


CLOSE = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: %b\r\n\r\n"


def test_a_head_has_at_most_64_kib(running):
    assert sent_raw(running, CLOSE % (b"x" * 60_000)).startswith(b"HTTP/1.1 200")
    endless = b"GET /health HTTP/1.1\r\nx: " + b"x" * 70_000
    assert not sent_raw(running, endless).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "head",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\r\n\r\n",
        b"POST /rate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(running, head):
    assert sent_raw(running, head).startswith(b"HTTP/1.1 400")


def test_pipelined_requests_are_answered_in_order(running):
    first = b"GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n"
    answer = sent_raw(running, first + CLOSE % b"")
    assert answer.index(b'"ready"') < answer.index(b'"alive"')


DOCS = Path(__file__).parents[2] / "docs"


@needs_nginx
def test_nginx_accepts_the_file(tmp_path):
    write_certificate(tmp_path / "semscale.key", tmp_path / "semscale.crt", "semscale.example.org")
    content = (DOCS / "nginx.conf").read_text(encoding="utf-8").replace("/etc/nginx/", f"{tmp_path}/")
    configuration = tmp_path / "nginx.conf"
    before, inside = own_paths(tmp_path)
    configuration.write_text(before + content.replace("http {\n", f"http {{\n{inside}", 1))
    checked = subprocess.run(
        ["nginx", "-t", "-p", str(tmp_path), "-c", str(configuration)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr
