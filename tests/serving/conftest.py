"""A service in this process, on the real model or on one that waits until it is told to go on."""

import asyncio
import threading

import pytest

from semscale.errors import MissingExtraError
from semscale.extras import require

try:
    require("serve")
except MissingExtraError as error:
    MISSING = str(error)
    collect_ignore_glob = ["*"]
else:
    MISSING = ""

MODEL = "all-MiniLM-L6-v2"


class GatedEmbedder:
    """Embeds when it is let: to see what waits, and what is embedded together."""

    def __init__(self, embedder) -> None:
        self.embedder = embedder
        self.let = threading.Event()
        self.batches: list[list[str]] = []
        self.begun = threading.Semaphore(0)

    dimensions = property(lambda self: self.embedder.dimensions)
    signature = property(lambda self: self.embedder.signature)

    def embed(self, texts, *, progress=None):
        self.batches.append(list(texts))
        self.begun.release()
        assert self.let.wait(60)
        return self.embedder.embed(texts)


@pytest.fixture
def gated(toy_embedder):
    embedder = GatedEmbedder(toy_embedder)
    yield embedder
    embedder.let.set()


class Client:
    """Sends requests to an application in this process."""

    def __init__(self, gate) -> None:
        self.gate = gate

    def send(self, verb, path, **said):
        import httpx

        async def one():
            transport = httpx.ASGITransport(self.gate, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
                return await client.request(verb, path, **said)

        return asyncio.run(one())

    def post(self, path, **said):
        return self.send("POST", path, **said)

    def get(self, path, **said):
        return self.send("GET", path, **said)


def loaded_service(embedder, *, home=None, **limits):
    """A service whose models are loaded."""
    from semscale.serving.limits import ServiceLimits
    from semscale.serving.served_models import ModelChoice
    from semscale.serving.service import Service

    service = Service(ModelChoice(MODEL), ServiceLimits(**limits), load_model=lambda _: embedder)
    if home is not None:
        service.keep_jobs(home)
    service.start().join()
    assert service.state.error is None
    return service


@pytest.fixture(scope="session")
def engine(embedder):
    """The real model without a cache."""
    return embedder.embedder


@pytest.fixture(scope="session")
def service(engine):
    found = loaded_service(engine)
    yield found
    found.close()


@pytest.fixture
def client(service):
    from semscale.serving.application import application

    return Client(application(service))
