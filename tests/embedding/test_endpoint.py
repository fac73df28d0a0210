"""Vectors from an OpenAI-compatible endpoint: batches, retries, refusals, and wrong replies."""

from collections import deque
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from threading import Lock

import numpy as np
import pytest
from tests.support.local_servers import LIMIT, Endpoint, reply, serving

from semscale.embedding.embedder import ApiEmbedder, Embedder
from semscale.errors import InputError, ReplyError

pytestmark = pytest.mark.needs("api")


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with serving(Endpoint, planned=deque(), requests=[], lock=Lock()) as started:
        yield started


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def connect(server):
    def make(model: str = "m", **settings: object) -> ApiEmbedder:
        return ApiEmbedder(model, base_url=f"http://127.0.0.1:{server.server_port}/v1", **settings)

    return make


def plan(server: ThreadingHTTPServer, status: int, content: object, **headers: str) -> None:
    server.RequestHandlerClass.planned.append((status, content, headers))


def unit(*numbers: float) -> list[float]:
    length = sum(number**2 for number in numbers) ** 0.5
    return [number / length for number in numbers]


def test_vectors_are_normalised_and_in_order(connect, server):
    embedder: Embedder = connect(batch=2)
    result = embedder.embed(["abc", "a", "abc", "abcd", "ab"])
    expected = [unit(3, 1), unit(1, 1), unit(3, 1), unit(4, 1), unit(2, 1)]
    np.testing.assert_allclose(result.vectors, expected, rtol=1e-6)
    assert result.vectors.dtype == np.float32
    assert result.windows.tolist() == [1] * 5
    asked = sorted(request["input"] for request, _, _ in server.RequestHandlerClass.requests)
    assert asked == [["abc", "a"], ["abcd", "ab"]]  # four distinct texts, two in a request


def test_reply_is_put_in_order_by_its_indices(connect, server):
    plan(server, 200, reply([[0.0, 1.0], [1.0, 0.0]], indices=[1, 0]))
    assert connect().embed(["a", "b"]).vectors.tolist() == [[1, 0], [0, 1]]


def test_key_comes_from_the_environment_only(connect, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-user")
    embedder = connect("some:model")
    embedder.embed(["a"])
    _, headers, path = server.RequestHandlerClass.requests[0]
    assert headers["Authorization"] == "Bearer secret-of-the-user"
    assert path == "/v1/embeddings"
    assert str(embedder.signature).split("|")[1:] == [
        "embed",
        "model:some@model",
        "engine:api",
        f"endpoint:127.0.0.1/{server.server_port}/v1",
        "dimensions:own",
    ]


def test_openai_itself_needs_a_key():
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        ApiEmbedder("text-embedding-3-small")


def test_endpoint_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    assert ApiEmbedder("m").dimensions == 2


def test_width_that_is_asked_for(connect, server):
    embedder = connect(dimensions=5)
    assert embedder.embed(["a"]).vectors.shape == (1, 5)
    assert embedder.dimensions == 5
    assert server.RequestHandlerClass.requests[0][0]["dimensions"] == 5


def test_rate_limit_is_waited_for_as_long_as_the_endpoint_says(connect, server, monkeypatch):
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    plan(server, 429, {"error": {"message": "slow down"}}, **{"Retry-After": "7"})
    assert connect().embed(["abc"]).vectors.shape == (1, 2)
    assert waited == [7]


def test_server_errors_are_tried_again(connect, server, monkeypatch):
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    for _ in range(3):
        plan(server, 500, {"error": {"message": "oops"}})
    assert connect().embed(["abc"]).vectors.shape == (1, 2)
    # Half a second, doubled every time, less a random part of up to a quarter.
    assert all(0.75 * full <= wait <= full for wait, full in zip(waited, [0.5, 1, 2], strict=True))


def test_gives_up_after_the_retries(connect, server, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    for _ in range(3):
        plan(server, 503, {"error": {"message": "gone fishing"}})
    with pytest.raises(ReplyError, match="m: .*gone fishing"):
        connect(retries=2).embed(["abc"])
    assert len(server.RequestHandlerClass.requests) == 3


def test_wrong_key_is_not_tried_again(connect, server):
    plan(server, 401, {"error": {"message": "no such key"}})
    with pytest.raises(ReplyError, match="no such key"):
        connect().embed(["abc"])
    assert len(server.RequestHandlerClass.requests) == 1


def test_text_that_is_too_long_is_named(connect):
    texts = [*"abcdefg", "b", "x" * (LIMIT + 1), "h"]
    with pytest.raises(
        ReplyError, match=r"m refuses texts\[8\] \(31 characters, 'xxx.*maximum context length is 30"
    ):
        connect().embed(texts)


def test_batch_that_is_too_large_as_a_whole_is_halved(connect, server):
    plan(server, 413, {"error": {"message": "too many tokens in one request"}})
    result = connect().embed(["a", "ab", "abc"])
    np.testing.assert_allclose(result.vectors, [unit(1, 1), unit(2, 1), unit(3, 1)], rtol=1e-6)
    assert [request["input"] for request, _, _ in server.RequestHandlerClass.requests][1:] == [
        ["a"],
        ["ab", "abc"],
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (reply([[1.0, 2.0]]), "gave 1 vectors for 2 texts"),
        (reply([[1.0], [2.0], [3.0]]), "gave 3 vectors for 2 texts"),
        (reply([[1.0], [2.0]], indices=[0, 0]), "wrong indices"),
        (reply([[1.0, 2.0], [1.0]]), r"gave 1 numbers for texts\[1\], expected 2"),
        (reply([[1.0, 2.0], [float("nan"), 1.0]]), r"gave NaN, infinity or only zeros for texts\[1\]"),
        (reply([[0.0, 0.0], [1.0, 1.0]]), r"only zeros for texts\[0\]"),
        (reply([[1.0, 2.0], [None, 1.0]]), "gave no usable reply"),
        (b'{"data": [', "gave no usable reply: "),
        (b"<html>busy</html>", "gave no usable reply: "),
        ({"data": None}, "gave no usable reply: "),
        ({"message": "hello"}, "gave no usable reply: "),
        ({"data": [{"vector": [1.0]}, {"vector": [2.0]}]}, "gave no usable reply: "),
        ([], "gave no usable reply: "),
    ],
)
def test_reply_that_is_not_what_was_asked_for(connect, server, content, reason):
    plan(server, 200, content)
    with pytest.raises(ReplyError, match=f"^m .*{reason}") as caught:
        connect(retries=0).embed(["a", "b"])
    assert "\n" not in str(caught.value)


def test_page_instead_of_a_reply(connect, server):
    plan(server, 200, b"<html>please log in</html>", **{"Content-Type": "text/html"})
    with pytest.raises(ReplyError, match="m gave no usable reply"):
        connect().embed(["a"])


def test_width_that_changes_between_batches(connect, server):
    plan(server, 200, reply([[1.0, 2.0, 3.0]]))
    with pytest.raises(ReplyError, match="different widths: 2, 3"):
        connect(batch=1).embed(["a", "b"])


def test_nobody_listens():
    embedder = ApiEmbedder("m", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ReplyError, match="m gave no usable reply: Connection error"):
        embedder.embed(["a"])


def test_progress_counts_texts(connect):
    seen = []
    connect(batch=2).embed(["a", "b", "a", "c"], progress=lambda *step: seen.append(step))
    assert seen == [("embedding", 2, 3), ("embedding", 3, 3)]


def test_no_texts(connect):
    assert connect().embed([]).vectors.shape == (0, 2)


@pytest.mark.parametrize("setting", [{"batch": 0}, {"dimensions": 0}, {"retries": -1}])
def test_setting_out_of_range(connect, setting):
    with pytest.raises(InputError, match=f"{next(iter(setting))} must be >= "):
        connect(**setting)


def test_what_is_not_a_text(connect):
    with pytest.raises(InputError, match=r"texts\[0\] must be a string"):
        connect().embed([None])
