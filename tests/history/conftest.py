"""Every test that asks for ``new_place`` runs on both servers: SQLite, and a real PostgreSQL."""

import uuid
from collections.abc import Callable, Iterator

import pytest

from semscale.history.history import History, open_history


@pytest.fixture(params=["sqlite", "postgresql"])
def new_address(request, tmp_path) -> Callable[[], str]:
    """Names places for empty histories, all of one kind."""
    if request.param == "postgresql":
        return request.getfixturevalue("new_database")
    return lambda: str(tmp_path / f"{uuid.uuid4().hex[:8]}.sqlite")


@pytest.fixture
def where(new_address) -> str:
    """The place of an empty history."""
    return new_address()


@pytest.fixture
def history(where) -> Iterator[History]:
    """An empty history."""
    with open_history(where) as opened:
        yield opened
