"""Every test that asks for ``new_place`` runs on both servers: SQLite, and a real PostgreSQL."""

import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from semscale.errors import MissingExtraError
from semscale.extras import require
from semscale.history.databases.opening import open_history

if TYPE_CHECKING:
    from semscale.history.history import History

try:
    require("history")
except MissingExtraError:
    # These cannot be imported without it; test_opening.py is skipped with the line that installs it.
    collect_ignore_glob = [
        "test_[!ao]*.py",
        "databases/test_[!ao]*.py",
        "anchors/test_*.py",
        "stored_runs.py",
        "stored_anchors.py",
    ]


@pytest.fixture(params=["sqlite", "postgresql"])
def new_place(request, tmp_path) -> Callable[[], str]:
    """Names places for empty histories, all of one kind."""
    if request.param == "postgresql":
        return request.getfixturevalue("new_database")
    return lambda: str(tmp_path / f"{uuid.uuid4().hex[:8]}.sqlite")


@pytest.fixture
def where(new_place) -> str:
    """The place of an empty history."""
    return new_place()


@pytest.fixture
def history(where) -> Iterator["History"]:
    """An empty history."""
    with open_history(where) as opened:
        yield opened
