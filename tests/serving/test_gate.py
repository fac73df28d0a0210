"""The middleware: access, readiness, limits, and errors as answers."""

import asyncio
import json
from contextlib import suppress

import pytest

pytest.importorskip(
    "prometheus_client", reason='prometheus_client is not installed: pip install "semscale[serve]"'
)

from tests.support.services import MODEL, SECRET, Client, abandon, client_of

from semscale.errors import InputError
from semscale.serving.middleware import (
    Admission,
    Answers,
    Backlog,
    BodyRoom,
    access_token,
    has_token,
    is_meant_for_loopback,
)
from semscale.serving.refusals import RefusedRequestError
from semscale.serving.requests import ServiceLimits
from semscale.serving.state import ServiceMetrics, ServiceState

ASKED = {"input": ["good"], "model": MODEL}


def test_without_the_token_nothing_is_answered_but_health(service):
    client = client_of(service, SECRET)
    for path in ("/metrics", "/docs", "/v1/models", "/nowhere"):
        refused = client.get(path)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert SECRET not in refused.text
    assert client.get("/health").status_code == client.get("/ready").status_code == 200
    assert client.get("/v1/models", headers={"Authorization": f"Bearer {SECRET}"}).status_code == 200


def test_without_a_token_pages_of_other_sites_are_not_answered(service):
    client = client_of(service)
    for headers in ({"host": "example.org"}, {"origin": "https://example.org"}):
        refused = client.get("/v1/models", headers=headers)
        assert (refused.status_code, refused.json()["error"]["type"]) == (403, "permission_error")
        assert client.get("/health", headers=headers).status_code == 200
        shown = {"Authorization": f"Bearer {SECRET}", **headers}
        assert client_of(service, SECRET).get("/v1/models", headers=shown).status_code == 200


def test_a_header_host_that_is_none_is_no_bug(service):
    client = client_of(service, SECRET)
    headers = {"Authorization": f"Bearer {SECRET}", "host": "[::"}
    for path in ("/nowhere", "/v1/models/", "/rate/"):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found_error")


def test_routes_of_another_package_are_checked_like_those_of_the_service(service):
    from fastapi import APIRouter

    from semscale.serving.application import application

    router = APIRouter(prefix="/pages")

    @router.get("/first")
    async def first(rows: int = 1) -> dict[str, int]:
        return {"rows": rows}

    @router.get("/broken")
    async def broken() -> None:
        raise InputError("page", "must be 1, got 2")

    client = Client(application(service, routers=[router]))
    assert client.get("/pages/first?rows=5").json() == {"rows": 5}
    assert client.get("/pages/first", headers={"origin": "https://example.org"}).status_code == 403
    assert client.get("/pages/second").json()["error"]["type"] == "not_found_error"
    refused = client.get("/pages/broken")
    assert (refused.status_code, refused.json()["error"]["message"]) == (422, "page must be 1, got 2")
    refused = client.get("/pages/first?rows=many").json()["error"]
    assert (refused["message"], refused["param"]) == ("rows must be a whole number, got 'many'", "rows")
    assert "GET /pages/first" in client.get("/docs").text
    assert "/pages/first" in client.get("/openapi.json").json()["paths"]
    shown = {"Authorization": f"Bearer {SECRET}"}
    closed = Client(application(service, token=SECRET, routers=[router]))
    assert closed.get("/pages/first").status_code == 401
    assert closed.get("/pages/first", headers=shown).status_code == 200


def with_gate(gated, **limits):
    """A service whose model waits, without the warm-up."""
    from semscale.serving.batching import Batcher
    from semscale.serving.models import BatchedEmbedder, BatchedTexts, ServedModel
    from semscale.serving.requests import ServiceLimits
    from semscale.serving.service import Service

    service = Service(lambda _: gated, ServiceLimits(**limits), model=MODEL)
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, workers=1)
    model = ServedModel(MODEL, batcher, BatchedEmbedder(gated, batcher), batchers=[batcher])
    service.models.by_name, service.models.names = {MODEL: model}, (MODEL, MODEL)
    service.state.set_loaded()
    return service


def test_a_request_that_takes_too_long_is_answered_and_its_texts_are_dropped(gated):
    service = with_gate(gated, max_seconds=1)
    answer = client_of(service).post("/v1/embeddings", json=ASKED)
    assert answer.status_code == 504
    assert answer.headers["retry-after"] == "5"
    assert service.state.under_way == 0
    assert service.models.embedding.batcher.waiting_items == 0


def behind_limits(application):
    """An application behind the time limits of requests, and with an answer to every error."""
    state = ServiceState()
    state.set_loaded()
    admission = Admission(
        application, state=state, limits=ServiceLimits(max_seconds=5000), bodies=BodyRoom(0)
    )
    return Answers(admission, state=state, metrics=ServiceMetrics())


def test_lines_that_take_too_long_end_with_the_reason():
    async def lines(scope, receive, send):
        headers = [(b"content-type", b"application/x-ndjson")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"row": 1}\n', "more_body": True})
        scope["semscale.limit"].reschedule(asyncio.get_running_loop().time())
        await asyncio.sleep(5000)

    first, last = Client(behind_limits(lines)).post("/rate").text.splitlines()
    assert json.loads(first) == {"row": 1}
    assert json.loads(last)["error"]["type"] == "timeout_error"


def test_every_part_of_a_long_answer_has_the_full_time_limit():
    ends = []

    async def download(scope, receive, send):
        limit = scope["semscale.limit"]
        limit.reschedule(None)  # so that it shows what begins it again
        await send({"type": "http.response.start", "status": 200, "headers": []})
        ends.append(limit.when())
        await send({"type": "http.response.body", "body": b"a part", "more_body": True})
        ends.append(limit.when() - asyncio.get_running_loop().time())
        await send({"type": "http.response.body", "body": b"the rest"})

    assert Client(behind_limits(download)).get("/jobs/1/result").content == b"a partthe rest"
    assert ends[0] is None
    assert 0 < ends[1] <= 5000


def test_texts_of_a_client_that_goes_away_are_dropped(gated):
    service = with_gate(gated)
    app, batcher = client_of(service).app, service.models.embedding.batcher
    blocking = batcher.submit(["holds the model up"])
    assert gated.begun.acquire(timeout=60)
    status = asyncio.run(abandon(app, "/v1/embeddings", ASKED, lambda: batcher.waiting_items > 0))
    assert batcher.waiting_items == 0
    assert status == 499  # nobody reads it: the server drops what is sent to a closed connection
    assert not blocking.done()


def test_a_request_beyond_the_backlog_is_answered_with_429(gated):
    service = with_gate(gated, max_waiting=10)
    gated.let.set()
    client = client_of(service)
    longer = {**ASKED, "input": ["a longer text that waits"]}  # 2 + 24 // 4 = 8 tokens
    with service.backlog.share(3):
        answer = client.post("/v1/embeddings", json=longer)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert client.post("/v1/embeddings", json=ASKED).status_code == 200  # 3 tokens
    assert client.post("/v1/embeddings", json=longer).status_code == 200
    assert service.backlog.tokens == 0


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def backlog(clock):
    return Backlog(ServiceLimits(max_seconds=10, max_waiting=10_000, batch_tokens=100), clock)


def test_before_a_measurement_only_the_number_of_tokens_is_limited(backlog):
    with backlog.share(9_999), backlog.share(1):
        with (
            pytest.raises(RefusedRequestError, match="too many texts are waiting") as refused,
            backlog.share(1),
        ):
            pass
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
        assert backlog.tokens == 10_000
    with backlog.share(20_000):  # an idle service accepts any size
        pass


def test_only_what_can_be_answered_in_time_is_accepted(backlog, clock):
    with backlog.share(400):
        clock.now = 4.0  # 100 tokens per second: 500 in half of the 10 seconds
    with backlog.share(500):
        # 1,100 tokens are 600 too many, which takes 6 seconds.
        with pytest.raises(RefusedRequestError) as refused, backlog.share(600):
            pass
        assert refused.value.headers == {"Retry-After": "6"}
        with backlog.share(600, is_accepted=True):  # the next lines of an accepted request
            assert backlog.tokens == 1_100
    with backlog.share(499), backlog.share(1):
        assert backlog.tokens == 500


def test_a_request_without_an_answer_lowers_the_rate(backlog, clock):
    with backlog.share(400):
        clock.now = 4.0
    with suppress(TimeoutError), backlog.share(400):
        clock.now = 14.0
        raise TimeoutError
    # 400 tokens in 4 seconds, with weight 1 / e, and none in 10: 147 / 11.5 = 12.8 tokens per second, or 64
    # in half of the limit.
    assert backlog.tokens == 0
    with backlog.share(60):
        with pytest.raises(RefusedRequestError), backlog.share(5):
            pass
        with backlog.share(3):
            pass


def test_idle_time_and_small_requests_do_not_lower_the_rate(backlog, clock):
    with backlog.share(400):
        clock.now = 4.0
    clock.now = 1000.0
    with backlog.share(99):  # less than a batch
        clock.now = 1009.0
    with backlog.share(400), backlog.share(100):
        pass


def test_requests_at_once_have_the_rate_of_all(backlog, clock):
    with backlog.share(200), backlog.share(200):
        clock.now = 4.0
    with backlog.share(500), pytest.raises(RefusedRequestError), backlog.share(1):
        pass


def test_a_loaded_service_has_measured_its_rate(service):
    most = service.limits.max_waiting
    with service.backlog.share(most - 1), pytest.raises(RefusedRequestError), service.backlog.share(1):
        pass


def test_a_service_that_loads_or_drains_answers_503(engine):
    from semscale.serving.service import Service
    from semscale.serving.state import Phase

    service = Service(lambda _: None)
    client = client_of(service)
    assert client.post("/v1/embeddings", json=ASKED).status_code == 503
    assert client.get("/health").status_code == 200
    ready = client.get("/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "loading")
    service.state.set_loaded()
    service.state.drain()
    answer = client.get("/v1/models")
    assert (answer.status_code, answer.headers["retry-after"], answer.headers["connection"]) == (
        503,
        "5",
        "close",
    )
    assert service.state.phase is Phase.DRAINING


def test_failed_model_load_is_stored_as_an_error():
    from semscale.errors import ModelError
    from semscale.serving.service import Service

    def load(_):
        raise ModelError("no such file")

    service = Service(load)
    service.start().join()
    assert (str(service.state.phase), str(service.state.error)) == ("failed", "no such file")


def test_figures_count_requests_by_route_and_status(service):
    client = client_of(service)
    client.post("/v1/embeddings", json=ASKED)
    client.get("/nowhere")
    page = client.get("/metrics").text
    assert 'semscale_requests_total{route="/v1/embeddings",status="200"}' in page
    assert 'semscale_requests_total{route="other",status="404"}' in page
    assert f'semscale_waiting_texts{{model="{MODEL}"}} 0.0' in page
    assert f'semscale_tokens_total{{model="{MODEL}"}}' in page


def test_the_page_of_routes_needs_no_other_host(service):
    client = client_of(service)
    page = client.get("/docs").text
    assert "POST /v1/embeddings" in page
    assert "encoding_format" in page
    assert "http://" not in page
    assert "https://" not in page
    assert "<script" not in page
    described = client.get("/openapi.json").json()
    assert {"/v1/embeddings", "/rate", "/match", "/consistency", "/health"} <= described["paths"].keys()


def test_a_body_without_room_in_memory_is_put_off(service):
    client = client_of(service)
    assert client.post("/v1/embeddings", json=ASKED).status_code == 200
    assert service.bodies.held == 0
    service.bodies.held = 8 * service.limits.body_bytes  # as if eight of the largest were under way
    answer = client.post("/v1/embeddings", json=ASKED)
    service.bodies.held = 0
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")


def test_a_request_has_an_identifier_in_its_answer_and_in_the_access_log(client, caplog):
    caplog.set_level("INFO", logger="semscale.serving.access")
    stated = client.get("/v1/models?secret=1", headers={"X-Request-ID": "proxy-17"})
    assert stated.headers["x-request-id"] == "proxy-17"
    generated = [
        client.get("/no%0Awhere", headers={"X-Request-ID": "with a space"}).headers["x-request-id"]
        for _ in range(2)
    ]
    assert len({*generated, "with a space"}) == 3
    first, second, _ = caplog.messages
    assert first.startswith("proxy-17 GET /v1/models 200 ")
    assert second.startswith(f"{generated[0]} GET /no%0Awhere 404 ")


def test_a_refusal_has_an_identifier_as_well(service):
    assert client_of(service, SECRET).get("/metrics").headers["x-request-id"]


def test_requests_that_are_turned_away_do_not_put_off_the_end_for_ever(monkeypatch):
    from semscale.serving import state as service_state

    now = [100.0]
    monkeypatch.setattr(service_state.time, "monotonic", lambda: now[0])
    state = service_state.ServiceState()
    state.under_way = 1
    state.drain()
    now[0] = 160.0
    assert not state.is_drained  # one is under way
    state.end_request()
    for now[0] in (160.4, 160.8, 164.9):
        state.note_request()  # turned away
        assert not state.is_drained
    now[0] = 165.1
    state.note_request()
    assert state.is_drained


def test_a_shutdown_ends_once_nobody_asks(monkeypatch):
    from semscale.serving import state as service_state

    now = [100.0]
    monkeypatch.setattr(service_state.time, "monotonic", lambda: now[0])
    state = service_state.ServiceState()
    state.drain()
    now[0] = 100.4
    assert not state.is_drained
    now[0] = 100.6
    assert state.is_drained


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_this_machine_needs_no_token(host):
    assert access_token(host, {}) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.3", "example.org"])
def test_remote_access_requires_a_token(host):
    with pytest.raises(InputError, match="set SEMSCALE_TOKEN to a secret of at least 16 characters"):
        access_token(host, {})
    assert access_token(host, {"SEMSCALE_TOKEN": SECRET}) == SECRET


@pytest.mark.parametrize("token", ["short", "sechzehn-zeichen-für"])
def test_a_weak_token_is_refused_and_not_shown(token):
    with pytest.raises(InputError, match="at least 16 ASCII") as refused:
        access_token("127.0.0.1", {"SEMSCALE_TOKEN": token})
    assert token not in str(refused.value)


@pytest.mark.parametrize(
    "shown",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer wrong",
        f"Basic {SECRET}".encode(),
        b"Bearer \xff",
        "Bearer é".encode(),
    ],
)
def test_another_header_is_not_admitted(shown):
    assert not has_token(shown, SECRET)


def test_the_token_is_admitted():
    assert has_token(f"bearer {SECRET}".encode(), SECRET)


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        (b"localhost", None, True),
        (b"LOCALHOST:8000", None, True),
        (b"localhost:8000", b"http://localhost:8000", True),
        (b"[::1]:8000", b"https://[::1]:8000", True),
        (b"LOCALHOST", b"http://localhost", True),
        (b"localhost:8000", b"http://localhost:3000", False),  # a page of another server on this machine
        (b"localhost:8000", b"http://localhost", False),
        (b"127.0.0.1:8000", b"http://localhost:8000", False),
        (b"localhost:8000", b"http://localhost:80001", False),
        (None, b"http://localhost:8000", False),
        (b"example.org:8000", None, False),  # a name that somebody lets point to 127.0.0.1
        (b"localhost.example.org", None, False),
        (b"example.org@localhost", None, True),  # no browser sends it, and it names this machine
        (b"localhost@example.org", None, False),
        (b"", None, False),
        (b"[::1", None, False),
        (b"\xff", None, False),
        (b"localhost:8000", b"https://example.org", False),
        (b"localhost:8000", b"null", False),  # a page of no site, such as a frame that is shut in
        (None, None, True),  # a program that speaks HTTP/1.0; browsers always send it
    ],
)
def test_foreign_origins_are_distinguished_from_this_machine(host, origin, expected):
    headers = [(name, value) for name, value in ((b"host", host), (b"origin", origin)) if value is not None]
    assert is_meant_for_loopback([(b"accept", b"*/*"), *headers]) is expected


@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_below_1_is_refused(value):
    with pytest.raises(InputError, match="max_seconds must be >= 1"):
        ServiceLimits(max_seconds=value)


def test_bodies_of_all_requests_share_memory():
    room = BodyRoom(100)
    with room.share() as first, room.share() as second:
        first(60)
        second(40)
        with pytest.raises(RefusedRequestError, match="too large together") as refused:
            first(1)
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
        assert room.held == 100
    assert room.held == 0


def test_a_request_that_failed_gives_its_share_back():
    room = BodyRoom(100)
    with suppress(ZeroDivisionError), room.share() as take:
        take(100)
        raise ZeroDivisionError
    assert room.held == 0
