"""A misbehaving endpoint, a clock that does not wait, and a home of its own for every test."""

from collections.abc import Callable, Iterator

import pytest
from tests.support.decision_endpoint import DecisionState, deciding_endpoint
from tests.support.endpoint import Endpoint, misbehaving_endpoint

from semscale.chat.pacing import Clock
from semscale.chat.runner import Runner

SETTINGS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SEMSCALE_LEDGER", "SEMSCALE_OFFLINE", "SEMSCALE_PRICES")
PROXIES = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


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
    with misbehaving_endpoint() as server:
        yield server


@pytest.fixture
def decider() -> Iterator[DecisionState]:
    with deciding_endpoint() as state:
        yield state


@pytest.fixture
def fake() -> FakeClock:
    return FakeClock()


@pytest.fixture
def runner(endpoint, fake, tmp_path) -> Callable[..., Runner]:
    def make(**settings: object) -> Runner:
        settings = {"ledger": tmp_path / "ledger.sqlite", "clock": fake.clock} | settings
        return Runner(endpoint.model(), **settings)

    return make
