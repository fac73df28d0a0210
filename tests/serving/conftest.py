"""A service in this process, on the real model or on one that waits until it may go on."""

import threading

import pytest
from tests.support.services import client_of, loaded_service


def pytest_collection_modifyitems(items) -> None:
    """Skip, with a line that says how to install it, what needs the extra; tools need another one."""
    for item in items:
        if "tests/serving" in item.path.as_posix() and item.get_closest_marker("needs") is None:
            item.add_marker(pytest.mark.needs("serve"))


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


@pytest.fixture(scope="session")
def engine(embedder):
    """The real model without a cache."""
    return embedder.embedder


@pytest.fixture(scope="session")
def service(engine):
    result = loaded_service(engine)
    yield result
    result.close()


@pytest.fixture
def client(service):
    return client_of(service)
