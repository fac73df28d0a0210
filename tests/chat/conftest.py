"""A misbehaving endpoint, a clock that does not wait, and a home of its own for every test."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from endpoint import ChatEndpoint, prompt_of
from local_servers import serving

from semscale.chat import load_chat_model
from semscale.chat.limits import Clock
from semscale.chat.runner import Runner

SETTINGS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SEMSCALE_OFFLINE", "SEMSCALE_PRICES")
PROXIES = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


class Endpoint(SimpleNamespace):
    """What a test sees of the server: what to plan, and what was asked."""

    def plan(self, *steps: object) -> None:
        self.planned.extend(steps)

    def model(self, name: str = "m", **settings: object):
        return load_chat_model(name, base_url=self.url, **settings)

    @property
    def prompts(self) -> list[str]:
        return [prompt_of(asked) for asked, _, _ in self.requests]


class FakeClock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.time, sleep=self.sleep, chance=lambda: 1.0)


@pytest.fixture(autouse=True)
def secluded_chat(monkeypatch, tmp_path) -> None:
    for name in (*SETTINGS, *PROXIES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = {"planned": deque(), "requests": [], "lock": threading.Lock(), "go": threading.Event()}
    with serving(ChatEndpoint, **state) as server:
        yield Endpoint(**state, url=f"http://127.0.0.1:{server.server_port}/v1")
        state["go"].set()


@pytest.fixture
def fake() -> FakeClock:
    return FakeClock()


@pytest.fixture
def runner(endpoint, fake, tmp_path) -> Callable[..., Runner]:
    def make(**settings: object) -> Runner:
        settings = {"ledger": tmp_path / "ledger.sqlite", "clock": fake.clock} | settings
        return Runner(endpoint.model(), **settings)

    return make
