"""A PostgreSQL server that cannot be used: one clear line each, and never a password."""

import gc
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
import uuid
import warnings
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from tests.support.stored_runs import a_run

from semscale.errors import InputError, MissingExtraError
from semscale.history.history import open_history
from semscale.store.databases import postgres as reaching
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database

pytestmark = pytest.mark.exhaustive

SECRET = "s3cret-p@ssword/?#%"
ANA = f"postgresql://ana:{quote(SECRET, safe='')}@"

# The server ends the connection of a transaction that has begun.
ENDED = """
import sys
from sqlalchemy import text
from semscale.errors import InputError
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database
database = Database(read_address(sys.argv[1]), create=True)
try:
    with database.writing() as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        with database.reading() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        connection.execute(text("SELECT 1"))
except InputError as error:
    print(error)
with database.reading() as connection:
    print(connection.execute(text("SELECT 'works again'")).scalar())
"""


def ask(address: str, statement: str) -> object:
    """Ask a server something that is no part of a history."""
    database = Database(read_address(address), create=True)
    try:
        with database.writing() as connection:
            result = connection.execute(text(statement))
            return result.scalar() if result.returns_rows else None
    finally:
        database.close()


def message_of(address: str, error: type[Exception] = InputError) -> str:
    """The one line that opening gives; no password in it or in anything that led to it."""
    with pytest.raises(error) as caught:
        open_history(address)
    output = "".join(traceback.format_exception(caught.value))
    assert "s3cret" not in output
    return str(caught.value)


@contextmanager
def listening(*answers: bytes):
    """A server that says something to one visitor after the other, whatever they say."""
    timed_out = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with ExitStack() as visitors:
                for answer in answers:
                    visitor, _ = server.accept()
                    visitors.enter_context(visitor)
                    with suppress(ConnectionError):
                        visitor.sendall(answer)
                timed_out.wait()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        timed_out.set()
        thread.join()


class TestUnreachable:
    def test_no_server_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            message = message_of(f"{ANA}127.0.0.1:{port}/team")
        assert message.startswith(f"history postgresql://ana@127.0.0.1:{port}/team cannot be used (")
        assert message.endswith("): check host, port and sslmode, and that the server is running")

    def test_no_socket_in_the_folder(self, tmp_path):
        assert "ana@/team cannot be used (No such file" in message_of(f"{ANA}/team?host={tmp_path}")

    @pytest.mark.parametrize(
        "answer", [b"SSH-2.0-OpenSSH_9.6\r\n", b"NHTTP/1.1 400 Bad Request\r\n\r\n", b""]
    )
    def test_another_service_listens(self, monkeypatch, answer):
        monkeypatch.setattr(reaching, "PATIENCE", 0.05)  # it waits for more that never comes
        with listening(answer) as port:
            message = message_of(f"{ANA}127.0.0.1:{port}/team")
        assert message.startswith(f"history postgresql://ana@127.0.0.1:{port}/team ")
        assert "check host, port and sslmode" in message
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()  # the driver leaves the socket of an attempt that failed to be collected

    def test_server_without_tls_is_refused_when_tls_is_required(self):
        with listening(b"N") as port:
            message = message_of(f"{ANA}127.0.0.1:{port}/team?sslmode=require")
        assert "cannot be used (Server refuses SSL): check host, port and sslmode" in message

    def test_server_without_tls_is_used_when_tls_is_only_preferred(self):
        output = b"SFATAL\0C28P01\0Mno\0\0"
        refused = b"E" + struct.pack("!i", len(output) + 4) + output
        with listening(b"N", refused) as port:
            message = message_of(f"{ANA}127.0.0.1:{port}/team")
        assert "refuses the user or the password" in message


class TestAddress:
    @pytest.mark.parametrize(
        ("rest", "message"),
        [
            ("db:port/team", "must read postgresql://user:password@host:port/database"),
            (
                "db/team?sslmode=maybe",
                "sslmode of history postgresql://ana@db/team must be one of disable, allow",
            ),
            (
                "db/team?connect_timeout=3",
                "has unknown settings: connect_timeout; known are:",
            ),
        ],
    )
    def test_unreadable_server_reply_is_reported(self, rest, message):
        assert message in message_of(f"{ANA}{rest}")

    def test_nobody_is_named(self, monkeypatch):
        monkeypatch.delenv("PGUSER", raising=False)
        assert "must name the user" in message_of("postgresql://db/team")

    def test_the_driver_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pg8000", None)
        message = message_of(f"{ANA}db/team", MissingExtraError)
        assert message == 'pg8000 is not installed: pip install "semscale[postgres]"'


@pytest.fixture
def asking(new_database):
    """A database on a server that asks one user for a password."""
    if os.environ.get("SEMSCALE_TEST_POSTGRES"):
        pytest.skip(
            "the server of SEMSCALE_TEST_POSTGRES is not to be set up anew: start the tests without it"
        )
    address, user = new_database(), f"tester_{uuid.uuid4().hex[:8]}"
    url = make_url(address)
    ask(address, f"CREATE ROLE {user} LOGIN PASSWORD '{SECRET}'")
    ask(address, f"GRANT ALL ON DATABASE {url.database} TO {user}")
    ask(address, f"GRANT ALL ON SCHEMA public TO {user}")
    rules = Path(str(ask(address, "SHOW hba_file")))
    before = rules.read_text(encoding="utf-8")
    rules.write_text(f"local all {user} scram-sha-256\n{before}", encoding="utf-8")
    try:
        ask(address, "SELECT pg_reload_conf()")
        wait_until_asked(url.set(username=user))
        yield url.set(username=user, password=SECRET)
    finally:
        rules.write_text(before, encoding="utf-8")
        ask(address, "SELECT pg_reload_conf()")
        ask(address, f"DROP OWNED BY {user}")
        ask(address, f"DROP ROLE {user}")


def wait_until_asked(url) -> None:
    """A server reads its rules anew some time after it was told to."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            ask(url.render_as_string(hide_password=False), "SELECT 1")
        except InputError:
            return
    pytest.fail("the server asks for no password")


class TestPasswords:
    def test_right_password_is_accepted_and_not_shown(self, asking):
        with open_history(asking.render_as_string(hide_password=False)) as history:
            history.record(a_run())
            assert SECRET not in history.where + repr(history) + repr(history._database._engine)

    def test_from_the_environment(self, asking, monkeypatch):
        monkeypatch.setenv("PGPASSWORD", SECRET)
        monkeypatch.setenv("PGUSER", asking.username)
        anonymous = URL.create("postgresql", database=asking.database, query=asking.query)
        with open_history(str(anonymous)) as history:
            assert history.runs() == []

    @pytest.mark.parametrize("wrong", [SECRET + "x", ""])
    def test_wrong_or_missing_password_is_refused(self, asking, monkeypatch, wrong):
        monkeypatch.delenv("PGPASSWORD", raising=False)
        message = message_of(asking.set(password=wrong).render_as_string(hide_password=False))
        assert "refuses the user or the password: check both in the URL, or set PGPASSWORD" in message


class TestRights:
    def test_a_database_that_does_not_exist(self, new_database):
        address = (
            make_url(new_database()).set(database="nobody_made_it").render_as_string(hide_password=False)
        )
        assert "names a database that does not exist: create it with createdb" in message_of(address)

    def test_a_user_who_does_not_exist(self, new_database):
        address = make_url(new_database()).set(username="nobody").render_as_string(hide_password=False)
        assert "refuses the user or the password" in message_of(address)

    def test_read_only(self, new_database):
        address = new_database()
        with open_history(address) as history:
            history.record(a_run(id="filled"))
        ask(address, f"ALTER DATABASE {make_url(address).database} SET default_transaction_read_only = on")
        with open_history(address) as history:
            assert [run.id for run in history.runs()] == ["filled"]
            with pytest.raises(InputError, match="is read-only: copy it to a folder that you can write to"):
                history.record(a_run(note="new"))

    def test_a_user_who_may_only_look(self, new_database):
        address, user = new_database(), f"reader_{uuid.uuid4().hex[:8]}"
        with open_history(address) as history:
            history.record(a_run(id="filled"))
        ask(address, f"CREATE ROLE {user} LOGIN PASSWORD 'looking'")
        ask(address, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}")
        try:
            looking = (
                make_url(address).set(username=user, password="looking").render_as_string(hide_password=False)
            )
            with open_history(looking) as history:
                assert history.run("filled").id == "filled"
                with pytest.raises(InputError, match="denies this to the user"):
                    history.record(a_run(note="new"))
        finally:
            ask(address, f"DROP OWNED BY {user}")
            ask(address, f"DROP ROLE {user}")

    def test_the_server_does_not_answer_for_too_long(self, monkeypatch, new_database):
        monkeypatch.setattr(reaching, "PATIENCE", 1.0)
        with pytest.raises(InputError, match="did not answer in time: try again"):
            ask(new_database(), "SELECT pg_sleep(600)")  # the server drops it with the database

    def test_the_server_ends_the_connection_while_it_is_used(self, new_database):
        command = [sys.executable, "-c", ENDED, new_database()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        first, second = done.stdout.splitlines()
        assert "lost the connection, or its server did not answer in time: try again" in first
        assert second == "works again"

    def test_the_server_lost_the_connection_between_two_uses(self, new_database):
        address = new_database()
        with open_history(address) as history:
            history.record(a_run())
            ask(
                address,
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            assert len(history.runs()) == 1
