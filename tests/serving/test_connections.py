"""Clients that send too much, too slowly or too early, and that do not read what they asked for."""

import asyncio
import json
import time
from contextlib import asynccontextmanager, suppress

import pytest

LARGE = 64 * 1024 * 1024


class Answers:
    """An application that answers the path and headers of a request, and can be held up; and its clients."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.n = 0
        self.port = 0
        self.writers = []

    async def connect(self, **said):
        """Open a connection as a client."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, **said)
        self.writers.append(writer)
        return reader, writer

    async def __call__(self, scope, receive, send):
        self.n += 1
        while (await receive()).get("more_body"):
            pass
        if scope["path"] == "/held":
            await self.let.wait()
        names = [name.decode() for name, _ in scope["headers"]]
        body = json.dumps([scope["path"], *names]).encode()
        if scope["path"] == "/large":
            body = b"x" * LARGE
        length = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def served(most=100):
    """Serve on the loopback interface; gives the application and all connections."""
    import uvicorn
    from uvicorn.server import ServerState

    from semscale.serving.server import Connection, listen

    app, state = Answers(), ServerState()
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
    config.load()
    with listen("127.0.0.1", 0) as listener:
        app.port = listener.getsockname()[1]
        server = await asyncio.get_running_loop().create_server(
            lambda: Connection(most=most, config=config, server_state=state, app_state={}), sock=listener
        )
        try:
            yield app, state.connections
        finally:
            app.let.set()
            for writer in app.writers:
                writer.transport.abort()
                with suppress(ConnectionError):
                    await writer.wait_closed()
            while state.connections or state.tasks:
                await asyncio.sleep(0)
            server.close()


def run(test):
    """Run a test on an event loop, with an end."""
    return asyncio.run(asyncio.wait_for(test(), 60))


async def answer_of(reader):
    """Read one answer: its status and its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    length = next(int(line.partition(":")[2]) for line in head if line.startswith("content-length"))
    return int(head[0].split()[1]), json.loads(await reader.readexactly(length))


async def is_closed(reader):
    """Read to the end of a connection, which comes also where it was cut."""
    with suppress(ConnectionResetError):
        await reader.read()
    return True


GET = b"GET %b HTTP/1.1\r\nhost: localhost\r\n\r\n"


def test_a_head_without_an_end_is_refused():
    async def test():
        async with served() as (app, _):
            reader, writer = await app.connect()
            writer.write(b"GET / HTTP/1.1\r\nx: ")
            for _ in range(5):
                writer.write(b"x" * 20_000)
            status, result = await answer_of(reader)
            assert status == 431
            assert result["error"]["message"].startswith(
                "the address and headers of a request must have at most"
            )
            assert await is_closed(reader)
            assert app.n == 0

    run(test)


def test_a_head_that_is_too_large_is_refused_although_it_is_whole():
    async def test():
        async with served() as (app, _):
            for size, status in ((60_000, 200), (66_000, 431)):
                reader, writer = await app.connect()
                writer.write(b"GET / HTTP/1.1\r\nx: %b\r\n\r\n" % (b"x" * size))
                assert (await answer_of(reader))[0] == status
            assert app.n == 1

    run(test)


def test_what_is_no_http_is_refused_in_the_form_of_all_errors():
    async def test():
        async with served() as (app, _):
            for sent in (
                b"hello\r\n\r\n",
                b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
                b"\x16\x03\x01\x02",
            ):
                reader, writer = await app.connect()
                writer.write(sent)
                status, result = await answer_of(reader)
                assert (status, result["error"]["type"]) == (400, "invalid_request_error")
                assert await is_closed(reader)
            assert app.n == 0

    run(test)


def test_a_body_of_two_lengths_is_refused():
    async def test():
        async with served() as (app, _):
            reader, writer = await app.connect()
            writer.write(
                b"POST / HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
            )
            assert (await answer_of(reader))[0] == 400

    run(test)


def test_requests_behind_each_other_are_answered_in_their_order():
    async def test():
        async with served() as (app, _):
            reader, writer = await app.connect()
            writer.write(b"".join(GET % path for path in (b"/a", b"/b", b"/c")))
            assert [(await answer_of(reader))[1] for _ in range(3)] == [
                ["/a", "host"],
                ["/b", "host"],
                ["/c", "host"],
            ]

    run(test)


def test_too_many_requests_behind_each_other_end_the_connection():
    async def test():
        async with served() as (app, _):
            reader, writer = await app.connect()
            writer.write(GET % b"/held" * 102)  # 100 may wait behind the first
            assert await is_closed(reader)
            app.let.set()
            assert app.n == 1

    run(test)


def test_what_follows_a_body_is_no_header_and_has_an_end():
    async def test():
        async with served() as (app, _):
            reader, writer = await app.connect()
            chunked = b"POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
            writer.write(chunked + b"authorization: Bearer x\r\n\r\n")
            assert (await answer_of(reader))[1] == ["/a", "transfer-encoding"]
            writer.write(chunked)
            writer.write(b"y" * 400_000)  # more than comes at once
            assert await is_closed(reader)

    run(test)


def test_idle_connections_make_room_for_new_ones():
    async def test():
        async with served(most=4) as (app, connections):
            idle = [await app.connect() for _ in range(4)]
            while len(connections) < 4:
                await asyncio.sleep(0)
            idle[0][1].write(GET % b"/held")
            while sum(entry.idle_since is None for entry in connections) < 1:
                await asyncio.sleep(0)
            reader, writer = await app.connect()
            writer.write(GET % b"/a")
            assert (await answer_of(reader))[0] == 200
            assert await is_closed(idle[1][0])  # of those without a request the first
            assert len(connections) == 4

    run(test)


def test_a_connection_too_many_is_closed_where_all_are_busy():
    async def test():
        async with served(most=1) as (app, _):
            busy, writer = await app.connect()
            writer.write(GET % b"/held")
            while not app.n:
                await asyncio.sleep(0)
            late, _ = await app.connect()
            assert await is_closed(late)
            app.let.set()
            assert (await answer_of(busy))[0] == 200

    run(test)


def test_who_sends_no_request_is_closed_and_who_waits_for_an_answer_is_not():
    async def test():
        from semscale.serving.server import IDLE_SECONDS

        async with served() as (app, connections):
            waiting, writer = await app.connect()
            writer.write(GET % b"/held")
            while not app.n:
                await asyncio.sleep(0)
            idle, half = await app.connect()
            half.write(b"GET / HTTP/1.1\r\nhost:")
            while len(connections) < 2:
                await asyncio.sleep(0)
            soon = time.monotonic() + IDLE_SECONDS - 10
            for now in (soon, soon + 20):
                assert len(connections) == 2
                for connection in list(connections):
                    connection.close_if_late(now)
            assert await is_closed(idle)
            app.let.set()
            assert (await answer_of(waiting))[0] == 200

    run(test)


def test_who_does_not_read_an_answer_is_closed_and_who_reads_slowly_is_not():
    async def test():
        async with served() as (app, connections):
            reader, writer = await app.connect(limit=1024)
            writer.write(GET % b"/large")
            while not any(entry.transport.get_write_buffer_size() for entry in connections):
                await asyncio.sleep(0)
            (connection,) = connections
            now = time.monotonic()
            connection.close_if_late(now + 70)
            left = connection.transport.get_write_buffer_size()
            while connection.transport.get_write_buffer_size() == left:
                await reader.read(100_000)
            connection.close_if_late(now + 140)  # some was read meanwhile
            assert not connection.transport.is_closing()
            connection.close_if_late(now + 210)
            connection.close_if_late(now + 220)  # 80 s without a byte
            assert connection.transport.is_closing()
            assert await is_closed(reader)

    run(test)


def test_where_too_much_is_unread_in_all_the_latest_reader_is_closed(monkeypatch):
    async def test():
        from semscale.serving import server as limits

        async with served() as (app, connections):
            for n in (1, 2):
                _, writer = await app.connect(limit=1024)
                writer.write(GET % b"/large")
                while sum(bool(entry.transport.get_write_buffer_size()) for entry in connections) < n:
                    await asyncio.sleep(0)
            first, second = sorted(connections, key=lambda entry: entry.idle_since)
            limits.close_late(connections, time.monotonic())
            assert not first.transport.is_closing()
            monkeypatch.setattr(limits, "UNSENT_BYTES", LARGE)  # room for one answer
            limits.close_late(connections, time.monotonic())
            assert first.transport.is_closing()
            assert not second.transport.is_closing()

    run(test)


def test_half_of_the_files_that_may_be_open_are_left_for_others(monkeypatch):
    from semscale.serving.server import most_connections

    resource = pytest.importorskip("resource", reason="Windows has no such limit")

    limits = [(1000, 5000)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    assert most_connections() == 2500
    assert limits == [(1000, 5000), (5000, 5000)]
