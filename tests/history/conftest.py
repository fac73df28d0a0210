"""Every test that asks for ``new_place`` runs on both servers: SQLite, and a real PostgreSQL."""

import os
import shutil
import tempfile
import uuid
import warnings
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

HOW = "pip install pgserver, or name a server whose user may create databases: SEMSCALE_TEST_POSTGRES=postgresql://..."


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server, started for these tests unless SEMSCALE_TEST_POSTGRES names one."""
    try:
        require("postgres")
    except MissingExtraError as error:
        pytest.skip(str(error))
    if named := os.environ.get("SEMSCALE_TEST_POSTGRES"):
        yield named
        return
    folder = tempfile.mkdtemp(prefix="semscale-pg-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of this machine that pgserver could use
        try:
            import pgserver

            server = pgserver.get_server(folder, cleanup_mode="delete")
        except Exception as error:  # whatever keeps it from running here
            shutil.rmtree(folder, ignore_errors=True)
            pytest.skip(f"no PostgreSQL here ({type(error).__name__}: {error}): {HOW}")
    try:
        # No test cuts the power, so nobody waits for the disk.
        on_server(server.get_uri(), "ALTER SYSTEM SET fsync = off")
        on_server(server.get_uri(), "SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server.cleanup()


@pytest.fixture
def new_database(postgres_server) -> Iterator[Callable[[], str]]:
    """Makes empty databases on the PostgreSQL server, which go when the test ends."""
    made: list[str] = []

    def make() -> str:
        name = f"semscale_test_{uuid.uuid4().hex[:12]}"
        on_server(postgres_server, f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        made.append(name)
        from sqlalchemy.engine import make_url

        return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)

    yield make
    for name in made:
        on_server(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


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


def on_server(url: str, statement: str) -> None:
    """Have a server do what is no part of a history, outside any transaction."""
    from semscale.history.databases.postgres_server import postgres_engine

    engine = postgres_engine(url, "the tests' server")
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(statement)
    finally:
        engine.dispose()
