"""Connections without a complete request: they are closed in time and keep nobody out."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

pytest.importorskip(
    "prometheus_client", reason='prometheus_client is not installed: pip install "semscale[serve]"'
)

import uvicorn

from semscale.serving import server as serving_server
from semscale.serving.server import DrainingServer, listen
from semscale.serving.state import ServiceState

HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n"
WAIT = 60


async def application(scope, receive, send):
    """Answer with the body of the request, once it has arrived."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refusing(scope, receive, send):
    """Answer without reading the body."""
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def running(answer=application):
    """Run a server, and yield its address."""
    service = SimpleNamespace(state=ServiceState())
    config = uvicorn.Config(
        answer,
        http="h11",
        lifespan="off",
        log_config=None,
        limit_concurrency=serving_server.CONNECTIONS,
        ws="none",
        timeout_keep_alive=serving_server._IDLE_SECONDS,
    )
    server = DrainingServer(config, service, lambda _: None)
    with listen("127.0.0.1", 0) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()
        finally:
            service.state.set_failed(RuntimeError("the test is over"))
            await asyncio.wait_for(serving, WAIT)


async def answer_to(reader):
    """Read an answer with the body ``hello``, and return its status."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)
    if b" 200 " in head:
        await asyncio.wait_for(reader.readexactly(5), WAIT)
    return int(head.split()[1])


async def is_closed(reader):
    """Wait for the end of a connection, and return true if nothing came before it."""
    try:
        return await asyncio.wait_for(reader.read(), WAIT) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("start", [b"", b"GET / HT", HEAD[:-2]])
def test_a_connection_without_a_complete_head_is_closed(monkeypatch, start):
    monkeypatch.setattr(serving_server, "HEAD_SECONDS", 0.1)

    async def conversation():
        async with running() as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(start)
            closed = await is_closed(reader)
            writer.close()
            return closed

    assert asyncio.run(conversation())


def test_a_head_that_trickles_after_an_answered_request_ends_the_connection(monkeypatch):
    monkeypatch.setattr(serving_server, "HEAD_SECONDS", 0.1)

    async def conversation():
        async with running() as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(HEAD + b"hello")
            status = await answer_to(reader)
            writer.write(HEAD[:10])
            closed = await is_closed(reader)
            writer.close()
            return status, closed

    assert asyncio.run(conversation()) == (200, True)


def test_a_body_that_trickles_after_its_refusal_ends_the_connection(monkeypatch):
    monkeypatch.setattr(serving_server, "HEAD_SECONDS", 0.1)

    async def conversation():
        async with running(refusing) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(HEAD + b"h")
            status = await answer_to(reader)
            writer.write(b"e")
            closed = await is_closed(reader)
            writer.close()
            return status, closed

    assert asyncio.run(conversation()) == (413, True)


def test_connections_with_a_request_or_between_two_stay_open(monkeypatch):
    monkeypatch.setattr(serving_server, "HEAD_SECONDS", 0.1)

    async def conversation():
        async with running() as address:
            (first, sender), (second, other) = [await asyncio.open_connection(*address) for _ in range(2)]
            sender.write(HEAD + b"hel")
            other.write(HEAD + b"hello")
            statuses = [await answer_to(second)]
            # Another half-open connection shows that the time is over.
            third, half_open = await asyncio.open_connection(*address)
            assert await is_closed(third)
            sender.write(b"lo")
            statuses.append(await answer_to(first))
            other.write(HEAD + b"again")
            statuses.append(await answer_to(second))
            for writer in (sender, other, half_open):
                writer.close()
            return statuses

    assert asyncio.run(conversation()) == [200, 200, 200]


def test_the_time_of_a_head_begins_with_its_first_bytes(monkeypatch):
    clock, aborted = SimpleNamespace(now=0.0), []
    monkeypatch.setattr(serving_server, "time", SimpleNamespace(monotonic=lambda: clock.now))
    server = DrainingServer(uvicorn.Config(application), SimpleNamespace(state=ServiceState()), print)

    class Cycle:
        response_complete = True

    class Connection:
        cycle = Cycle()
        timeout_keep_alive_task = object()
        transport = SimpleNamespace(abort=lambda: aborted.append(clock.now))

    connection = Connection()
    server.server_state.connections.add(connection)
    # Idle for 60 s after an answer; then the first bytes of a head, which may take 10 s from here.
    for now, has_begun in ((0.0, False), (60.0, False), (60.1, True), (70.0, True), (70.2, True)):
        clock.now, connection.timeout_keep_alive_task = now, None if has_begun else object()
        server._close_half_open()
    assert aborted == [70.2]


def test_idle_connections_do_not_block_new_connections(monkeypatch):
    monkeypatch.setattr(serving_server, "CONNECTIONS", 6)
    monkeypatch.setattr(serving_server, "_CROWDED_SECONDS", 0.2)

    async def status(address):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(HEAD + b"hello")
        result = await answer_to(reader)
        writer.close()
        return result

    async def conversation():
        async with running() as address:
            idle_reader, idle = await asyncio.open_connection(*address)
            idle.write(HEAD + b"hello")
            await answer_to(idle_reader)
            connections = [await asyncio.open_connection(*address) for _ in range(5)]
            for _, writer in connections:
                writer.write(HEAD[:20])
            refused = await status(address)
            for reader, _ in [(idle_reader, idle), *connections]:
                assert await is_closed(reader)
            accepted = await status(address)
            for writer in (idle, *(writer for _, writer in connections)):
                writer.close()
            return refused, accepted

    assert asyncio.run(conversation()) == (503, 200)
